"""An embedded PostgreSQL, from the binaries of a wheel: made, started and stopped without touching the system."""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg

from app.embedded import leftovers
from app.embedded.accounts import Account, choose_account, give, named_account
from app.embedded.binaries import postgres_binaries
from app.embedded.passwords import Passwords
from app.embedded.ports import LOCAL, free_port
from app.embedded.problems import ServiceProblem
from app.embedded.processes import Notice, stop_child
from app.embedded.roles import APPLICATION, DATABASE, OWNER, SUPERUSER, prepare_roles
from app.embedded.waiting import wait_until

STOPPING = (Notice(signal.SIGINT, 3.0), Notice(signal.SIGQUIT, 1.0), Notice(signal.SIGKILL, 1.0))
"""Fast shutdown, then immediate shutdown (recovered at the next start), then none at all."""

INITDB = (
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--auth=scram-sha-256",
    f"--username={SUPERUSER}",
    "--data-checksums",
)
SERVER = {
    "listen_addresses": LOCAL,
    "unix_socket_directories": "",
    "password_encryption": "scram-sha-256",
    "max_connections": "200",
    "log_error_verbosity": "terse",  # details of a failed statement quote its values
    "timezone": "UTC",
}


class Postgres:
    """One cluster in `home/postgres`, reached over the loopback with passwords only."""

    def __init__(self, home: Path, passwords: Passwords, settings: Mapping[str, str] | None = None) -> None:
        self.data = home / "postgres"
        self.log = home / "logs" / "postgres.log"
        self.passwords = passwords
        self.settings = {**SERVER, **(settings or {})}
        self.port = free_port()
        self.child: subprocess.Popen[bytes] | None = None

    def url(self, role: str = APPLICATION, database: str = DATABASE) -> str:
        """The address of a database for one of the roles, password included."""
        password = {
            SUPERUSER: self.passwords.superuser,
            OWNER: self.passwords.owner,
            APPLICATION: self.passwords.application,
        }[role]
        return f"postgresql+psycopg://{role}:{password}@{LOCAL}:{self.port}/{database}"

    def start(self) -> None:
        """Spawn the server and settle it; ServiceProblem with the end of its log when it does not come up."""
        self.spawn()
        self.settle()

    def settle(self) -> None:
        """Wait until the spawned server answers, and make its roles and database where they are missing."""
        wait_until(self._answers, seconds=60, problem=lambda: ServiceProblem(self._complaint()))
        with self.connect() as connection:
            prepare_roles(connection, self.passwords)

    def spawn(self) -> subprocess.Popen[bytes]:
        """Make the cluster if there is none, clear what a killed server left, and start without waiting."""
        binaries = postgres_binaries()
        leftovers.clear_postgres(self.data)
        account = choose_account(self.data, binaries / "postgres")
        if not self.data.exists():
            self._make(binaries, account)
        refuse_other_version(self.data, binaries)
        self.child = self._serve(binaries, account)
        return self.child

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        """A connection of the superuser, committing each statement."""
        return psycopg.connect(
            host=LOCAL,
            port=self.port,
            user=SUPERUSER,
            password=self.passwords.superuser,
            dbname=database,
            autocommit=True,
            connect_timeout=5,
        )

    def stop(self) -> None:
        """Shut the server down within five seconds."""
        if self.child is not None:
            stop_child(self.child, STOPPING)

    def _make(self, binaries: Path, account: Account | None) -> None:
        """Run initdb beside the final place and move the cluster there, so that a half-made one is never used."""
        maker = None if account is None else named_account(account)
        draft = self.data.with_name("postgres.draft")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        with tempfile.NamedTemporaryFile(mode="w", dir=draft.parent, prefix="initdb-", encoding="utf-8") as secret:
            secret.write(self.passwords.superuser)
            secret.flush()
            give(draft, maker)
            give(Path(secret.name), maker)
            run_as(maker, [str(binaries / "initdb"), f"--pgdata={draft}", f"--pwfile={secret.name}", *INITDB])
        give(draft, account)
        draft.rename(self.data)

    def _serve(self, binaries: Path, account: Account | None) -> subprocess.Popen[bytes]:
        chosen = [argument for key, value in self.settings.items() for argument in ("-c", f"{key}={value}")]
        command = [str(binaries / "postgres"), "-D", str(self.data), "-p", str(self.port), *chosen]
        self.log.parent.mkdir(exist_ok=True)
        with self.log.open("ab") as log:
            return subprocess.Popen(
                command if account is None else account.command(command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.data.parent,
                start_new_session=True,
                **({} if account is None else account.options()),
            )

    def _answers(self) -> bool:
        if self.child is None or self.child.poll() is not None:
            raise ServiceProblem(self._complaint())
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def _complaint(self) -> str:
        last = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
        return "\n".join((f"PostgreSQL did not start; the end of {self.log}:", *last))


def run_as(account: Account | None, command: Sequence[str]) -> None:
    """Run a program of PostgreSQL to its end; ServiceProblem with its words when it fails."""
    line = command if account is None else account.command(command)
    options = {} if account is None else account.options()
    ended = subprocess.run(line, capture_output=True, text=True, check=False, cwd="/", **options)
    if ended.returncode:
        raise ServiceProblem(f"{Path(command[0]).name} failed: {ended.stderr.strip() or ended.stdout.strip()}")


def refuse_other_version(data: Path, binaries: Path) -> None:
    """Compare the major version of the files with that of the binaries."""
    here = (data / "PG_VERSION").read_text(encoding="ascii").strip()
    installed = binaries.parent.name.removeprefix("pginstall")
    if here != installed:
        message = (
            f"{data} was made by PostgreSQL {here}, installed is {installed}. Dump it with the version that made it "
            "(docs/operations.md, Upgrading), or move the folder away to begin anew."
        )
        raise ServiceProblem(message)
