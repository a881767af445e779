"""What the application's role may do in the database, and what it may never do."""

from typing import LiteralString
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import InternalError, ProgrammingError

from app.domain.engine.ledger import first_misfit
from app.domain.protocol.conditions import Condition
from app.embedded.schema import plain_url
from app.services import interventions
from app.services.interventions import Wish
from app.services.unit_of_work import reading, unit_of_work
from tests.services.stage import Stage

pytestmark = pytest.mark.services


@pytest.fixture
def run(stage: Stage) -> UUID:
    """A run with a ledger and an intervention."""
    run = stage.launch(conditions=(Condition.SINGLE_PROMPT,))
    stage.play(run)
    other = stage.launch(conditions=(Condition.SINGLE_PROMPT,))
    with unit_of_work() as work:
        interventions.pause_run(work, other, Wish(stage.user(), "lunch"))
    return run


@pytest.mark.parametrize("table", ["ledger", "interventions"])
@pytest.mark.parametrize("deed", ["UPDATE {} SET kind = 'x'", "DELETE FROM {}", "TRUNCATE {}", "DROP TABLE {}"])
def test_ledger_and_interventions_cannot_be_changed(stage: Stage, run: UUID, table: str, deed: str):
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"), unit_of_work() as work:
        work.session.execute(text(deed.format(table)))
    stage.check_books(run)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE ledger SET body = body || '{\"more\": 1}' WHERE seq = 3 AND run_id = %s", "event 3 "),
        ("UPDATE ledger SET at = at + interval '1 microsecond' WHERE seq = 3 AND run_id = %s", "event 3 "),
        ("UPDATE ledger SET kind = 'call_sent' WHERE seq = 1 AND run_id = %s", "event 1 "),
        ("DELETE FROM ledger WHERE seq = 3 AND run_id = %s", "event 3 is missing"),
        ("DELETE FROM ledger WHERE kind = 'run_finished' AND run_id = %s", "is missing: the chain ends"),
    ],
)
def test_what_the_owner_changes_behind_the_back_is_found(
    run: UUID, owner_database_url: str, change: LiteralString, problem: str
):
    with psycopg.connect(plain_url(owner_database_url)) as connection:
        connection.execute(change, [run])
    with reading() as look:
        found = first_misfit(look.ledgers.of_run(run), look.runs.get(run).ledger_head)
    assert problem in (found or "")


def test_a_look_cannot_write(stage: Stage, run: UUID):
    with pytest.raises(InternalError, match="read-only transaction"), reading() as look:
        look.session.execute(text("UPDATE runs SET name = 'x'"))
