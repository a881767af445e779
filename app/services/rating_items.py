"""Rating one item: opening it, locking the first scores, drafts with versions, submitting, skipping, undoing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from app.domain.ids import RaterId
from app.domain.rating.activity import Event, active_ms
from app.domain.rating.answers import Answer, Read, SkipReason, missing_values, read_answer, with_locked
from app.domain.rating.designs import PanelDesign
from app.domain.rating.sessions import Kind, PanelState, Status
from app.services.errors import RefusedError
from app.services.unit_of_work import Work
from app.storage.ratings import Assignment, Rating

NO_SCRIPT = "the page ran without a script"
NO_REASON = {"reason": "To skip it, choose why it cannot be rated"}
MOST_EVENTS = 2_000
LONGEST_VISIT_NAME = 64
EVENT_KINDS = frozenset({"used", "shown", "hidden"})


class Outcome(StrEnum):
    """What became of what a rater sent."""

    DONE = "done"
    INCOMPLETE = "incomplete"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Sent:
    """A form of the rating page: the fields, and from which draft, in which tab, under which key it was made."""

    fields: Mapping[str, str]
    version: int
    tab: str
    key: UUID | None
    overrules: bool = False
    visit: str = ""
    events: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The outcome with the assignment as it is now, what was sent, and what to mend by field."""

    outcome: Outcome
    assignment: Assignment
    sent: Answer
    problems: dict[str, str]


def save_draft(work: Work, rater_id: RaterId, assignment_id: UUID, sent: Sent) -> Answered:
    """Keep a draft. CONFLICT if another tab saved since ``sent.version``; both stay as they are."""
    assignment, design = _mine(work, rater_id, assignment_id, lock=False)
    read = read_answer(design.rubric, sent.fields)
    _note_activity(work, assignment, sent)
    return _keep_draft(work, assignment, read, sent)


def lock_first(work: Work, rater_id: RaterId, assignment_id: UUID, sent: Sent) -> Answered:
    """Fix the values of the first phase for good, which opens the outcome; a second time changes nothing."""
    assignment, design = _mine(work, rater_id, assignment_id, lock=True)
    if assignment.locked is not None:
        return Answered(Outcome.DONE, assignment, assignment.draft, {})
    read = read_answer(design.rubric, sent.fields)
    _note_activity(work, assignment, sent)
    kept = _keep_draft(work, assignment, read, sent)
    if kept.outcome is Outcome.CONFLICT:
        return kept
    problems = {**missing_values(design.rubric.first_phase, read.answer), **read.problems}
    if problems:
        return replace(kept, outcome=Outcome.INCOMPLETE, problems=problems)
    locked = {one.id: read.answer.values[one.id] for one in design.rubric.first_phase}
    work.ratings.change(assignment.id, locked=locked, locked_at=work.now)
    return kept


def submit(work: Work, rater_id: RaterId, assignment_id: UUID, sent: Sent) -> Answered:
    """Keep a rating; the same key again changes nothing, so that a repeated click or request is one rating."""
    assignment, design = _mine(work, rater_id, assignment_id, lock=True)
    read = read_answer(design.rubric, sent.fields)
    answer = with_locked(read.answer, assignment.locked or {})
    earlier = work.ratings.revisions(assignment.id)
    same = next((one for one in earlier if one.key == sent.key), None)
    if same is not None and same.answer == answer:
        return Answered(Outcome.DONE, assignment, answer, {})
    if same is not None or _is_stale(assignment, sent):
        return Answered(Outcome.CONFLICT, assignment, answer, {})
    if design.rubric.first_phase and assignment.locked is None:
        return Answered(Outcome.INCOMPLETE, assignment, answer, {"form": "Lock the first scores before the others."})
    problems = {**missing_values(design.rubric.dimensions, answer), **read.problems}
    _note_activity(work, assignment, sent)
    if problems:
        kept = _keep_draft(work, assignment, replace(read, answer=answer), sent)
        return replace(kept, outcome=Outcome.INCOMPLETE, problems=problems)
    _finish(work, assignment, design, earlier, answer=answer)
    return Answered(Outcome.DONE, assignment, answer, {})


def skip(work: Work, rater_id: RaterId, assignment_id: UUID, sent: Sent, *, reason: str, note: str) -> Answered:
    """Leave an item without a rating, with a reason; the same key again changes nothing.

    What was filled in so far is kept as a draft, for the case that the skip is taken back.
    """
    assignment, design = _mine(work, rater_id, assignment_id, lock=True)
    if assignment.kind is Kind.TRAINING:
        raise RefusedError("Training items cannot be skipped: choose the values that come nearest.")
    earlier = work.ratings.revisions(assignment.id)
    if any(one.key == sent.key for one in earlier):
        return Answered(Outcome.DONE, assignment, assignment.draft, {})
    if sent.key != assignment.key:
        return Answered(Outcome.CONFLICT, assignment, assignment.draft, {})
    _note_activity(work, assignment, sent)
    kept = _keep_draft(work, assignment, read_answer(design.rubric, sent.fields), sent)
    if kept.outcome is Outcome.CONFLICT:
        return kept
    if reason not in set(SkipReason):
        return replace(kept, outcome=Outcome.INCOMPLETE, problems=NO_REASON)
    _finish(work, kept.assignment, design, earlier, skipped=(SkipReason(reason), note.strip()[:2_000]))
    return kept


def undo_skip(work: Work, rater_id: RaterId, assignment_id: UUID) -> None:
    """Take a skip back; the item waits again at its place. The skip stays among the revisions."""
    assignment, _ = _mine(work, rater_id, assignment_id, lock=True)
    if assignment.status is Status.SKIPPED:
        work.ratings.change(assignment.id, status=Status.OPEN, answered_at=None)


def note_activity(work: Work, rater_id: RaterId, assignment_id: UUID, sent: Sent) -> None:
    """Keep a batch of activity events on the rater's own item."""
    assignment, _ = _mine(work, rater_id, assignment_id, lock=False)
    _note_activity(work, assignment, sent)


def open_item(work: Work, rater_id: RaterId, assignment_id: UUID) -> Assignment:
    """The rater's own assignment, noting when it was first opened. Raises NotFoundError for anybody else's."""
    assignment, _ = _mine(work, rater_id, assignment_id, lock=False)
    if assignment.opened_at is None:
        work.ratings.change(assignment.id, opened_at=work.now)
    return assignment


def _mine(work: Work, rater_id: RaterId, assignment_id: UUID, *, lock: bool) -> tuple[Assignment, PanelDesign]:
    mine = work.ratings.mine(assignment_id, rater_id, lock=lock)
    if mine.rules.state is not PanelState.OPEN:
        raise RefusedError("Rating is paused or over just now. What you saved is kept.")
    if mine.is_finished:
        raise RefusedError("You have finished, so nothing can be changed any more. Thank you.")
    return mine.assignment, mine.rules.design


def _is_stale(assignment: Assignment, sent: Sent) -> bool:
    return not sent.overrules and sent.version != assignment.version and sent.tab != assignment.tab


def _keep_draft(work: Work, assignment: Assignment, read: Read, sent: Sent) -> Answered:
    answer = with_locked(read.answer, assignment.locked or {})
    version = assignment.version if sent.overrules else sent.version
    new = work.ratings.save_draft(assignment, answer, version, sent.tab)
    if new is None:
        return Answered(Outcome.CONFLICT, assignment, answer, read.problems)
    kept = replace(assignment, draft=answer, version=new, tab=sent.tab)
    return Answered(Outcome.DONE, kept, answer, read.problems)


def _finish(
    work: Work,
    assignment: Assignment,
    design: PanelDesign,
    earlier: Sequence[Rating],
    *,
    answer: Answer | None = None,
    skipped: tuple[SkipReason, str] | None = None,
) -> None:
    """Write the next revision and move the assignment on; its next key is a new one."""
    active, why = _active(work, assignment)
    wall = _milliseconds(assignment.opened_at or work.now, work.now)
    rating = Rating(
        assignment_id=assignment.id,
        revision=len(earlier) + 1,
        key=assignment.key,
        answer=answer,
        skip_reason=skipped[0] if skipped else None,
        skip_note=skipped[1] if skipped else "",
        rubric_version=design.rubric.version,
        active_ms=active,
        active_reason=why,
        wall_ms=wall,
        submitted_at=work.now,
    )
    work.ratings.add_rating(work.new_id(), rating)
    changes: dict[str, Any] = {"key": work.new_id(), "answered_at": work.now, "wall_ms": wall}
    if answer is not None:
        changes |= {"draft": answer.model_dump(mode="json"), "version": assignment.version + 1}
    work.ratings.change(assignment.id, status=Status.SKIPPED if skipped else Status.SUBMITTED, **changes)


def _note_activity(work: Work, assignment: Assignment, sent: Sent) -> None:
    events = [[int(at), kind] for at, kind in sent.events[:MOST_EVENTS] if kind in EVENT_KINDS]
    if events:
        work.ratings.add_activity(work.new_id(), assignment.id, sent.visit[:LONGEST_VISIT_NAME], events)


def _active(work: Work, assignment: Assignment) -> tuple[int | None, str | None]:
    visits: list[list[Event]] = [
        [(int(at), kind) for at, kind in events] for events in work.ratings.activity(assignment.id).values()
    ]
    return (active_ms(visits), None) if visits else (None, NO_SCRIPT)


def _milliseconds(start: datetime, end: datetime) -> int:
    return max(0, round((end - start).total_seconds() * 1_000))
