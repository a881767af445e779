"""`worker`: one worker, on services that are given or that `up` has started here."""

from app.cli.programs import become


def worker_command() -> None:
    """Run one worker; DATABASE_URL and REDIS_URL say where its services are."""
    become("worker")
