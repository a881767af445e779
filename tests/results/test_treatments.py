"""What results leave out, and the sentences that say so."""

from uuid import uuid4

import pytest

from app.domain.engine.interventions import InterventionKind
from app.domain.protocol.analysis import Treatment
from app.domain.scoring.run_values import JudgedRun
from app.services.judged_runs import StudiedRun, touched_eras
from app.services.scales import Scale
from app.services.treatments import Touched, touched_by, treated, treatment_words
from app.storage.judgements import ReadAgain
from tests.scoring.eras import auditor_era, record_era

KEEP, LEAVE_OUT = Treatment.KEEP, Treatment.LEAVE_OUT
BY_HAND = ("E2", InterventionKind.WRITE_BY_HAND)
EXPOSED = (None, InterventionKind.ANNOTATE_EXPOSURE)
Mark = tuple[str | None, InterventionKind]


def run(label: str, *marks: Mark) -> StudiedRun:
    touched = touched_eras(marks)
    eras = (*(record_era(index=k, intervened=f"E{k}" in touched) for k in (1, 2, 3)), auditor_era())
    judged = JudgedRun(label, "full", 1, "m1", eras, intervened=EXPOSED in marks)
    readings = {one.era: ReadAgain(uuid4(), one.era, ("vindicated",), ()) for one in eras}
    return StudiedRun(None, label, judged, complete=True, decided={}, readings=readings, marks=frozenset(marks))


def test_what_nobody_changed_stays_and_nothing_is_said():
    runs = (run("r01"), run("r02", ("E2", InterventionKind.RAISE_BUDGET)))
    assert treated(runs, LEAVE_OUT) == runs
    assert not touched_by(runs, Scale.TRAINING)
    assert treatment_words(touched_by(runs, Scale.TRAINING), LEAVE_OUT) == ""


def test_an_era_is_left_out_with_its_readings_and_a_run_as_a_whole():
    runs = (run("r01", BY_HAND), run("r02", BY_HAND, EXPOSED), run("r03"))
    assert treated(runs, KEEP) == runs
    one, other = treated(runs, LEAVE_OUT)
    assert [era.era for era in one.judged.eras] == ["E1", "E3", "E7"]
    assert len(one.verdicts) == 3
    assert other is not one
    assert other.label == "r03"
    assert touched_by(runs, Scale.TRAINING) == Touched(("r02",), ("r01 E2",))
    assert touched_by(runs, Scale.AUDITOR) == Touched(("r02",), ())
    assert touched_by(runs, Scale.FICTIONAL) == Touched()


@pytest.mark.parametrize(
    ("touched", "kept", "left"),
    [
        (Touched((), ("r01 E2",)), "With interventions: 1 era (r01 E2) carries one.", "1 era (r01 E2) left out."),
        (Touched(("r02",)), "With interventions: 1 whole run (r02) carries one.", "1 whole run (r02) left out."),
        (
            Touched(("r02",), tuple(f"r01 E{k}" for k in range(1, 6))),
            "With interventions: 1 whole run (r02) and 5 eras carry one.",
            "1 whole run (r02) and 5 eras left out.",
        ),
    ],
)
def test_what_is_few_is_named(touched: Touched, kept: str, left: str):
    assert treatment_words(touched, KEEP) == kept
    assert treatment_words(touched, LEAVE_OUT) == f"Without interventions: {left}"
