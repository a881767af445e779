"""What a rater's pages show: the item at hand, feedback after training, the list of answers, the closing questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from app.domain.ids import AssignmentId, RaterId
from app.domain.rating.answers import Answer
from app.domain.rating.closing import guess_keys
from app.domain.rating.pace import needs_break, remaining_time
from app.domain.rating.planning import work_load
from app.domain.rating.sessions import Kind, Stage, Status
from app.domain.rating.training import Feedback, feedback_on
from app.domain.rating.views import ItemView, ReadingSection, scales_for, sections_for, stand_ins_in
from app.services.errors import NotFoundError
from app.services.rating_desks import Desk, desk_of
from app.services.rating_items import open_item
from app.services.training_reasons import masked_training
from app.services.unit_of_work import Reading, Work
from app.storage.ratings import Assignment, Guess

DONT_KNOW = "unknown"


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One answered place in the rater's own list."""

    id: AssignmentId
    number: int
    status: Status
    flagged: bool


@dataclass(frozen=True, slots=True)
class FeedbackView:
    """What a training item's consensus says about the rater's values."""

    number: int
    total: int
    lines: tuple[Feedback, ...]
    is_last: bool


@dataclass(frozen=True, slots=True)
class Question:
    """One item shown again: guess from which arm it came."""

    id: AssignmentId
    number: int
    section: ReadingSection
    stand_ins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Questions:
    """The closing questions with the arms to choose from."""

    items: tuple[Question, ...]
    arms: Mapping[str, tuple[str, ...]]


def show_item(
    work: Work, rater_id: RaterId, assignment_id: UUID, *, answer: Answer | None = None, desk: Desk | None = None
) -> ItemView:
    """The rating page of one item; ``answer`` is what was just sent, where that is shown instead of the draft.

    Raises NotFoundError for an assignment that is not the rater's own.
    """
    assignment = open_item(work, rater_id, assignment_id)
    return _item_view(work, desk or desk_of(work, rater_id), assignment, answer or assignment.draft)


def show_feedback(reading: Reading, rater_id: RaterId, assignment_id: UUID) -> FeedbackView:
    """Feedback on a training item that was submitted. Raises NotFoundError before that."""
    assignment = reading.ratings.mine(assignment_id, rater_id).assignment
    revisions = reading.ratings.revisions(assignment.id)
    desk = desk_of(reading, rater_id)
    if assignment.kind is not Kind.TRAINING or not revisions or revisions[-1].answer is None:
        raise NotFoundError("feedback", assignment_id)
    key = reading.panels.shown(assignment.item_id).key
    training = {item.key: item for item in desk.panel.design.training.items}
    total = len(training)
    item = masked_training(reading, desk.panel.id, training[key])
    return FeedbackView(
        number=assignment.position,
        total=total,
        lines=feedback_on(desk.panel.design.rubric, item, revisions[-1].answer.values),
        is_last=assignment.position == total,
    )


def list_answers(reading: Reading, rater_id: RaterId) -> tuple[AnswerLine, ...]:
    """The rater's answered places, for changing an answer or taking a skip back."""
    return tuple(
        AnswerLine(one.id, one.position, one.status, one.draft.flagged)
        for one in reading.ratings.of_rater(rater_id)
        if one.kind is Kind.MAIN and one.status is not Status.OPEN
    )


def show_questions(reading: Reading, rater_id: RaterId) -> Questions:
    """The seeded subset of the rater's items that is shown again, without their outcomes."""
    desk = desk_of(reading, rater_id)
    firsts = {place.item_id: place for place in desk.main if place.occasion == 1}
    items = {item.key: item for item in reading.panels.rated_items(desk.panel.id) if item.id in firsts}
    design = desk.panel.design
    chosen = guess_keys(tuple(items), seed=design.seed, slot=desk.rater.slot, count=design.guesses)
    asked = []
    for number, key in enumerate(chosen, start=1):
        item = items[key]
        assert item.packet is not None
        shown = next((one for one in item.packet.before if one.id == "decision"), item.packet.sections[0])
        section = ReadingSection(shown.id, shown.title, shown.text, shown.outcome)
        asked.append(Question(firsts[item.id].step.id, number, section, item.stand_ins))
    return Questions(tuple(asked), reading.panels.arms(desk.panel.id))


def send_guesses(work: Work, rater_id: RaterId, fields: Mapping[str, str]) -> None:
    """Keep the guesses, a missing one as "don't know", where the rater stands before them; later nothing changes."""
    if desk_of(work, rater_id).stage is not Stage.QUESTIONS:
        return
    questions = show_questions(work, rater_id)
    for question in questions.items:
        for about, arms in questions.arms.items():
            given = fields.get(f"{about}.{question.id}", DONT_KNOW)
            work.ratings.add_guess(work.new_id(), Guess(question.id, about, given if given in arms else None), work.now)
    work.raters.change(rater_id, questions_at=work.now)


def _item_view(work: Work, desk: Desk, assignment: Assignment, answer: Answer) -> ItemView:
    item = work.panels.shown(assignment.item_id)
    design = desk.panel.design
    is_training = assignment.kind is Kind.TRAINING
    places = tuple(place for place in desk.places if place.step.kind is assignment.kind)
    has_first = bool(design.rubric.first_phase)
    sections = sections_for(item.packet, locked=assignment.locked is not None, has_first_phase=has_first)
    answered = sum(place.step.status is not Status.OPEN for place in places)
    times = [place.wall_ms for place in places if place.wall_ms is not None]
    submitted = [place.answered_at for place in places if place.answered_at is not None]
    usual = work_load(items=1, words_per_item=item.packet.words, dimensions=len(design.rubric.dimensions))
    return ItemView(
        id=assignment.id,
        number=assignment.position,
        total=len(places),
        is_training=is_training,
        sections=sections,
        scales=scales_for(design.rubric, answer, assignment.locked),
        answer=answer,
        version=assignment.version,
        key=str(assignment.key),
        outcome_waits=has_first and assignment.locked is None,
        is_revision=assignment.status is Status.SUBMITTED,
        asks_seen_before=design.cap != 1 and not is_training,
        left=remaining_time(times, len(places) - answered, usual.minutes_per_item),
        break_hint=needs_break(submitted, work.now),
        answered=answered,
        stand_ins=stand_ins_in(item.stand_ins, sections),
    )
