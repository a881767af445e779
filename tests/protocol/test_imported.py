"""Documents of published runs: found in a run where its own would stand, and told in a paragraph."""

from dataclasses import replace

from app.domain.protocol.conditions import Condition
from app.domain.protocol.imported import ImportedDecision, ImportedDocument, ImportedReview, ImportedScore
from app.domain.protocol.presets import Briefings, Preset
from app.domain.protocol.rubrics import RubricId, dimensions_of
from tests.engine.plays import whole

DECISION = ImportedDecision(path="e1.md", text="All of it.", company_name="Alder", identity="Alder joins.")
SCORES = tuple(ImportedScore(dimension=name, value=5) for name in dimensions_of(RubricId.RECORD))
REVIEW = ImportedReview(path="", text="", scores=SCORES, outcome="It sold.")


def test_an_imported_era_is_read_in_place_of_a_played_one():
    played = whole(Preset.PILOT, Briefings.MODEL, Condition.FULL).state
    state = replace(played, artifacts={**played.artifacts, "E1/board": DECISION, "E1/review": REVIEW})
    assert (state.imported_decision("E1"), state.imported_decision("E2")) == (DECISION, None)
    assert (state.imported_review("E1"), state.imported_review("E2")) == (REVIEW, None)
    assert (state.decision("E1"), state.review("E1")) == (None, None)


def test_each_kind_is_told_in_a_paragraph():
    assert ImportedDocument(path="memo.md", text="A memo.").summary == "A memo."
    assert DECISION.summary == "Alder: Alder joins."
    assert DECISION.model_copy(update={"identity": ""}).summary == "Alder"
    assert REVIEW.summary == "It sold."
    assert REVIEW.model_copy(update={"outcome": ""}).summary == "Scores as published"
