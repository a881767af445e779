"""How a study will be analysed, fixed and hashed before launch: hypotheses, margins, exclusions, seed and resamples."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Hypothesis(StrEnum):
    """The claims a study may test (protocol section 7)."""

    H1 = "H1"
    H2 = "H2"
    H3 = "H3"
    H4 = "H4"
    H5A = "H5a"
    H5B = "H5b"


class Treatment(StrEnum):
    """What the main analysis does with eras and runs that carry an intervention; the other is its sensitivity."""

    KEEP = "keep"
    LEAVE_OUT = "leave_out"

    @property
    def other(self) -> "Treatment":
        """The one that the main analysis is read beside."""
        return Treatment.LEAVE_OUT if self is Treatment.KEEP else Treatment.KEEP


class Incomplete(StrEnum):
    """What the main analysis does with runs of which an era is not judged."""

    LEAVE_OUT = "leave_out"
    KEEP = "keep"


class AnalysisPlan(BaseModel):
    """The analysis as it stands in the design.

    Margins are in score points: ``leakage_margin`` is H3's on run means of the hindsight subscore, ``gap_margin`` that
    within which the gap of planted exact-layer decisions must lie for H4 to be believed. Holm's adjustment is over all
    six hypotheses whatever is chosen; those not chosen are reported as not declared.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hypotheses: Annotated[tuple[Hypothesis, ...], Field(min_length=1)] = tuple(Hypothesis)
    leakage_margin: Annotated[float, Field(gt=0, le=10)] = 1.0
    gap_margin: Annotated[float, Field(gt=0, le=10)] = 0.5
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    interventions: Treatment = Treatment.KEEP
    incomplete: Incomplete = Incomplete.LEAVE_OUT
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 1
    resamples: Annotated[int, Field(ge=999, le=999_999)] = 99_999
