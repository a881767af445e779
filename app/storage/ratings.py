"""Assignments with their drafts, ratings in every revision, activity, and guesses after the end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Text, cast, func, insert, or_, update
from sqlalchemy.dialects.postgresql import insert as insert_or
from sqlmodel import Session, col, select

from app.domain.ids import AssignmentId, PanelId, PanelItemId, RaterId
from app.domain.rating.answers import Answer, SkipReason
from app.domain.rating.sessions import Kind, PanelState, Status, Step
from app.storage.errors import NotFoundError
from app.storage.panels import PanelRules, design_of
from app.storage.rating_tables import (
    AssignmentRow,
    BlindingGuessRow,
    PanelItemRow,
    PanelRow,
    RaterRow,
    RatingActivityRow,
    RatingRow,
)


@dataclass(frozen=True, slots=True)
class Assignment:
    """One place of a rater's queue; ``locked`` holds the values fixed before the outcome opened."""

    id: AssignmentId
    rater_id: RaterId
    item_id: PanelItemId
    kind: Kind
    position: int
    occasion: int
    status: Status
    draft: Answer
    version: int
    tab: str
    key: UUID
    locked: dict[str, int] | None
    locked_at: datetime | None
    opened_at: datetime | None
    answered_at: datetime | None
    wall_ms: int | None


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """One place of a rater's queue as far as the way through it asks."""

    step: Step
    item_id: PanelItemId
    occasion: int
    answered_at: datetime | None
    wall_ms: int | None


@dataclass(frozen=True, slots=True)
class Rating:
    """One submission (``answer``) or skip (``skip_reason``)."""

    assignment_id: AssignmentId
    revision: int
    key: UUID
    answer: Answer | None
    skip_reason: SkipReason | None
    skip_note: str
    rubric_version: str
    active_ms: int | None
    active_reason: str | None
    wall_ms: int
    submitted_at: datetime


@dataclass(frozen=True, slots=True)
class Guess:
    """What a rater guessed about an item; None is "don't know"."""

    assignment_id: AssignmentId
    about: str
    guess: str | None


@dataclass(frozen=True, slots=True)
class Mine:
    """A rater's own assignment with the panel's rules and whether the rater has finished."""

    assignment: Assignment
    rules: PanelRules
    is_finished: bool


class Ratings:
    """The assignments and ratings on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def assign(self, assignments: Iterable[Assignment]) -> None:
        """Keep new assignments."""
        names = ("id", "rater_id", "item_id", "kind", "position", "occasion", "key")
        rows = [{**{name: getattr(one, name) for name in names}, "draft": {}} for one in assignments]
        if rows:
            self._session.execute(insert(AssignmentRow), rows)

    def of_rater(self, rater_id: UUID) -> tuple[Assignment, ...]:
        """A rater's whole queue, training first."""
        query = select(AssignmentRow).where(AssignmentRow.rater_id == rater_id)
        ordered = query.order_by(col(AssignmentRow.kind).desc(), col(AssignmentRow.position))
        return tuple(_assignment(row) for row in self._session.exec(ordered))

    def places(self, rater_id: UUID) -> tuple[QueuePlace, ...]:
        """A rater's queue without drafts, training first."""
        names = ("id", "kind", "position", "status", "item_id", "occasion", "answered_at", "wall_ms")
        columns: tuple[Any, ...] = tuple(getattr(AssignmentRow, name) for name in names)
        query = select(*columns).where(AssignmentRow.rater_id == rater_id)
        ordered = query.order_by(col(AssignmentRow.kind).desc(), col(AssignmentRow.position))
        return tuple(
            QueuePlace(
                Step(AssignmentId(row.id), Kind(row.kind), row.position, Status(row.status)),
                PanelItemId(row.item_id),
                row.occasion,
                row.answered_at,
                row.wall_ms,
            )
            for row in self._session.execute(ordered)
        )

    def mine(self, assignment_id: UUID, rater_id: RaterId, *, lock: bool = False) -> Mine:
        """A rater's own assignment; NotFoundError for another's, as for one that does not exist."""
        columns: tuple[Any, ...] = (
            AssignmentRow, RaterRow.finished_at, PanelRow.id, PanelRow.state, cast(col(PanelRow.design), Text)
        )  # fmt: skip
        query = (
            select(*columns)
            .join(RaterRow, col(RaterRow.id) == col(AssignmentRow.rater_id))
            .join(PanelRow, col(PanelRow.id) == col(RaterRow.panel_id))
            .where(AssignmentRow.id == assignment_id, AssignmentRow.rater_id == rater_id)
            .execution_options(populate_existing=True)
        )
        row = self._session.execute(query.with_for_update(of=AssignmentRow) if lock else query).first()
        if row is None:
            raise NotFoundError("item", assignment_id)
        assignment, finished_at, panel_id, state, design = row
        rules = PanelRules(PanelId(panel_id), PanelState(state), design_of(design))
        return Mine(_assignment(assignment), rules, finished_at is not None)

    def save_draft(self, assignment: Assignment, draft: Answer, version: int, tab: str) -> int | None:
        """Keep a draft that ``tab`` made from ``version``; its new version, or None if another tab was faster."""
        query = (
            update(AssignmentRow)
            .where(
                col(AssignmentRow.id) == assignment.id,
                or_(col(AssignmentRow.version) == version, col(AssignmentRow.tab) == tab),
            )
            .values(draft=draft.model_dump(mode="json"), version=AssignmentRow.version + 1, tab=tab)
            .returning(col(AssignmentRow.version))
            .execution_options(synchronize_session=False)
        )
        row = self._session.execute(query).first()
        return int(row[0]) if row else None

    def change(self, assignment_id: AssignmentId, **values: object) -> None:
        """Set columns of one assignment."""
        self._session.execute(update(AssignmentRow).where(col(AssignmentRow.id) == assignment_id).values(**values))

    def add_rating(self, new_id: UUID, rating: Rating) -> None:
        """Keep a submission or skip."""
        values = {
            "id": new_id,
            "assignment_id": rating.assignment_id,
            "revision": rating.revision,
            "key": rating.key,
            "answer": rating.answer.model_dump(mode="json") if rating.answer else None,
            "skip_reason": rating.skip_reason,
            "skip_note": rating.skip_note,
            "rubric_version": rating.rubric_version,
            "active_ms": rating.active_ms,
            "active_reason": rating.active_reason,
            "wall_ms": rating.wall_ms,
            "submitted_at": rating.submitted_at,
        }
        self._session.execute(insert(RatingRow).values(**values))

    def revisions(self, assignment_id: UUID) -> tuple[Rating, ...]:
        """Every submission and skip of an assignment, the first first."""
        query = select(RatingRow).where(RatingRow.assignment_id == assignment_id).order_by(col(RatingRow.revision))
        return tuple(_rating(row) for row in self._session.exec(query))

    def every_revision(self, rater_ids: Sequence[UUID]) -> tuple[Rating, ...]:
        """Every submission and skip of these raters in order of time."""
        query = (
            select(RatingRow)
            .join(AssignmentRow, col(AssignmentRow.id) == col(RatingRow.assignment_id))
            .where(col(AssignmentRow.rater_id).in_(rater_ids))
            .order_by(col(RatingRow.submitted_at), col(RatingRow.id))
        )
        return tuple(_rating(row) for row in self._session.exec(query))

    def latest(self, rater_ids: Sequence[UUID]) -> dict[AssignmentId, Rating]:
        """The last revision of every answered assignment of these raters."""
        query = (
            select(RatingRow)
            .join(AssignmentRow, col(AssignmentRow.id) == col(RatingRow.assignment_id))
            .where(col(AssignmentRow.rater_id).in_(rater_ids))
            .order_by(col(RatingRow.revision))
        )
        return {AssignmentId(row.assignment_id): _rating(row) for row in self._session.exec(query)}

    def training_answers(self, rater_id: UUID) -> dict[str, dict[str, int]]:
        """The values a rater gave in training, by the item's key."""
        columns: tuple[Any, ...] = (PanelItemRow.key, RatingRow.answer)
        query = (
            select(*columns)
            .join(AssignmentRow, col(AssignmentRow.id) == col(RatingRow.assignment_id))
            .join(PanelItemRow, col(PanelItemRow.id) == col(AssignmentRow.item_id))
            .where(AssignmentRow.rater_id == rater_id, AssignmentRow.kind == Kind.TRAINING)
            .order_by(col(RatingRow.revision))
        )
        return {key: answer["values"] for key, answer in self._session.execute(query) if answer is not None}

    def of_panel(self, panel_id: UUID) -> tuple[Assignment, ...]:
        """Every assignment of a panel by rater's slot and position."""
        query = (
            select(AssignmentRow)
            .join(RaterRow, col(RaterRow.id) == col(AssignmentRow.rater_id))
            .where(RaterRow.panel_id == panel_id)
            .order_by(col(RaterRow.slot), col(AssignmentRow.kind), col(AssignmentRow.position))
        )
        return tuple(_assignment(row) for row in self._session.exec(query))

    def progress(self, panel_id: UUID) -> dict[tuple[RaterId, Kind, Status], int]:
        """How many assignments of each rater are in which state."""
        columns: tuple[Any, ...] = (AssignmentRow.rater_id, AssignmentRow.kind, AssignmentRow.status)
        query = (
            select(*columns)
            .add_columns(func.count())
            .join(PanelItemRow, col(PanelItemRow.id) == col(AssignmentRow.item_id))
            .where(PanelItemRow.panel_id == panel_id)
            .group_by(*columns)
        )
        return {
            (RaterId(rater), Kind(kind), Status(status)): count
            for rater, kind, status, count in self._session.execute(query)
        }

    def add_activity(self, new_id: UUID, assignment_id: UUID, visit: str, events: Sequence[Any]) -> None:
        """Keep a batch of activity events."""
        values = {"id": new_id, "assignment_id": assignment_id, "visit": visit, "events": list(events)}
        self._session.execute(insert(RatingActivityRow).values(**values))

    def activity(self, assignment_id: UUID) -> dict[str, list[Any]]:
        """Every activity event of an assignment by visit."""
        query = select(RatingActivityRow).where(RatingActivityRow.assignment_id == assignment_id)
        visits: dict[str, list[Any]] = {}
        for row in self._session.exec(query):
            visits.setdefault(row.visit, []).extend(row.events)
        return visits

    def add_guess(self, new_id: UUID, guess: Guess, at: datetime) -> None:
        """Keep a guess; the first one stays."""
        values = {"assignment_id": guess.assignment_id, "about": guess.about, "guess": guess.guess}
        query = insert_or(BlindingGuessRow).values(id=new_id, made_at=at, **values).on_conflict_do_nothing()
        self._session.execute(query)

    def guesses(self, panel_id: UUID) -> tuple[Guess, ...]:
        """Every guess of a panel's raters."""
        query = (
            select(BlindingGuessRow)
            .join(AssignmentRow, col(AssignmentRow.id) == col(BlindingGuessRow.assignment_id))
            .join(PanelItemRow, col(PanelItemRow.id) == col(AssignmentRow.item_id))
            .where(PanelItemRow.panel_id == panel_id)
            .order_by(col(AssignmentRow.rater_id), col(AssignmentRow.position), col(BlindingGuessRow.about))
        )
        return tuple(Guess(AssignmentId(row.assignment_id), row.about, row.guess) for row in self._session.exec(query))


def _assignment(row: AssignmentRow) -> Assignment:
    return Assignment(
        id=AssignmentId(row.id),
        rater_id=RaterId(row.rater_id),
        item_id=PanelItemId(row.item_id),
        kind=Kind(row.kind),
        position=row.position,
        occasion=row.occasion,
        status=Status(row.status),
        draft=Answer.model_validate(row.draft),
        version=row.version,
        tab=row.tab,
        key=row.key,
        locked=row.locked,
        locked_at=row.locked_at,
        opened_at=row.opened_at,
        answered_at=row.answered_at,
        wall_ms=row.wall_ms,
    )


def _rating(row: RatingRow) -> Rating:
    return Rating(
        assignment_id=AssignmentId(row.assignment_id),
        revision=row.revision,
        key=row.key,
        answer=Answer.model_validate(row.answer) if row.answer is not None else None,
        skip_reason=SkipReason(row.skip_reason) if row.skip_reason else None,
        skip_note=row.skip_note,
        rubric_version=row.rubric_version,
        active_ms=row.active_ms,
        active_reason=row.active_reason,
        wall_ms=row.wall_ms,
        submitted_at=row.submitted_at,
    )
