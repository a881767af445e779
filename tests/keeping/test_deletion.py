"""Only rehearsal studies can be deleted, whole, and not by the application."""

from uuid import UUID, uuid4

import psycopg
import pytest
from sqlmodel import SQLModel

from app.cli.main import main
from app.domain.protocol.conditions import Condition
from app.embedded.deletion import OF_RUNS, OF_STUDIES, delete_study
from app.embedded.problems import ServiceProblem
from app.services.interventions import Wish, cancel_run
from app.services.redactions import redact_artifact
from app.services.unit_of_work import unit_of_work
from app.settings import get_settings
from tests.services.stage import Stage

pytestmark = pytest.mark.services

ALONE = {"conditions": (Condition.SINGLE_PROMPT,)}


def rows(owner: psycopg.Connection) -> dict[str, int]:
    tables = (*OF_RUNS, *OF_STUDIES, "studies")
    return {table: owner.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}


def study_of(stage: Stage, run: UUID) -> UUID:
    return stage.run(run).study_id


def test_every_table_with_rows_of_a_run_or_study_is_emptied():
    tables = SQLModel.metadata.tables
    assert {name for name, table in tables.items() if "run_id" in table.c} == set(OF_RUNS)
    assert {name for name, table in tables.items() if "study_id" in table.c} - set(OF_RUNS) == set(OF_STUDIES)


def test_a_rehearsal_study_is_deleted_whole_and_its_neighbour_stays(
    stage: Stage, owner_database_url: str, owner: psycopg.Connection
):
    kept = stage.launch(**ALONE)
    stage.play(kept)
    before = rows(owner)
    run = stage.launch(**ALONE)
    with pytest.raises(ServiceProblem, match="The study goes on"):
        delete_study(owner_database_url, study_of(stage, run))
    stage.play(run)
    with unit_of_work() as work:
        redact_artifact(work, stage.step(run, "E1/decision").id, Wish(stage.user(), "It names a person."))
    assert delete_study(owner_database_url, study_of(stage, run)) == 1
    assert rows(owner) == before
    stage.check_books(kept)
    with pytest.raises(ServiceProblem, match="There is no study"):
        delete_study(owner_database_url, uuid4())


def test_a_study_that_is_no_rehearsal_is_kept_for_ever(
    stage: Stage, owner_database_url: str, owner: psycopg.Connection
):
    run = stage.launch(**ALONE)
    stage.play(run)
    owner.execute("UPDATE studies SET rehearsal = false")
    before = rows(owner)
    with pytest.raises(ServiceProblem, match="Only rehearsal studies can be deleted"):
        delete_study(owner_database_url, study_of(stage, run))
    assert rows(owner) == before


def test_a_study_that_raters_scored_is_kept(stage: Stage, owner_database_url: str, owner: psycopg.Connection):
    run = stage.launch(**ALONE)
    stage.play(run)
    design = '{"source_ids": ["' + str(study_of(stage, run)) + '"]}'
    owner.execute(
        "INSERT INTO panels (id, name, state, design, made_at) VALUES (%s, 'P', 'draft', %s, now())", (uuid4(), design)
    )
    with pytest.raises(ServiceProblem, match="A panel of raters drew from this study"):
        delete_study(owner_database_url, study_of(stage, run))


def test_the_command_asks_first(
    stage: Stage, owner_database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("MIGRATION_DATABASE_URL", owner_database_url)
    get_settings.cache_clear()
    run = stage.launch(**ALONE)
    with unit_of_work() as work:
        cancel_run(work, run, Wish(stage.user(), "It was a rehearsal."))
    study = str(study_of(stage, run))
    monkeypatch.setattr("typer.confirm", lambda words, **_: (_ for _ in ()).throw(ServiceProblem(words)))
    assert main(["delete", study]) == 1
    assert "for ever?" in capsys.readouterr().err
    assert main(["delete", study, "--yes"]) == 0
    assert "1 run, with documents, calls and ledgers" in capsys.readouterr().out
    assert main(["delete", study, "--yes"]) == 1
    assert "There is no study" in capsys.readouterr().err
