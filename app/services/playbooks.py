"""Lessons and dissents of a run as rows, from its documents, one run in memory at a time."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from app.domain.engine.state import RunState
from app.domain.protocol.playbook import Playbook
from app.domain.study import StudyDesign, plan_runs
from app.services.unit_of_work import Reading
from app.storage.runs import RunRecord


def read_run(look: Reading, design: StudyDesign, run: RunRecord) -> RunState:
    """A run as its documents tell it, kept nowhere else: exports pass through many."""
    return RunState(design=design, run=plan_runs(design)[run.number - 1], artifacts=look.artifacts.missing(run.id, ()))


def final_playbook(state: RunState) -> Playbook:
    """The Playbook after the last judged era."""
    playbook = Playbook()
    for era in state.schedule.eras:
        review = state.review(era.id)
        playbook = playbook.with_lessons(era.id, review.lessons) if review else playbook
    return playbook


def uses_of_lessons(state: RunState) -> Counter[tuple[str, str]]:
    """How often memos and decisions took each stance to each lesson, by lesson and stance."""
    counted: Counter[tuple[str, str]] = Counter()
    for era in state.schedule.eras:
        decision = state.decision(era.id)
        for document in (*state.memos(era.id), *((decision,) if decision else ())):
            counted.update((use.lesson, str(use.stance)) for use in document.lessons)
    return counted


def run_lessons(look: Reading, design: StudyDesign, run: RunRecord) -> Iterator[dict[str, Any]]:
    """Every lesson of a run in order of writing, with how often it was used."""
    state = read_run(look, design, run)
    uses = uses_of_lessons(state)
    for lesson in final_playbook(state).lessons:
        counted = {"cited": uses[lesson.id, "cites"], "disputed": uses[lesson.id, "disputes"]}
        yield {**lesson.model_dump(mode="json"), "lesson": lesson.id, "active": lesson.is_active, **counted}


def run_dissents(look: Reading, design: StudyDesign, run: RunRecord) -> Iterator[dict[str, Any]]:
    """Every dissent of a run with its verdict, where there is one."""
    state = read_run(look, design, run)
    for era in state.schedule.eras:
        decision, reading = state.decision(era.id), state.reading(era.id)
        verdicts = {one.dissent: one for one in reading.verdicts} if reading else {}
        for dissent in decision.dissents if decision else ():
            verdict = verdicts.get(dissent.id)
            told = {"verdict": verdict.verdict, "reason": verdict.reason} if verdict else {}
            yield {"era": era.id, "dissent": dissent.id, "who": dissent.who, "why": dissent.why, **told}
