"""An instance: the services it needs, the schema of its database, and the programs that run on them."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.embedded.dumps import take_up_killed_restore
from app.embedded.home import prepare_home
from app.embedded.instance_note import InstanceNote, hold, own_mark, read_note, running_instance
from app.embedded.passwords import load_passwords
from app.embedded.postgres import STOPPING as POSTGRES_STOPPING
from app.embedded.postgres import Postgres
from app.embedded.problems import ServiceProblem
from app.embedded.processes import Notice, ProcessMark, stop_strangers
from app.embedded.programs import command_of, placed, program_part
from app.embedded.roles import APPLICATION, OWNER
from app.embedded.schema import upgrade_schema
from app.embedded.supervisor import Part, Supervisor
from app.embedded.valkey import STOPPING as VALKEY_STOPPING
from app.embedded.valkey import Valkey
from app.settings import Settings, use_variables


@dataclass
class Instance:
    """A held home folder with its services running; programs are started on top of them."""

    settings: Settings
    supervisor: Supervisor
    note: InstanceNote

    def start_program(self, name: str, command: list[str] | None = None) -> Part:
        """Start `web`, `worker`, `auditor` or `beat` (or, under that name, another command) under supervision."""
        line = command or [*placed(name, self.settings), *command_of(name, self.settings)]
        part = program_part(name, line, self.settings.home, self.variables())
        self.supervisor.start(part)
        return part

    def variables(self) -> dict[str, str]:
        """What the environment of a program says: its services, its folder, and where the web server listens."""
        own = {"AUTOLAB_HOME": str(self.settings.home), "AUTOLAB_HOST": self.settings.host}
        services = {name: value for name, value in self.note.variables.items() if name != "MIGRATION_DATABASE_URL"}
        return {**own, "AUTOLAB_PORT": str(self.settings.port), **services}

    def announce(self) -> None:
        """Tell other processes where the instance serves."""
        listening = {"AUTOLAB_HOST": self.settings.host, "AUTOLAB_PORT": str(self.settings.port)}
        public = {"AUTOLAB_PUBLIC_URL": self.settings.public_url} if self.settings.public_url else {}
        variables = {**self.note.variables, **listening, **public}
        self.note = replace(self.note, address=self.settings.address, variables=variables)
        self.note.write(self.settings.home)

    def remember(self, processes: Mapping[str, ProcessMark]) -> None:
        """Keep the marks of the living processes, for an instance that would have to clear up after this one."""
        self.note = replace(self.note, processes=dict(processes))
        self.note.write(self.settings.home)


@contextlib.contextmanager
def open_instance(settings: Settings, tell: Callable[[str], None]) -> Iterator[Instance]:
    """Hold the home folder, clear up after a killed instance, start what is not given, and migrate.

    Everything started is stopped at the end, whatever ends it. Raises ServiceProblem.
    """
    home = prepare_home(settings.home)
    with hold(home):
        clear_killed_instance(home, tell)
        instance = Instance(settings, Supervisor(tell, lambda _marks: None), InstanceNote(own_mark()))
        instance.supervisor.note = instance.remember
        try:
            variables = start_services(settings, instance.supervisor)
            instance.note = replace(instance.note, variables=variables)
            instance.settings = use_variables({**variables, "AUTOLAB_HOME": str(home)})
            take_up_killed_restore(instance.settings.owner_url)
            upgrade_schema(instance.settings.owner_url, instance.settings.application_role)
            yield instance
        finally:
            instance.supervisor.stop()


def clear_killed_instance(home: Path, tell: Callable[[str], None]) -> None:
    """Stop what an instance left that was killed before it could; PostgreSQL clears up after itself at its start."""
    note = read_note(home)
    processes = {} if note is None else note.processes
    left = [mark for name, mark in processes.items() if name != "postgres" and mark.is_alive()]
    if left:
        tell(f"An earlier autolab was killed; stopping the {len(left)} processes it left.")
    if surviving := stop_strangers(left):
        pids = ", ".join(str(mark.pid) for mark in surviving)
        raise ServiceProblem(f"Processes of an earlier autolab cannot be stopped: {pids}. Stop them, then try again.")


def start_services(settings: Settings, supervisor: Supervisor) -> dict[str, str]:
    """Start Postgres and Valkey where no address is given; the variables that lead to them, given or not."""
    database, owner, broker = settings.database_url, settings.migration_database_url, settings.redis_url
    if database is None:
        postgres = Postgres(settings.home, load_passwords(settings.home))
        supervise(supervisor, "postgres", postgres, POSTGRES_STOPPING)
        database, owner = postgres.url(APPLICATION), postgres.url(OWNER)
    if broker is None:
        valkey = Valkey(settings.home, load_passwords(settings.home).broker)
        supervise(supervisor, "valkey", valkey, VALKEY_STOPPING)
        broker = valkey.url()
    variables = {"DATABASE_URL": database, "REDIS_URL": broker}
    return variables if owner is None else {**variables, "MIGRATION_DATABASE_URL": owner}


def supervise(supervisor: Supervisor, name: str, service: Postgres | Valkey, notices: Sequence[Notice]) -> None:
    """Start a service, wait until it answers, and have it watched; it is stopped again if it never answers."""
    part = Part(name, service.spawn, notices, is_service=True, log=str(service.log))
    supervisor.start(part)
    service.settle()


@contextlib.contextmanager
def reach_services(settings: Settings, tell: Callable[[str], None], programs: Sequence[str] = ()) -> Iterator[Settings]:
    """For a command that needs the services: those given, those of a running instance, or own ones for its duration.

    `programs` are started along with own services only. Yields the settings that lead to them.
    """
    if settings.database_url is not None:
        yield settings
    elif (note := running_instance(settings.home)) is not None:
        yield use_variables(note.variables)
    else:
        with open_instance(settings, tell) as instance:
            for name in programs:
                instance.start_program(name)
            ended = threading.Event()
            watcher = threading.Thread(target=instance.supervisor.watch, args=(ended.is_set,), name="supervisor")
            watcher.start()
            try:
                yield instance.settings
            finally:
                ended.set()
                watcher.join()
