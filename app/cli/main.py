"""The command line: a table of commands, each imported only when it is called."""

import importlib
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType


@dataclass(frozen=True, slots=True)
class Command:
    """Where a command is written (a function, or a group of them) and what it does in one line."""

    module: str
    name: str
    help: str
    passes_on: bool = False


COMMANDS = {
    "up": Command("app.cli.up", "up_command", "Start everything and print the address with a sign-in link."),
    "run": Command("app.cli.run", "run_command", "Run a study file without the browser."),
    "user": Command("app.cli.user", "user_commands", "Add a person, make a sign-in link, or disable an account."),
    "doctor": Command("app.cli.doctor", "doctor_command", "Say what is missing on this machine and how to mend it."),
    "test": Command("app.cli.test", "test_command", "Check style and types and run every test.", passes_on=True),
    "web": Command("app.cli.web", "web_command", "Run one web server."),
    "worker": Command("app.cli.worker", "worker_command", "Run one worker."),
    "beat": Command("app.cli.beat", "beat_command", "Run the clock of the upkeep; one is enough."),
    "health": Command("app.cli.health", "health_command", "Look once at a part, for a container's health check."),
    "migrate": Command("app.cli.migrate", "migrate_command", "Bring the database's schema up to date."),
    "export": Command("app.cli.export", "export_command", "Write a study's archive, with all that is in it, as a zip."),
    "import": Command("app.cli.import_", "import_command", "Put a study's archive into this instance."),
    "verify": Command("app.cli.verify", "verify_command", "Hold a run's texts, hashes and sums against its ledger."),
    "backup": Command("app.cli.backup", "backup_command", "Write everything into one file, while it runs."),
    "restore": Command("app.cli.restore", "restore_command", "Put a backup into an instance that does not run."),
    "delete": Command("app.cli.delete", "delete_command", "Delete a rehearsal study; no other can be."),
    "score": Command("app.cli.score", "score_command", "Print the measures of a score table."),
    "fake-provider": Command(
        "app.cli.fake_provider", "fake_provider_command", "Serve the providers' APIs locally, with faults by a script."
    ),
    "agreement": Command("app.cli.agreement", "agreement_command", "Print how far raters agree in a ratings table."),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status: 0 done, 1 a problem that has been said, 2 a wrong command line."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] in {"-h", "--help", "help"}:
        print(overview())
        return 0
    command = COMMANDS.get(words[0])
    if command is None:
        print(f"There is no command '{words[0]}'.\n\n{overview()}", file=sys.stderr)
        return 2
    return run(command, words)


def run(command: Command, words: Sequence[str]) -> int:
    """Import what runs commands, and the command: the list of them is printed without either."""
    status: int = importlib.import_module("app.cli.one_command").run_command(
        command.module, command.name, words, passes_on=command.passes_on
    )
    return status


def overview() -> str:
    """The list of commands."""
    width = max(map(len, COMMANDS))
    lines = (f"  {name.ljust(width)}  {command.help}" for name, command in COMMANDS.items())
    return "\n".join(("Usage: ./autolab COMMAND [OPTIONS]", "", *lines, "", "./autolab COMMAND --help says more."))


def end_in_order(signum: int, frame: FrameType | None) -> None:
    """End as an error would, so that what has been started is stopped again."""
    sys.exit(128 + signum)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end_in_order)
    sys.exit(main())
