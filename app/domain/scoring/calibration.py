"""Does the judge see no gap where there is none? Planted decisions that choose the exact layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.inference.equivalence import Equivalence, two_one_sided_tests
from app.domain.scoring.gaps import gap_of
from app.domain.scoring.measures import Measure, mean_of
from app.domain.scoring.scored_eras import ScoredEra, eras_by_run, require_one_scale, require_record


@dataclass(frozen=True, slots=True)
class GapCalibration:
    """Mean over runs of the mean gap of planted exact-layer decisions; the test that it lies within +/- margin of 0."""

    mean: Measure
    near_zero: Equivalence


def calibrate_gap(planted: Sequence[ScoredEra], *, margin: float) -> GapCalibration:
    """Give the gap of planted decisions, runs as the unit; a gap away from 0 is an offset of the anchors (H4).

    Raises MixedRubricsError for eras of The Auditor or of two modes.
    """
    require_record(planted, "the calibration of the gap")
    require_one_scale(planted)
    gaps = [mean_of([gap_of(era) for era in eras]).value for eras in eras_by_run(planted).values()]
    means = [gap for gap in gaps if gap is not None]
    return GapCalibration(mean_of(means, "run with planted decisions"), two_one_sided_tests(means, margin))
