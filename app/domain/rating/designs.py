"""A panel's design: frozen and hashed at the lock; after it, changes are amendments with a reason."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from app.domain.rating.allocation import Allocation
from app.domain.rating.mask_terms import MaskTerm
from app.domain.rating.scales import RatingRubric
from app.domain.rating.shortening import Rules
from app.domain.rating.training import TrainingPlan
from app.domain.study import canonical_json

CONSENT = """You are asked to read and score texts for a research project.

- Your scores are stored under a pseudonym. Only the person who invited you can join it to you, and can erase that link.
- The time you spend on each item is recorded, as is whether the page was in use.
- You may pause at any time, skip any item with a reason, and stop without giving one.
- The texts are parts of simulated records. Some names are masked on purpose. Please do not look them up, and do not
  speak about the items with other raters until everybody has finished.
"""


class Frozen(BaseModel):
    """Base of what is hashed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceKind(StrEnum):
    """Where the items of a frame come from."""

    STUDIES = "studies"
    TABLE = "table"
    PUBLISHED = "published"


Headline = Literal["alpha_interval", "alpha_ordinal", "alpha_nominal", "icc_a1"]
Interval = Literal["jackknife over runs", "item bootstrap"]


class AnalysisPlan(Frozen):
    """What will be computed, fixed before the first rating."""

    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"headline": get_args(Headline), "interval": get_args(Interval)}
    """What the fields that are chosen from may be."""

    headline: Headline = "alpha_interval"
    interval: Interval = "jackknife over runs"
    epsilon: Annotated[float, Field(ge=0, le=1)] = 0.2
    margin_points: Annotated[float, Field(ge=0, le=10)] = 1.0
    notes: Annotated[str, Field(max_length=4_000)] = ""


class PanelDesign(Frozen):
    """Everything an operator chooses; the drawn sample joins it at the lock."""

    name: Annotated[str, Field(min_length=1, max_length=120)]
    source: SourceKind
    source_ids: tuple[str, ...] = ()
    rubric: RatingRubric
    strata: tuple[str, ...] = ()
    items: Annotated[int, Field(ge=1, le=2_000)] = 30
    allocation: Allocation = Allocation.PROPORTIONAL
    minimum: Annotated[int, Field(ge=0, le=100)] = 1
    cap: Annotated[int, Field(ge=0, le=100)] = 1
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 1
    raters: Annotated[int, Field(ge=1, le=60)] = 3
    repeats: Annotated[int, Field(ge=0, le=300)] | None = None
    training: TrainingPlan = TrainingPlan()
    consent: Annotated[str, Field(min_length=1, max_length=8_000)] = CONSENT
    plan: AnalysisPlan = AnalysisPlan()
    reliability: Annotated[float, Field(gt=0, lt=1)] = 0.65
    short_packets: bool = False
    with_interventions: bool = False
    blind_to_condition: bool = True
    guesses: Annotated[int, Field(ge=0, le=20)] = 5
    added_masks: tuple[MaskTerm, ...] = ()
    lifted_masks: tuple[str, ...] = ()
    packet_rules: Rules = Rules.FIRST

    @model_serializer(mode="wrap")
    def _as_hashed(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Designs locked before there were rules to tell apart keep the JSON their hash was made of."""
        body: dict[str, Any] = handler(self)
        if self.packet_rules is Rules.FIRST:
            body.pop("packet_rules", None)
        return body

    @model_validator(mode="after")
    def _names_strata_once(self) -> Self:
        if len(set(self.strata)) != len(self.strata):
            raise ValueError("strata: choose each stratum once")
        return self


class DrawnItem(Frozen):
    """One item of the sample with the probability of being in it."""

    key: str
    probability: float


class LockedDesign(Frozen):
    """The design with all that followed from it: what the hash covers."""

    design: PanelDesign
    frame_sha256: str
    frame_size: int
    sample: tuple[DrawnItem, ...]
    probabilities: str
    shortfalls: tuple[str, ...]
    repeats: int
    queues: tuple[tuple[str, ...], ...]


def locked_hash(locked: LockedDesign) -> str:
    """SHA-256 of the canonical JSON, in hex: the hash on every page and export."""
    return hashlib.sha256(canonical_json(locked).encode()).hexdigest()


def frame_hash(keys_and_texts: Mapping[str, str]) -> str:
    """SHA-256 over the keys and the texts of the whole frame in order of key, in hex."""
    return frame_hash_of({key: text_hash(text) for key, text in keys_and_texts.items()})


def frame_hash_of(keys_and_hashes: Mapping[str, str]) -> str:
    """The same from the hashes of the texts, so that a whole frame need not be held at once."""
    digest = hashlib.sha256()
    for key in sorted(keys_and_hashes):
        digest.update(hashlib.sha256(key.encode()).digest() + bytes.fromhex(keys_and_hashes[key]))
    return digest.hexdigest()


def text_hash(text: str) -> str:
    """SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


AMENDABLE = frozenset(
    {
        *("name", "raters", "guesses", "consent", "rubric", "training.most_missed", "plan"),
        *(f"plan.{name}" for name in AnalysisPlan.model_fields),
    }
)
"""What may still change after the lock; everything else decided which items are rated and in which order."""


class AmendmentError(ValueError):
    """A locked design cannot be changed so; the text says why."""


class Amendment(Frozen):
    """One change after the lock; the design itself stays as it was hashed."""

    field: str
    before: Any
    after: Any
    reason: str
    at: datetime


def changed_fields(before: PanelDesign, after: PanelDesign) -> tuple[str, ...]:
    """The names of the fields that differ."""
    mine, other = before.model_dump(mode="json"), after.model_dump(mode="json")
    return tuple(name for name in mine if mine[name] != other.get(name))


def amend(current: PanelDesign, field: str, value: Any, *, reason: str, rated: bool, at: datetime) -> Amendment:
    """The amendment that sets one field. Raises AmendmentError for what must not change, or without a reason.

    ``rated`` says whether any rating exists: from then on the rubric is fixed for good.
    """
    name, _, inner = field.partition(".")
    if field not in AMENDABLE:
        raise AmendmentError(f"{field}: this decided which items are rated and how; make a new panel to change it")
    if name == "rubric" and rated:
        raise AmendmentError("rubric: a rating exists, so its words cannot change any more; make a new panel")
    if not reason.strip():
        raise AmendmentError("reason: say why the locked design is changed")
    old = current.model_dump(mode="json")[name]
    old = old[inner] if inner else old
    if name == "raters" and int(value) < int(old):
        raise AmendmentError("raters: a slot cannot be taken away; revoke its invitation instead")
    amendment = Amendment(field=field, before=old, after=value, reason=reason.strip(), at=at)
    amended(current, (amendment,))
    return amendment


def amended(design: PanelDesign, amendments: tuple[Amendment, ...]) -> PanelDesign:
    """The design as it holds now. Raises ValueError (pydantic's) for a value that does not fit its field."""
    body = design.model_dump(mode="json")
    for one in amendments:
        name, _, inner = one.field.partition(".")
        if inner:
            body[name] = {**body[name], inner: one.after}
        else:
            body[name] = one.after
    return PanelDesign.model_validate(body)
