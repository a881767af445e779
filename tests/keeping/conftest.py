"""The application on the test's own services, and the owner's hand behind its back."""

from collections.abc import Iterator

import psycopg
import pytest

from app.embedded.schema import plain_url
from tests.services.stage import Stage, database_url_in_use, scripted, stage

__all__ = ["database_url_in_use", "scripted", "stage"]


@pytest.fixture
def owner(owner_database_url: str, stage: Stage) -> Iterator[psycopg.Connection]:
    """The owner of the tables, who can do what the application cannot."""
    with psycopg.connect(plain_url(owner_database_url), autocommit=True) as connection:
        yield connection
