"""Where a rater stands: the stage of the session, the queue, and the pages that belong to it."""

from dataclasses import dataclass
from hashlib import sha256

from app.domain.ids import RaterId
from app.domain.rating.designs import PanelDesign
from app.domain.rating.sessions import Kind, Stage, Standing, Status, next_step, stage_of
from app.domain.rating.training import is_ready
from app.services.errors import RefusedError
from app.services.unit_of_work import Reading, Work
from app.storage.panels import PanelRules
from app.storage.raters import Rater
from app.storage.ratings import QueuePlace

MOST_REMARKS = 4_000


@dataclass(frozen=True, slots=True)
class Desk:
    """A rater with the panel's rules and the own queue; nothing of other raters is in reach."""

    rater: Rater
    panel: PanelRules
    places: tuple[QueuePlace, ...]
    stage: Stage

    @property
    def main(self) -> tuple[QueuePlace, ...]:
        """The places that count, in order."""
        return tuple(place for place in self.places if place.step.kind is Kind.MAIN)

    @property
    def answered(self) -> int:
        """How many of them are answered or skipped."""
        return sum(place.step.status is not Status.OPEN for place in self.main)

    @property
    def next(self) -> QueuePlace | None:
        """The place to go on with, in training or in the queue that counts."""
        kind = Kind.TRAINING if self.stage is Stage.TRAINING else Kind.MAIN
        step = next_step((place.step for place in self.places), kind)
        return next((place for place in self.places if place.step is step), None)


def desk_of(reading: Reading, rater_id: RaterId) -> Desk:
    """The rater's desk as it is now."""
    rater = reading.raters.get(rater_id)
    panel = reading.panels.rules(rater.panel_id)
    places = reading.ratings.places(rater_id)
    all_answered = all(place.step.status is not Status.OPEN for place in places)
    standing = Standing(
        panel=panel.state,
        consented=rater.consent_hash == consent_hash(panel.design),
        finished=rater.finished_at is not None,
        asks_questions=all_answered and asks_questions(reading, rater, panel.design),
        questions_answered=rater.questions_at is not None,
        trained=_is_trained(reading, rater, panel.design),
        steps=tuple(place.step for place in places),
    )
    return Desk(rater, panel, places, stage_of(standing))


def accept_consent(work: Work, rater_id: RaterId, shown_hash: str) -> None:
    """Note that the rater accepted the text with this hash. Raises RefusedError if the text has changed since."""
    rules = work.panels.rules(work.raters.get(rater_id).panel_id)
    if shown_hash != consent_hash(rules.design):
        raise RefusedError("The text has changed since this page was opened. Read it again, please.")
    work.raters.change(rater_id, consent_hash=shown_hash, consented_at=work.now)


def finish(work: Work, rater_id: RaterId, remarks: str) -> None:
    """End the rater's work. Raises RefusedError while something is open."""
    desk = desk_of(work, rater_id)
    if desk.stage is Stage.DONE:
        return
    if desk.stage is not Stage.REVIEW:
        raise RefusedError("Some items are still open. Rate or skip them first.")
    work.raters.change(rater_id, finished_at=work.now, remarks=remarks.strip()[:MOST_REMARKS] or None)


def keep_remarks(work: Work, rater_id: RaterId, remarks: str) -> None:
    """Keep what a rater wrote beside *Finish* before the session ended; sending it later overwrites it."""
    if desk_of(work, rater_id).stage is Stage.REVIEW:
        work.raters.change(rater_id, remarks=remarks.strip()[:MOST_REMARKS] or None)


def consent_hash(design: PanelDesign) -> str:
    """SHA-256 of the consent text, in hex."""
    return sha256(design.consent.encode()).hexdigest()


def asks_questions(reading: Reading, rater: Rater, design: PanelDesign) -> bool:
    """Whether there is anything to guess: a blind design over items that have conditions or models."""
    return bool(design.guesses) and bool(reading.panels.arms(rater.panel_id))


def _is_trained(reading: Reading, rater: Rater, design: PanelDesign) -> bool:
    if not design.training.items or rater.released_at is not None:
        return True
    answers = reading.ratings.training_answers(rater.id)
    return is_ready(design.training, design.rubric, answers)
