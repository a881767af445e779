"""`migrate`: bring the schema of a given database up to date; `up` does it by itself."""

from app.embedded.dumps import take_up_killed_restore
from app.embedded.schema import schema_state, upgrade_schema
from app.settings import get_settings


def migrate_command() -> None:
    """Migrate the database at MIGRATION_DATABASE_URL (or DATABASE_URL), as its owner."""
    settings = get_settings()
    take_up_killed_restore(settings.owner_url)
    before = schema_state(settings.owner_url)
    upgrade_schema(settings.owner_url, settings.application_role)
    print(f"The schema was {before} and is {schema_state(settings.owner_url)}.")
