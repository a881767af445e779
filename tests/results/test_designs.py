"""The analysis is part of the frozen design, and the launch page says what the design can find."""

from collections.abc import Callable

import pytest

from app.domain.ids import StudyId
from app.domain.protocol.analysis import AnalysisPlan, Hypothesis, Incomplete, Treatment
from app.domain.protocol.conditions import Condition
from app.domain.study import StudyDesign, design_hash
from app.library.reader import file_hashes
from app.services.designs import detectable_lines
from app.services.errors import RefusedError
from app.services.studies import launch_study, read_study_file, study_file
from app.services.study_forms import StudyForm, weigh
from app.services.unit_of_work import reading, unit_of_work
from tests.web.conftest import Browser, design

FILLED = StudyForm(
    name="Trial",
    schedules=("history-short",),
    conditions=(Condition.FULL, Condition.NO_PLAYBOOK),
    repetitions=5,
    players=("rehearsal/steady", "rehearsal/bold"),
    judge="rehearsal/strict",
    author="rehearsal/author",
)


def lines(**changes: object):
    return {line.hypothesis: line for line in detectable_lines(design(**changes))}


def test_every_part_of_the_analysis_changes_the_hash():
    plain = design()
    plans = [
        AnalysisPlan(hypotheses=(Hypothesis.H1,)),
        AnalysisPlan(leakage_margin=0.5),
        AnalysisPlan(gap_margin=1.0),
        AnalysisPlan(interventions=Treatment.LEAVE_OUT),
        AnalysisPlan(incomplete=Incomplete.KEEP),
        AnalysisPlan(seed=2),
        AnalysisPlan(resamples=9_999),
        AnalysisPlan(alpha=0.01),
    ]
    hashes = {design_hash(plain.model_copy(update={"analysis": plan})) for plan in plans}
    assert len(hashes | {design_hash(plain)}) == len(plans) + 1


def test_the_form_fills_the_plan_and_shows_what_can_be_found():
    weighed = weigh(FILLED.model_copy(update={"leakage_margin": 0.7, "analysis_seed": 9, "seed": 3}))
    assert weighed.design is not None
    assert (weighed.design.analysis.leakage_margin, weighed.design.analysis.seed, weighed.design.seed) == (0.7, 9, 3)
    found = {line.hypothesis: line for line in weighed.detectable}
    assert found["H1"].alone.endswith("points an era")
    assert "“single prompt” is not chosen" in found["H2"].note
    assert "no schedule has a fictional era" in found["H3"].note


def test_a_design_without_hypotheses_names_the_field():
    weighed = weigh(FILLED.model_copy(update={"hypotheses": ()}))
    assert weighed.design is None
    assert "hypotheses" in weighed.problems
    assert weighed.detectable == ()


def test_one_run_can_find_nothing_and_the_reason_is_said():
    found = lines()
    assert found["H4"].alone == "–"
    assert "above 0.05" in found["H4"].note
    assert "H2" not in lines(analysis=AnalysisPlan(hypotheses=(Hypothesis.H1,)))


@pytest.mark.services
def test_launching_hashes_the_library_with_the_design(launch: Callable[..., StudyId]):
    study_id = launch()
    with reading() as look:
        study = look.studies.get(study_id)
    assert study.design.library == dict(file_hashes())
    assert design_hash(study.design) == study.design_hash
    assert read_study_file(study_file(study.design)) == study.design


@pytest.mark.services
def test_a_design_fixed_with_other_words_is_refused(services: None):
    changed = {**file_hashes(), "layers.toml": "0" * 64}
    old: StudyDesign = design().model_copy(update={"library": changed})
    with unit_of_work() as work, pytest.raises(RefusedError, match=r"layers\.toml"):
        launch_study(work, old, None)


@pytest.mark.services
def test_the_launch_page_offers_the_analysis(operator: Browser):
    shown = operator.get("/studies/new?from=rehearsal").text
    for words in ("Analysis, fixed at launch", "H3: margin", "Smallest effects it can find", "Left out"):
        assert words in shown
