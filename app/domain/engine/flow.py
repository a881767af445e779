"""The information-flow invariant: every document in a prompt is allowed for its step and dated before its day."""

from collections.abc import Iterator, Mapping
from datetime import date

from app.domain.engine.inputs import KEPT_TEXTS, StepInput, StepKind
from app.domain.once import once_each
from app.domain.protocol.artifacts import Briefing
from app.domain.protocol.eras import Era, Schedule
from app.domain.study import PlannedRun, StudyDesign
from app.domain.world.events import Event, NumberedEvent, last_day

DOCUMENTS = (
    "company",
    "playbook",
    "briefing",
    "previous_decision",
    "previous_review",
    "previous_briefing",
    "member_notes",
    "memos",
    "attack",
    "replies",
    "drafts",
    "critiques",
    "decision",
    "review",
    "known",
    "outcomes",
    "next_known",
    "shown_outcome",
    "arms",
    "choice",
)
"""The fields of a step's input that carry documents."""

_ENTERING = frozenset({"company", "playbook", "briefing", "previous_decision", "previous_review"})

ALLOWED: dict[StepKind, frozenset[str]] = {
    StepKind.BRIEFING: frozenset({"known", "previous_briefing"}),
    StepKind.NOTE: _ENTERING,
    StepKind.MEMO: _ENTERING | {"member_notes"},
    StepKind.ATTACK: _ENTERING | {"memos"},
    StepKind.REPLY: _ENTERING | {"memos", "attack"},
    StepKind.DRAFT: _ENTERING | {"drafts", "critiques"},
    StepKind.CRITIQUE: _ENTERING | {"drafts", "critiques"},
    StepKind.DECISION: _ENTERING | {"memos", "attack", "replies", "drafts", "critiques"},
    StepKind.BOARD: _ENTERING | {"memos"},
    StepKind.REVIEW: frozenset({"company", "playbook", "briefing", "decision", "outcomes"}),
    StepKind.READING: frozenset({"company", "briefing", "memos", "attack", "decision", "review", "outcomes"}),
    StepKind.GUESS: frozenset({"company", "playbook", "briefing", "decision", "outcomes", "arms"}),
    StepKind.RECALL: frozenset({"choice"}),
}
"""Which documents may reach which step when the judge is blind; the pilot's judge also sees memos and attack."""


PACKETS = frozenset({StepKind.REVIEW, StepKind.GUESS})
"""Steps that are given the judge's packet."""

Record = Mapping[tuple[str, str], Event]
"""The events on record by date and text (``Library.by_text``)."""


class InformationFlowError(Exception):
    """A prompt would have shown a document its step must not see; nothing was sent."""


def check_flow(step: StepInput, design: StudyDesign, run: PlannedRun, record: Record) -> None:
    """Raise InformationFlowError, naming the document, unless everything in ``step`` may be shown there."""
    problems = [*_forbidden(step, design, run), *_undated(step, record)]
    if problems:
        raise InformationFlowError(f"{step.key}: {'; '.join(problems)}")


def _forbidden(step: StepInput, design: StudyDesign, run: PlannedRun) -> Iterator[str]:
    allowed = ALLOWED[step.kind]
    if step.kind in PACKETS and not design.preset.judge_is_blind:
        allowed |= {"memos", "attack", "next_known"}
    yield from (f"{name} is not for this step" for name in DOCUMENTS if getattr(step, name) and name not in allowed)
    if any(note.persona not in {voice.id for voice in step.voices} for note in step.member_notes):
        yield "member_notes come from another department"
    yield from _later(step, run.schedule)
    if step.kind in PACKETS:
        yield from _unblinded(step, design)
    elif step.kind is not StepKind.READING and not run.condition.players_see_playbook:
        yield from _lessons(step)


def _later(step: StepInput, schedule: Schedule) -> Iterator[str]:
    """What enters an era was written in the eras before it."""
    past = schedule.ids_before(step.era.id)
    if step.playbook is not None and not step.playbook.eras <= past:
        yield "playbook holds a lesson that was not written before this era"
    if step.company is not None and any(identity.era not in past for identity in step.company.identities):
        yield "company holds an identity that was not chosen before this era"


def _unblinded(step: StepInput, design: StudyDesign) -> Iterator[str]:
    if design.preset.judge_is_blind and step.decision and (step.decision.dissents or step.decision.lessons):
        yield "decision names its dissents or lessons to a blind judge"


def _lessons(step: StepInput) -> Iterator[str]:
    if step.playbook is not None and step.playbook.lessons:
        yield "playbook is withheld in this condition"
    if step.previous_review is not None and step.previous_review.lessons:
        yield "previous_review carries lessons that are withheld in this condition"


def _undated(step: StepInput, days: Record) -> Iterator[str]:
    yield from _late(step.known, step.era.start, days)
    if step.next_era is not None:
        yield from _late(step.next_known, step.next_era.start, days)
    for item in step.outcomes:
        event = days.get((item.on, item.text))
        if event is None or not step.era.start <= event.last_day < step.era.end:
            yield f"outcome event {item.number} does not lie in the era's window"
    if step.briefing is not None:
        yield from late_items(step.briefing, step.era)


def _late(items: tuple[NumberedEvent, ...], day: date, days: Record) -> Iterator[str]:
    for item in items:
        event = days.get((item.on, item.text))
        if event is None or event.last_day >= day:
            yield f"known event {item.number} is not on record before {day}"


def late_items(briefing: Briefing, era: Era) -> Iterator[str]:
    """A problem for every item of a briefing whose date is not before the era, projected worlds included."""
    if _last_date(briefing) < era.start:
        return
    for section in briefing.sections:
        for item in section.items:
            if item.date and not _precedes(item.date, era.start):
                yield f"briefing item dated {item.date} is not before {era.start}"


@once_each(KEPT_TEXTS)
def _last_date(briefing: Briefing) -> date:
    """The last day that any date in a briefing can mean; the end of days where one is no date."""
    dates = [item.date for section in briefing.sections for item in section.items if item.date]
    try:
        return max(map(last_day, dates), default=date.min)
    except ValueError:
        return date.max


def _precedes(text: str, day: date) -> bool:
    try:
        return last_day(text) < day
    except ValueError:
        return False
