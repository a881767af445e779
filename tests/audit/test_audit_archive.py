"""An archive carries the audit with it: counts, passages and what people decided, to the same page elsewhere."""

from pathlib import Path

import pytest

from app.services.archives import import_archive
from app.services.audit_pages import show_audit
from app.services.audits import audit_owed, audit_run, decide_finding
from app.services.probes import probe_versions
from app.services.unit_of_work import reading, unit_of_work
from tests.exports.conftest import Elsewhere, Played, database_url_in_use, elsewhere, played, stage, write
from tests.services.stage import Stage

__all__ = ["database_url_in_use", "elsewhere", "played", "stage"]
pytestmark = pytest.mark.services


def test_an_archive_brings_findings_and_decisions(stage: Stage, played: Played, elsewhere: Elsewhere, tmp_path: Path):
    study = played()
    with reading() as look:
        run = look.runs.of_study(study)[0].id
    audit_run(run)
    with reading() as look:
        waiting = look.findings.listed(study, tuple(probe_versions().items()), shown="waiting", limit=1)
    author = stage.user()
    with unit_of_work() as work:
        for one in waiting:
            decide_finding(work, one.finding.id, author, is_hit=True, reason="nobody could know")
    with reading() as look:
        here = show_audit(look, study)
    path = write(study, tmp_path / "study.zip")
    with elsewhere():
        with unit_of_work() as work:
            import_archive(work, path)
        with reading() as look:
            there = show_audit(look, study)
        assert audit_owed() == 0
    assert (there.tables, there.selections, there.decided) == (here.tables, here.selections, here.decided)
