"""What each step is given, made from the run's state and the library: the only maker of step inputs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from app.domain.engine.blinding import blind_company, blind_decision
from app.domain.engine.inputs import KEPT_TEXTS, StepInput, StepKind, Wanted
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep
from app.domain.once import once_each
from app.domain.protocol.artifacts import Review
from app.domain.protocol.eras import Era, Mode
from app.domain.protocol.layers import LayerGraph
from app.domain.protocol.personas import Roster
from app.domain.protocol.playbook import Playbook
from app.domain.protocol.rubrics import Rubric, RubricId, rubric_of
from app.domain.world.briefings import Pool, pool_of
from app.domain.world.events import Event, NumberedEvent, events_before, events_within, numbered

LATELY_YEARS = 3
"""How far back the pilot's judge is shown the record when it writes the next briefing."""


@dataclass(frozen=True)
class Library:
    """The protocol's data that inputs are made from."""

    layers: LayerGraph
    roster: Roster
    rubrics: Mapping[RubricId, Rubric]
    events: tuple[Event, ...]

    @cached_property
    def by_text(self) -> Mapping[tuple[str, str], Event]:
        """Every event by its date and text, as prompts show it."""
        return {(event.on, event.text): event for event in self.events}

    def pool(self, era: Era) -> Pool:
        """What an era's facts are drawn from, found once: every run of a study draws from it."""
        if era.start not in self._pools:
            self._pools[era.start] = pool_of(self.events, era.start)
        return self._pools[era.start]

    @cached_property
    def _pools(self) -> dict[date, Pool]:
        return {}

    def known(self, era: Era) -> tuple[NumberedEvent, ...]:
        """``I_k`` under neutral numbers."""
        return self._numbered(None, era.start)

    def lately_known(self, era: Era) -> tuple[NumberedEvent, ...]:
        """The part of ``I_k`` of the years just before an era; empty for a forecast, which has no record."""
        if era.mode is Mode.FORECAST:
            return ()
        since = era.start.replace(year=era.start.year - LATELY_YEARS, day=min(era.start.day, 28))
        return self._numbered(since, era.start)

    def outcomes(self, era: Era) -> tuple[NumberedEvent, ...]:
        """``O_k`` under neutral numbers; empty for an era without an outcome window."""
        return self._numbered(era.start, era.end) if era.mode.has_outcome else ()

    @cached_property
    def _spans(self) -> dict[tuple[date | None, date], tuple[NumberedEvent, ...]]:
        return {}

    def _numbered(self, since: date | None, until: date) -> tuple[NumberedEvent, ...]:
        """The events of a span of time, found once: every step of an era asks for the same."""
        span = since, until
        if span not in self._spans:
            found = events_within(self.events, since, until) if since else events_before(self.events, until)
            self._spans[span] = numbered(found)
        return self._spans[span]


def input_for(step: PlannedStep, state: RunState, library: Library, notes: tuple[str, ...] = ()) -> StepInput:
    """The typed material of one step (protocol section 5)."""
    era = state.schedule.era(step.era)
    given = _MAKERS[step.kind](step, era, state, library)
    roster = state.design.roster or library.roster
    return StepInput(
        key=step.key,
        kind=step.kind,
        role=step.role,
        era=era,
        layers=library.layers,
        roster=roster,
        department=step.department,
        persona=roster.persona(step.persona) if step.persona else None,
        wanted=_wanted(step, era, state),
        notes=notes,
        **given,  # type: ignore[arg-type]  # the makers below name StepInput's own fields
    )


def _wanted(step: PlannedStep, era: Era, state: RunState) -> Wanted:
    preset, condition = state.design.preset, state.run.condition
    reviews = step.kind is StepKind.REVIEW
    plays = step.kind in {StepKind.MEMO, StepKind.DRAFT, StepKind.DECISION, StepKind.BOARD}
    lessons = condition.players_see_playbook and bool(state.playbook(era.id).active)
    return Wanted(
        typed_total=reviews and preset.judge_types_total,
        next_briefing=reviews and preset.judge_writes_next_briefing and state.schedule.after(era.id) is not None,
        red_team=condition.has_red_team,
        lesson_use=step.kind is StepKind.MEMO and lessons,
        tagged_claims=plays and era.mode.tags_claims,
    )


def _for_author(step: PlannedStep, era: Era, state: RunState, library: Library) -> dict[str, object]:
    """The record before the era; a forecast's projected world grows from the briefing before it."""
    before = state.schedule.before(era.id)
    earlier = state.briefing(before.id) if before else None
    if era.mode is Mode.FORECAST and earlier:
        return {"previous_briefing": earlier}
    return {"known": library.known(era)}


def _entering(step: PlannedStep, era: Era, state: RunState, library: Library) -> dict[str, object]:
    """What every player sees: the company, the lessons, the day, and the era before."""
    before = state.schedule.before(era.id)
    sees = state.run.condition.players_see_playbook
    given: dict[str, object] = {
        "company": state.company(era.id),
        "playbook": state.playbook(era.id) if sees else Playbook(),
        "briefing": state.briefing(era.id),
    }
    if before:
        given["previous_decision"] = state.decision(before.id)
        given["previous_review"] = _for_players_eyes(state.review(before.id), sees_playbook=sees)
    return given


def _for_memo(step: PlannedStep, era: Era, state: RunState, library: Library) -> dict[str, object]:
    """The department's own notes, where its members write some; never another department's."""
    notes = state.notes(era.id, step.department) if step.department else ()
    return {**_entering(step, era, state, library), "member_notes": notes}


def _for_attack(step: PlannedStep, era: Era, state: RunState, library: Library) -> dict[str, object]:
    return {**_entering(step, era, state, library), "memos": state.memos(era.id)}


def _for_table(step: PlannedStep, era: Era, state: RunState, library: Library) -> dict[str, object]:
    return {**_for_attack(step, era, state, library), "attack": state.attack(era.id)}


def _for_decision(step: PlannedStep, era: Era, state: RunState, library: Library) -> dict[str, object]:
    return {**_for_table(step, era, state, library), "replies": state.replies(era.id), **_revisions(era, state)}


def _for_founder(step: PlannedStep, era: Era, state: RunState, library: Library) -> dict[str, object]:
    return {**_entering(step, era, state, library), **_revisions(era, state)}


def _revisions(era: Era, state: RunState) -> dict[str, object]:
    return {"drafts": state.drafts(era.id), "critiques": state.critiques(era.id)}


def _for_review(step: PlannedStep, era: Era, state: RunState, library: Library) -> dict[str, object]:
    decision = state.decision(era.id)
    blind = state.design.preset.judge_is_blind
    company, roster = state.company(era.id), state.design.roster or library.roster
    given: dict[str, object] = {
        "company": blind_company(company, roster) if blind else company,
        "playbook": state.playbook(era.id),
        "briefing": state.briefing(era.id),
        "decision": blind_decision(decision, roster) if blind and decision else decision,
        "outcomes": library.outcomes(era),
        "rubric": library.rubrics[rubric_of(era.mode)],
        "blind": blind,
    }
    if not blind:
        given |= {"memos": state.memos(era.id), "attack": state.attack(era.id)}
        following = state.schedule.after(era.id)
        given |= {"next_era": following, "next_known": library.lately_known(following) if following else ()}
    return given


def _for_reading(step: PlannedStep, era: Era, state: RunState, library: Library) -> dict[str, object]:
    return {
        "company": state.company(era.id),
        "briefing": state.briefing(era.id),
        "memos": state.memos(era.id),
        "attack": state.attack(era.id),
        "decision": state.decision(era.id),
        "review": state.review(era.id),
        "outcomes": library.outcomes(era),
    }


def _for_players_eyes(review: Review | None, *, sees_playbook: bool) -> Review | None:
    """A review without its lessons where players must not see any, and never with the pilot's next briefing."""
    if review is None:
        return None
    return _without_briefing(review) if sees_playbook else _without_lessons(review)


@once_each(KEPT_TEXTS)
def _without_briefing(review: Review) -> Review:
    return review.model_copy(update={"next_briefing": None}) if review.next_briefing else review


@once_each(KEPT_TEXTS)
def _without_lessons(review: Review) -> Review:
    return review.model_copy(update={"next_briefing": None, "lessons": ()})


_MAKERS: Mapping[StepKind, Callable[[PlannedStep, Era, RunState, Library], dict[str, object]]] = {
    StepKind.BRIEFING: _for_author,
    StepKind.NOTE: _entering,
    StepKind.MEMO: _for_memo,
    StepKind.ATTACK: _for_attack,
    StepKind.REPLY: _for_table,
    StepKind.DRAFT: _for_founder,
    StepKind.CRITIQUE: _for_founder,
    StepKind.DECISION: _for_decision,
    StepKind.BOARD: _for_attack,
    StepKind.REVIEW: _for_review,
    StepKind.READING: _for_reading,
}
