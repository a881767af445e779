"""Deleting a rehearsal study, as the database's owner: the application may not, and no other study can be."""

from uuid import UUID

import psycopg
from psycopg import sql

from app.embedded.problems import ServiceProblem
from app.embedded.schema import connect

OF_RUNS = (
    "finding_decisions",
    "findings",
    "probe_counts",
    "run_audits",
    "imported_runs",
    "redactions",
    "interventions",
    "artifacts",
    "calls",
    "ledger",
    "steps",
)
"""Every table with rows of a run, each before those it refers to."""

OF_STUDIES = ("imports", "runs")
"""Every further table with rows of a study, likewise."""


def delete_study(owner_url: str, study_id: UUID) -> int:
    """Delete a study with all that happened in it, in one transaction; gives how many runs and judgings it had.

    Raises ServiceProblem for a study that is no rehearsal, that goes on, or that a panel of raters drew from.
    """
    with connect(owner_url) as connection, connection.transaction():
        _require_rehearsal(connection, study_id)
        _require_end(connection, study_id)
        for table in OF_RUNS:
            _delete(connection, table, sql.SQL("run_id IN (SELECT id FROM runs WHERE study_id = %s)"), study_id)
        gone = {table: _delete(connection, table, sql.SQL("study_id = %s"), study_id) for table in OF_STUDIES}
        _delete(connection, "studies", sql.SQL("id = %s"), study_id)
    return gone["runs"]


def _require_rehearsal(connection: psycopg.Connection, study_id: UUID) -> None:
    found = connection.execute("SELECT rehearsal FROM studies WHERE id = %s FOR UPDATE", (study_id,)).fetchone()
    if found is None:
        raise ServiceProblem(f"There is no study {study_id}.")
    if not found[0]:
        raise ServiceProblem("Only rehearsal studies can be deleted: this one is kept for ever. Nothing was changed.")


def _require_end(connection: psycopg.Connection, study_id: UUID) -> None:
    open_runs = "SELECT count(*) FROM runs WHERE study_id = %s AND state NOT IN ('finished', 'cancelled')"
    at_work = "SELECT count(*) FROM steps JOIN runs ON runs.id = run_id WHERE study_id = %s AND steps.state = 'claimed'"
    if any(_count(connection, query, study_id) for query in (open_runs, at_work)):
        raise ServiceProblem("The study goes on. Cancel its runs or wait for their end. Nothing was changed.")
    panels = "SELECT count(*) FROM panels WHERE design->'source_ids' ? %s"
    if _count(connection, panels, str(study_id)):
        raise ServiceProblem(
            "A panel of raters drew from this study: it is kept with the ratings. Nothing was changed."
        )


def _count(connection: psycopg.Connection, query: str, study_id: UUID | str) -> int:
    found = connection.execute(query.encode(), (study_id,)).fetchone()
    return int(found[0]) if found else 0


def _delete(connection: psycopg.Connection, table: str, where: sql.SQL, study_id: UUID) -> int:
    statement = sql.SQL("DELETE FROM {} WHERE {}").format(sql.Identifier(table), where)
    return connection.execute(statement, (study_id,)).rowcount
