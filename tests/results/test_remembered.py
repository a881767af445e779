"""What pages remember of a study: only while it stands as it did, whatever of it is changed, and not for ever."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import text

from app.domain.protocol.conditions import Condition
from app.library.reader import schedule
from app.services.boards import show_study
from app.services.marks import Wish
from app.services.redactions import redact_artifact
from app.services.remembered import Remembered
from app.services.results import Choice, show_results
from app.services.unit_of_work import reading, unit_of_work
from app.storage.facts import StudyFacts
from app.storage.judgements import Judgements
from tests.web.conftest import Browser

pytestmark = pytest.mark.services

SMALL = {"schedule": schedule("history-short"), "conditions": (Condition.SINGLE_PROMPT,), "repetitions": 2}


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read of all decisions and all calls, each time by its name."""
    found: list[str] = []
    for kind, name in ((Judgements, "decision_bodies"), (Judgements, "lesson_uses"), (StudyFacts, "calls")):
        read = getattr(kind, name)
        monkeypatch.setattr(kind, name, lambda *given, read=read, name=name: found.append(name) or read(*given))
    return found


def test_a_value_stays_while_the_state_does_and_the_oldest_goes_first():
    made: list[str] = []
    kept: Remembered[str] = Remembered(2)

    def get(key: str, state: int) -> str:
        return kept.get(key, state, lambda: made.append(f"{key}{state}") or made[-1])

    assert [get("a", 1), get("a", 1), get("a", 2), get("b", 1), get("a", 2)] == ["a1", "a1", "a2", "b1", "a2"]
    assert made == ["a1", "a2", "b1"]
    get("c", 1)
    assert [get("b", 1), get("a", 2)] == ["b1", "a2"]
    assert made == ["a1", "a2", "b1", "c1", "a2"]


def test_nothing_goes_before_there_are_too_many():
    kept: Remembered[int] = Remembered(64)
    for _ in range(2):
        assert [kept.get(key, 1, lambda key=key: key) for key in range(64)] == list(range(64))
    assert all(kept.get(key, 1, lambda: -1) == key for key in range(64))


def test_results_read_every_decision_once_and_again_when_one_is_changed(
    operator: Browser, launch: Callable[..., UUID], perform: Callable[..., int], looks: list[str]
):
    study = launch(**SMALL)
    perform()

    def shown() -> tuple:
        with reading() as look:
            view = show_results(look, study, Choice())
            return view.similarity, view.playbooks

    first = shown()
    assert looks.count("decision_bodies") == looks.count("lesson_uses") == 1
    assert shown() == first
    assert looks.count("decision_bodies") == looks.count("lesson_uses") == 1
    with unit_of_work() as work:
        run = work.runs.of_study(study)[0].id
        step = next(one for one in work.steps.of_run(run) if one.key == "E1/decision")
        redact_artifact(work, step.id, Wish(work.users.all()[0].id, "It names a person."))
    assert shown() != first
    assert looks.count("decision_bodies") == looks.count("lesson_uses") == 2


def test_deviations_are_counted_anew_for_what_changes_them_and_not_for_every_step(
    operator: Browser, launch: Callable[..., UUID], perform: Callable[..., int], looks: list[str]
):
    study = launch(**SMALL)
    with reading() as look:
        began = look.now.replace(second=0, microsecond=0)

    def counted(seconds: int = 0) -> int:
        with reading() as look:
            look.now = began + timedelta(seconds=seconds)
            return show_study(look, study).deviations

    assert [counted(), perform(2), counted(20), perform(2), counted(40)] == [0, 2, 0, 2, 0]
    assert looks.count("calls") == 1
    assert counted(80) == 0
    assert looks.count("calls") == 2
    with reading() as look:
        run = look.runs.of_study(study)[0].id
    operator.post(f"/runs/{run}/cancel", {"reason": "one too many"})
    assert counted(80) == 1
    perform()
    assert counted(200) == counted(300) == 1
    assert looks.count("calls") == 4
    with unit_of_work() as work:
        work.session.execute(text("update studies set design = jsonb_set(design, '{name}', '\"Another\"')"))
    assert counted(300) == 2
