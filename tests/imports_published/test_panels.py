"""Panels over imported runs: chosen among the studies, with the packets of the texts that came with them."""

from uuid import UUID

import pytest

from app.domain.protocol.rubrics import RubricId
from app.domain.rating.designs import SourceKind
from app.services.frame_items import SourceItem
from app.services.marks import Wish
from app.services.panel_forms import NewPanelForm, first_design
from app.services.panels import create_panel, lock_panel
from app.services.redactions import redact_artifact
from app.services.unit_of_work import unit_of_work
from tests.imports_published.records import TABLE, a_run, published, zipped
from tests.imports_published.test_importing import confirm, upload
from tests.web.conftest import Browser

pytestmark = pytest.mark.services


def frame_of(study: UUID, rubric: RubricId = RubricId.RECORD) -> tuple[SourceItem, ...]:
    form = NewPanelForm(name="Over an import", source=SourceKind.STUDIES, rubric=rubric, studies=(study,))
    with unit_of_work() as work:
        return first_design(work, form, None)[1]


def packets_of(study: UUID) -> dict[str, str]:
    """What raters would read, by era."""
    form = NewPanelForm(name="Over an import", source=SourceKind.STUDIES, rubric=RubricId.RECORD, studies=(study,))
    with unit_of_work() as work:
        design, items = first_design(work, form, None)
        changes = {"items": len(items), "cap": 0, "with_interventions": True}
        made = create_panel(work, design.model_copy(update=changes), items, None)
        lock_panel(work, made)
        return {item.strata["era"]: item.packet.model_dump_json() for item in work.panels.items(made) if item.packet}


def test_an_imported_run_is_rated_from_its_texts_under_its_own_scores(operator: Browser):
    study = confirm(operator, upload(operator, zipped(a_run()), "run-a.zip"))
    items = frame_of(study)
    assert items
    assert all(len(item.judge) == 5 and item.strata["score_band"] for item in items)
    assert {item.strata["era"] for item in items if item.intervened} == {"E1"}
    for text in packets_of(study).values():
        assert "We connect" in text
        for word in ("Harbour", "run-a", "orchestrator", "Pilot"):
            assert word not in text, word


def test_a_decision_that_was_taken_out_is_not_rated(operator: Browser):
    study = confirm(operator, upload(operator, zipped(a_run()), "run-a.zip"))
    before = {item.strata["era"] for item in frame_of(study)}
    with unit_of_work() as work:
        (run,) = work.runs.of_study(study)
        step = next(step for step in work.steps.of_run(run.id) if step.key == "E1/board")
        author = work.users.all()[0].id
        redact_artifact(work, step.id, Wish(author=author, reason="private"))
    assert {item.strata["era"] for item in frame_of(study)} == before - {"E1"}


def test_a_table_of_scores_alone_has_nothing_to_rate(operator: Browser):
    assert frame_of(confirm(operator, upload(operator, TABLE.encode(), "scores.csv"))) == ()


@pytest.mark.shared
def test_run_001_is_masked_the_same_way_when_it_was_imported(operator: Browser):
    found = packets_of(confirm(operator, upload(operator, published("runs/run-001"), "run-001.zip")))
    assert set(found) == {"E1", "E2", "E3", "E6"}
    for word in ("Switchyard", "Manifest", "Ledgerline", "Clearline", "Clearsight", "Clearproof", "orchestrator"):
        assert word not in "".join(found.values()), word
