"""Documents that came from a published record: what could be told of them, and their text as it was written."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt

from app.domain.protocol.rubrics import SCALE


class Imported(BaseModel):
    """Base of imported documents: frozen; parts that the text does not tell are empty. ``path`` is the file's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    text: str


class ImportedDocument(Imported):
    """A document kept as text."""

    kind: Literal["imported_document"] = "imported_document"

    @property
    def summary(self) -> str:
        """One paragraph that tells it."""
        return self.text


class ImportedDissent(BaseModel):
    """Who dissented, through whom it was reported if so, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    who: str
    via: str | None
    why: str


class ImportedDecision(Imported):
    """A published decision; it names no layer of our list. ``attack`` is the Red Team's own text."""

    kind: Literal["imported_decision"] = "imported_decision"
    company_name: str
    identity: str = ""
    chain: dict[str, str] = Field(default_factory=dict)
    end: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    stop_criteria: tuple[str, ...] = ()
    dissents: tuple[ImportedDissent, ...] = ()
    fields: dict[str, str] = Field(default_factory=dict)
    attack: str = ""

    @property
    def summary(self) -> str:
        """One paragraph that tells it."""
        return f"{self.company_name}: {self.identity}" if self.identity else self.company_name


class ImportedScore(BaseModel):
    """One published subscore with its reason, empty where none was written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimension: str
    value: Annotated[StrictInt, Field(ge=SCALE[0], le=SCALE[1])]
    reason: str = ""


class ImportedReview(Imported):
    """A published review, or one era's line of a score table, whose ``text`` is empty."""

    kind: Literal["imported_review"] = "imported_review"
    scores: Annotated[tuple[ImportedScore, ...], Field(min_length=5, max_length=5)]
    typed_total: float | None = None
    window: str = ""
    outcome: str = ""
    closest_company: str = ""
    lessons: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """One paragraph that tells it."""
        return self.outcome or "Scores as published"
