"""Judging stored decisions again: what a judging judges, how, and how often, and the steps that follow from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from app.domain.engine.inputs import Role, StepKind
from app.domain.engine.steps import PlannedStep, step_key
from app.domain.ids import StepKey
from app.domain.protocol.budgets import Budget
from app.domain.protocol.eras import Schedule
from app.domain.protocol.rubrics import STANDARD_ANCHORS
from app.domain.study import ModelChoice, StudyDesign, plan_runs

FIRST_JUDGING = 100_001
"""Judgings are numbered far above any run of a design, so that neither is ever taken for the other."""

FIRST_CHECK = 101_001
"""The number of the first judging that no design asked for."""


class Purpose(StrEnum):
    """Why stored decisions are judged again (protocol sections 6 and 8); recall asks about the window instead."""

    FURTHER = "further"
    RETEST = "retest"
    SWAP = "swap"
    PADDING = "padding"
    SELF_PREFERENCE = "self_preference"
    OUTCOME_FLIP = "outcome_flip"
    EXACT_LAYER = "exact_layer"
    BLINDNESS = "blindness"
    RECALL = "recall"


class Variant(StrEnum):
    """What is changed in the packet of the first judge."""

    PLAIN = "plain"
    PADDED = "padded"
    SUCCESS = "success"
    FAILURE = "failure"
    EXACT = "exact"


VARIANTS: Mapping[Purpose, tuple[Variant, ...]] = {
    Purpose.PADDING: (Variant.PLAIN, Variant.PADDED),
    Purpose.OUTCOME_FLIP: (Variant.SUCCESS, Variant.FAILURE),
    Purpose.EXACT_LAYER: (Variant.EXACT,),
}
"""The variants a purpose judges each decision in; the plain one alone where none are named."""

KINDS: Mapping[Purpose, StepKind] = {Purpose.BLINDNESS: StepKind.GUESS, Purpose.RECALL: StepKind.RECALL}
"""The steps of a purpose; a review where none is named."""


class JudgedItem(BaseModel):
    """A stored decision by its run's number and its era.

    Where only the era's window is asked about, the run says whose schedule is meant; 0 is the design's first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: Annotated[int, Field(ge=0)]
    era: str


class JudgingPlan(BaseModel):
    """Everything a judging is: kept with it and hashed into its ledger when it starts.

    ``repetitions`` is how often each item is asked about: again for a decision, another question for recall. ``seed``
    is what the items were drawn with, None where they are all there were.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    purpose: Purpose
    judge: ModelChoice
    anchors: str = STANDARD_ANCHORS
    items: tuple[JudgedItem, ...]
    repetitions: Annotated[int, Field(ge=1, le=50)] = 1
    seed: int | None = None
    budget: Budget | None = None

    @property
    def kind(self) -> StepKind:
        """What each of its steps is."""
        return KINDS.get(self.purpose, StepKind.REVIEW)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """What each item is judged in."""
        return VARIANTS.get(self.purpose, (Variant.PLAIN,))

    @property
    def calls(self) -> int:
        """Model calls without faults: exact."""
        return len(self.items) * len(self.variants) * self.repetitions

    @cached_property
    def sittings(self) -> Mapping[StepKey, "Sitting"]:
        """Every sitting by its step's key: all items once before any a second time."""
        found = (
            _sitting(self.kind, item, variant, repetition)
            for repetition in range(1, self.repetitions + 1)
            for item in self.items
            for variant in self.variants
        )
        return {sitting.step.key: sitting for sitting in found}


@dataclass(frozen=True, slots=True)
class Sitting:
    """One independent call of a judging: an item in a variant, for the ``repetition``-th time."""

    step: PlannedStep
    run: int
    variant: Variant
    repetition: int


def design_judgings(design: StudyDesign) -> tuple[JudgingPlan, ...]:
    """The judgings that a design asks for: every decision of every run, once by each further judge."""
    items = tuple(JudgedItem(run=run.number, era=era.id) for run in plan_runs(design) for era in run.schedule.eras)
    return tuple(
        JudgingPlan(purpose=Purpose.FURTHER, judge=further.judge, anchors=further.anchors, items=items)
        for further in design.further_judges
    )


def schedule_asked(design: StudyDesign, run: int) -> Schedule:
    """The schedule that an item of a judging is about: that of its run, or the design's first."""
    return plan_runs(design)[run - 1].schedule if run else design.schedules[0]


def _sitting(kind: StepKind, item: JudgedItem, variant: Variant, repetition: int) -> Sitting:
    place = f"r{item.run:03d}/" if item.run else ""
    part = f"{place}q{repetition:02d}" if kind is StepKind.RECALL else f"r{item.run:03d}/{variant}/{repetition}"
    key = step_key(item.era, kind, part)
    return Sitting(PlannedStep(key, item.era, kind, Role.JUDGE, needs=()), item.run, variant, repetition)
