"""Alembic's way to the database: the address and the application's role come from the caller."""

from alembic import context
from sqlalchemy import create_engine, pool
from sqlmodel import SQLModel

from app.storage import finding_tables, import_tables, rating_tables, tables  # noqa: F401 - registers the tables

config = context.config


def run() -> None:
    engine = create_engine(config.get_main_option("sqlalchemy.url") or "", poolclass=pool.NullPool)
    with engine.connect() as connection:
        context.configure(connection=connection, target_metadata=SQLModel.metadata, compare_type=True)
        with context.begin_transaction():
            context.execute("SELECT pg_advisory_xact_lock(190001)")
            context.run_migrations()
        connection.commit()
    engine.dispose()


run()
