"""The part every intervention's form shares: a reason, and whether the judge is told and in which words."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field
from starlette.datastructures import FormData

from app.services.interventions import Wish
from app.services.users import SignedIn
from app.web.forms import fill

WORDS_MISSING = "Write the exact words for the judge, or do not tell it."


class WishForm(BaseModel):
    """Why somebody intervenes, and what the judge is told."""

    reason: Annotated[str, Field(min_length=3, max_length=2_000)]
    judge_told: bool = False
    judge_words: Annotated[str, Field(max_length=2_000)] = ""
    seen_at: datetime | None = None


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
    return AskedWish(Wish(viewer.user.id, form.value.reason, told, form.value.seen_at))


def kept_wish(sent: FormData | None) -> dict[str, str]:
    """What was written in the shared fields, to be shown again."""
    return {name: str(sent.get(name, "")) if sent else "" for name in WishForm.model_fields}
