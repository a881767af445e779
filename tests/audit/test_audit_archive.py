"""An archive carries the audit with it: counts, passages and what people decided, to the same page elsewhere."""

from pathlib import Path
from uuid import UUID

import pytest

from app.domain.audit import dates
from app.domain.audit.findings import FindingFilter
from app.services.archives import import_archive
from app.services.audit_pages import show_audit
from app.services.audits import audit_owed, audit_run, decide_finding
from app.services.exports import Level, level_rows
from app.services.probes import probe_versions
from app.services.unit_of_work import Reading, reading, unit_of_work
from tests.exports.conftest import Elsewhere, Played, database_url_in_use, elsewhere, played, stage, write
from tests.services.stage import Stage

__all__ = ["database_url_in_use", "elsewhere", "played", "stage"]
pytestmark = pytest.mark.services


@pytest.fixture
def every_plan_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rehearsal's plans leave no passage open: here each of their dates does."""
    monkeypatch.setattr(dates, "tells_past", lambda *_, **__: True)


@pytest.mark.usefixtures("every_plan_waits")
def test_an_archive_brings_findings_and_decisions(stage: Stage, played: Played, elsewhere: Elsewhere, tmp_path: Path):
    study = played()
    with reading() as look:
        run = look.runs.of_study(study)[0].id
    audit_run(run)
    with reading() as look:
        waiting = look.findings.listed(study, tuple(probe_versions().items()), FindingFilter(), limit=1)
    author = stage.user()
    with unit_of_work() as work:
        for one in waiting:
            decide_finding(work, one.finding.id, author, is_hit=True, reason="nobody could know")
    with reading() as look:
        here, rows = show_audit(look, study), exported(look, study)
    path = write(study, tmp_path / "study.zip")
    with elsewhere():
        with unit_of_work() as work:
            import_archive(work, path)
        with reading() as look:
            there = show_audit(look, study)
            assert exported(look, study) == rows
        assert audit_owed() == 0
    assert (there.tables, there.selections, there.decided) == (here.tables, here.selections, here.decided)
    probes, findings = rows
    assert {row["probe"] for row in probes} == {"vocabulary", "dates", "entities", "selection"}
    assert sum(row["by_people"] for row in probes) == len(waiting) == 1
    assert all(row["rate"] == 1000 * row["hits"] / row["words"] for row in probes if row["words"])
    assert all(row["numbers"]["used"] for row in probes if row["probe"] == "selection")
    [decided] = [row for row in findings if row["decided"]]
    assert (decided["decided"], decided["reason"], decided["state"]) == ("hit", "nobody could know", "review")
    assert [one["is_hit"] for one in decided["decisions"]] == [True]
    assert all(row["ends_at"] - row["starts_at"] == len(row["quote"]) for row in findings)


def exported(look: Reading, study: UUID) -> tuple[list[dict], list[dict]]:
    """The levels probes and findings; who decided is another account elsewhere."""
    probes, findings = (
        [dict(row) for row in level_rows(look, look.studies.get(study), level)]
        for level in (Level.PROBES, Level.FINDINGS)
    )
    for row in findings:
        row["decisions"] = [{**one, "person": None} for one in row["decisions"]]
    return probes, findings
