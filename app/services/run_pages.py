"""A run's page: the row of eras, the board of the open one, theses, company and Playbook as they were then."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.state import RunState
from app.domain.protocol.artifacts import Decision, Memo, ThesisChain
from app.domain.protocol.company import CompanyState
from app.domain.protocol.eras import Era, Schedule
from app.domain.protocol.playbook import Lesson
from app.services.boards import level_of
from app.services.interventions_list import author_names
from app.services.live_searches import could_not_search
from app.services.pace import seconds_left
from app.services.run_states import run_state
from app.services.seats import Column, Scene, Seat, board
from app.services.unit_of_work import Reading
from app.services.worlds import library, library_of
from app.storage.interventions import Intervention
from app.storage.runs import RunRecord
from app.storage.steps import StepRecord
from app.storage.studies import Study


@dataclass(frozen=True, slots=True)
class EraCard:
    """One era in the row: what the company became, its total, and what happens now."""

    era: Era
    company: str | None
    total: int | None
    level: int
    state: str
    words: str


@dataclass(frozen=True, slots=True)
class NamedThesis:
    """A thesis chain with who holds it; ``layer`` is the name of the layer it would own."""

    title: str
    chain: ThesisChain
    layer: str


@dataclass(frozen=True, slots=True)
class CountedLesson:
    """A lesson with how often documents up to this era cited or disputed it."""

    lesson: Lesson
    cited: int
    disputed: int


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything a run's page says; ``follows`` is True while no era was chosen, so the page goes along."""

    run: RunRecord
    study: Study
    cards: tuple[EraCard, ...]
    open: Era
    follows: bool
    columns: tuple[Column, ...]
    theses: tuple[NamedThesis, ...]
    company: CompanyState
    lessons: tuple[CountedLesson, ...]
    ended_lessons: int
    interventions: tuple[tuple[Intervention, str], ...]
    seconds_left: float | None
    unsearched: tuple[str, ...]


def show_run(reading: Reading, run_id: UUID, *, era_id: str = "") -> RunView:
    """The run with the board of an era, the one at work where none is asked for. Raises NotFoundError."""
    run = reading.runs.get(run_id)
    study = reading.studies.get(run.study_id)
    state = run_state(reading, run.id, run.study_id, run.number, run.steps_done)
    steps = {step.key: step for step in reading.steps.of_run(run.id)}
    made = reading.interventions.of_run(run.id) if run.interventions else ()
    by_hand = frozenset(
        one.step_id for one in made if one.kind is InterventionKind.WRITE_BY_HAND and one.step_id is not None
    )
    calls = reading.overviews.calls_in_flight(run.id) if run.state in {"running", "paused"} else {}
    scene = Scene(state, run.state, steps, calls, by_hand, reading.now)
    eras = state.schedule.eras
    known = {era.id for era in eras}
    opened = state.schedule.era(era_id if era_id in known else _current(eras, steps.values()))
    playbook = state.playbook(opened.id)
    uses = _uses(state, eras[: state.schedule.position(opened.id) + 1])
    names = author_names(reading) if made else {}
    return RunView(
        run=run,
        study=study,
        cards=tuple(_card(scene, era) for era in eras),
        open=opened,
        follows=era_id not in known,
        columns=board(scene, opened.id),
        theses=theses(state, opened.id),
        company=state.company(opened.id),
        lessons=tuple(
            CountedLesson(lesson, uses[lesson.id, "cites"], uses[lesson.id, "disputes"])
            for lesson in reversed(playbook.active)
        ),
        ended_lessons=len(playbook.lessons) - len(playbook.active),
        interventions=tuple((one, names.get(one.author_id, "unknown")) for one in made),
        seconds_left=seconds_left(run.started_at, reading.now, run.steps_done, run.steps_owed),
        unsearched=tuple(era.id for era in eras if could_not_search(reading, run.id, era)),
    )


def theses(state: RunState, era_id: str) -> tuple[NamedThesis, ...]:
    """The theses on an era's table, then the one that was decided."""
    titles = library().roster.titles
    found = [
        NamedThesis(
            f"{titles[memo.department]}, {place}: {thesis.title}",
            thesis.chain,
            layer_name(thesis.chain.layer, state.schedule),
        )
        for memo in state.memos(era_id)
        for place, thesis in zip(("first", "second"), memo.theses, strict=True)
    ]
    decision = state.decision(era_id)
    if decision:
        title = f"Decided: {decision.company_name}"
        found.append(NamedThesis(title, decision.chain, layer_name(decision.chain.layer, state.schedule)))
    return tuple(found)


def layer_name(layer_id: str, schedule: Schedule) -> str:
    """The name of a layer in a schedule's world, or its id where its list has no such layer."""
    graph = library_of(schedule).layers
    return graph.layer(layer_id).name if layer_id in graph.ids else layer_id


def _current(eras: Sequence[Era], steps: Iterable[StepRecord]) -> str:
    begun = {step.era for step in steps}
    return next((era.id for era in reversed(eras) if era.id in begun), eras[0].id)


def _card(scene: Scene, era: Era) -> EraCard:
    decision = scene.state.decision(era.id) or scene.state.imported_decision(era.id)
    review = scene.state.review(era.id) or scene.state.imported_review(era.id)
    total = 2 * sum(score.value for score in review.scores) if review else None
    seats = [seat for column in board(scene, era.id) for seat in column.seats]
    state, words = _standing(seats)
    if state == "busy" and scene.run_state == "finished":  # an imported era has the documents that were published
        state, words = "done", "as published"
    return EraCard(
        era=era,
        company=decision.company_name if decision else None,
        total=total,
        level=level_of(total) if total is not None else 0,
        state=state,
        words=words,
    )


def _standing(seats: Sequence[Seat]) -> tuple[str, str]:
    states = {seat.state for seat in seats}
    at_work = [seat.title for seat in seats if seat.state == "busy"]
    if "ask" in states:
        return "ask", "needs an operator"
    if at_work:
        return "busy", at_work[0] if len(at_work) == 1 else f"{len(at_work)} seats"
    if states <= {"done", "hand"}:
        return ("hand", "by hand") if "hand" in states else ("done", "done")
    return ("wait", "waiting") if states <= {"wait"} else ("busy", "at work")


def _uses(state: RunState, eras: Sequence[Era]) -> Counter[tuple[str, str]]:
    counted: Counter[tuple[str, str]] = Counter()
    documents: list[Memo | Decision] = []
    for era in eras:
        documents.extend(state.memos(era.id))
        decision = state.decision(era.id)
        documents.extend([decision] if decision else [])
    for document in documents:
        counted.update((use.lesson, str(use.stance)) for use in document.lessons)
    return counted
