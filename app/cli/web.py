"""`web`: one web server, on services that are given or that `up` has started here."""

from app.cli.programs import become


def web_command() -> None:
    """Run one web server; DATABASE_URL and REDIS_URL say where its services are."""
    become("web")
