"""Does the judge see no gap where there is none? Planted decisions that choose the exact layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.inference.equivalence import Equivalence, two_one_sided_tests
from app.domain.scoring.gaps import gap_of
from app.domain.scoring.measures import Measure, mean_of
from app.domain.scoring.scored_eras import ScoredEra, require_record


@dataclass(frozen=True, slots=True)
class GapCalibration:
    """Mean gap of planted exact-layer decisions, and the test that it lies within +/- margin of zero."""

    mean: Measure
    near_zero: Equivalence


def calibrate_gap(planted: Sequence[ScoredEra], *, margin: float) -> GapCalibration:
    """Give the gap of independently judged planted decisions; a gap away from 0 is an offset of the anchors (H4)."""
    require_record(planted, "the calibration of the gap")
    gaps = [gap_of(era) for era in planted]
    return GapCalibration(mean_of(gaps, "planted decision"), two_one_sided_tests(gaps, margin))
