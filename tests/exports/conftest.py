"""A finished study to export, and an empty instance beside it to import into."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from app.embedded.postgres import Postgres
from app.embedded.roles import APPLICATION
from app.services.archives import stream_archive
from app.settings import get_settings
from app.storage.session import engine_of
from tests.databases import Databases
from tests.services.stage import Stage, clear_caches, database_url_in_use, stage

__all__ = ["database_url_in_use", "stage"]

Played = Callable[..., UUID]
Elsewhere = Callable[[], contextlib.AbstractContextManager[None]]


@pytest.fixture
def played(stage: Stage) -> Callable[..., UUID]:
    """A study played to its end; gives its id."""

    def play(**changes: Any) -> UUID:
        run = stage.launch(**changes)
        stage.play(run)
        return stage.run(run).study_id

    return play


_KEPT: dict[str, bytes] = {}


@pytest.fixture
def archive(stage: Stage, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The archive of a finished study of one run, which was played once; this test's own instance may not hold it."""
    if not _KEPT:
        study = request.getfixturevalue("played")()
        _KEPT["study"] = write(study, tmp_path / "made.zip").read_bytes()
    path = tmp_path / "study.zip"
    path.write_bytes(_KEPT["study"])
    return path


def write(study: UUID, path: Path) -> Path:
    with path.open("wb") as out:
        for piece in stream_archive(study):
            out.write(piece)
    return path


@pytest.fixture
def elsewhere(
    postgres: Postgres, databases: Databases, database_url_in_use: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], contextlib.AbstractContextManager[None]]]:
    """A second, empty database, which the application works on inside the block."""
    name = databases.lend()

    @contextlib.contextmanager
    def moved() -> Iterator[None]:
        with monkeypatch.context() as changed:
            changed.setenv("DATABASE_URL", postgres.url(APPLICATION, name))
            clear_caches()
            try:
                yield
            finally:
                engine_of(get_settings().needed_database_url()).dispose()
        clear_caches()

    yield moved
    databases.give_back(name)
