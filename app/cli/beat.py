"""`beat`: the clock of the upkeep, on services that are given or that `up` has started here."""

from app.cli.programs import become


def beat_command() -> None:
    """Run the clock of the upkeep (one is enough); DATABASE_URL and REDIS_URL say where its services are."""
    become("beat")
