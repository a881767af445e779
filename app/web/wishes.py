"""The part every intervention's form shares: a reason, and whether the judge is told and in which words."""

from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, Field
from starlette.datastructures import FormData

from app.services.interventions import Wish
from app.services.users import SignedIn
from app.web.forms import fill

WORDS_MISSING = "Write the exact words for the judge, or do not tell it."
UNSEEN = (
    "seen_at: the form does not say since when the step has waited. Nothing was changed. Send it again from here, "
    "where you see how the step stands now."
)


class WishForm(BaseModel):
    """Why somebody intervenes, and what the judge is told."""

    reason: Annotated[str, Field(min_length=3, max_length=2_000)]
    judge_told: bool = False
    judge_words: Annotated[str, Field(max_length=2_000)] = ""


class SeenStep(BaseModel):
    """Since when the step waited, as the page showed it: the second operator on one step must learn of the first."""

    seen_at: AwareDatetime


@dataclass(frozen=True, slots=True)
class AskedWish:
    """A wish, or None with problems by field."""

    wish: Wish | None
    problems: dict[str, str] = field(default_factory=dict)


def wish_in(sent: FormData, viewer: SignedIn) -> AskedWish:
    """Who intervenes and why, from a sent form; a judge is told in words or not at all."""
    form = fill(WishForm, sent)
    if form.value is None:
        return AskedWish(None, form.problems)
    words = form.value.judge_words.strip()
    if form.value.judge_told and not words:
        return AskedWish(None, {"judge_words": WORDS_MISSING})
    told = words if form.value.judge_told else None
    return AskedWish(Wish(viewer.user.id, form.value.reason, told))


def wish_on_step(sent: FormData, viewer: SignedIn) -> AskedWish:
    """The same about one step, as it stood on the page that the form was sent from."""
    asked, seen = wish_in(sent, viewer), fill(SeenStep, sent).value
    if seen is None:
        return AskedWish(None, {**asked.problems, "form": UNSEEN})
    return AskedWish(asked.wish and replace(asked.wish, seen_at=seen.seen_at), asked.problems)


def kept_wish(sent: FormData | None) -> dict[str, str]:
    """What was written in the shared fields, to be shown again."""
    return {name: str(sent.get(name, "")) if sent else "" for name in WishForm.model_fields}
