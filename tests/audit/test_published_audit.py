"""The audit on the published Run 001, imported as a person imports it: no unambiguous word of later years."""

import pytest
from sqlalchemy import text

from app.domain.audit.findings import FindingFilter, Shown
from app.services.audits import audit_run
from app.services.probes import probe_versions
from app.services.unit_of_work import reading
from tests.imports_published.records import published
from tests.imports_published.test_importing import confirm, upload
from tests.web.conftest import Browser, operator, services, stranger

__all__ = ["operator", "services", "stranger"]
CLEAN = {"E1", "E2", "E3", "E6"}


@pytest.mark.shared
@pytest.mark.services
def test_published_run_001_has_no_unambiguous_late_word_in_four_eras(operator: Browser):
    study = confirm(operator, upload(operator, published("runs/run-001"), "run-001.zip"))
    with reading() as look:
        run = look.runs.of_study(study)[0].id
    assert audit_run(run) > 0
    versions = tuple(probe_versions().items())
    with reading() as look:
        hits = look.findings.listed(study, versions, FindingFilter(Shown.HIT, "vocabulary"), limit=500)
        sums = look.findings.sums(study, versions)
        kinds = set(look.session.execute(text("select distinct state from findings")).scalars())
    assert {one.era for one in sums if one.probe == "vocabulary"} >= CLEAN
    assert [one for one in hits if one.era in CLEAN] == []
    assert "review" in kinds
    html = operator.get(f"/studies/{study}/audit").text
    assert "Vocabulary probe" in html
    assert operator.get(f"/runs/{run}/eras/E1").status_code == 200
