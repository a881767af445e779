"""Which items and ratings entered, and which did not."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from app.domain.agreement.matrix import RatingMatrix


@dataclass(frozen=True)
class Usage:
    """Counts for the table of used and excluded; `by_rater` counts each rater's ratings."""

    items: int
    complete: int
    pairable: int
    single: int
    unrated: int
    by_rater: dict[str, int]

    def as_json(self) -> dict[str, object]:
        """Plain values for JSON."""
        return asdict(self)


def usage_of(matrix: RatingMatrix) -> Usage:
    """Count a matrix."""
    counted = np.isfinite(matrix.values).sum(axis=0)
    return Usage(
        items=len(matrix.values),
        complete=len(matrix.complete),
        pairable=len(matrix.pairable),
        single=int((matrix.rated == 1).sum()),
        unrated=int((matrix.rated == 0).sum()),
        by_rater={name: int(count) for name, count in zip(matrix.raters, counted, strict=True)},
    )
