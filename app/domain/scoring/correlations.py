"""Do totals move with the hindsight subscore, within a run and across runs?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from app.domain.scoring.measures import Measure, undefined


def pearson_r(pairs: Sequence[tuple[float, float]]) -> Measure:
    """Pearson's product-moment correlation of (x, y) pairs, from -1 to 1.

    Undefined for fewer than three pairs (two always give 1 or -1) and when one side does not vary.
    """
    if len(pairs) < 3:
        return undefined(f"a correlation needs three eras; there are {len(pairs)}", len(pairs))
    mean_x = math.fsum(x for x, _ in pairs) / len(pairs)
    mean_y = math.fsum(y for _, y in pairs) / len(pairs)
    return _correlation_of_deviations([(x - mean_x, y - mean_y) for x, y in pairs])


def within_group_r(groups: Iterable[Sequence[tuple[float, float]]]) -> Measure:
    """Pearson's r pooled over groups (runs) after subtracting each group's own means.

    This is the within-run correlation: differences in level between runs cannot make or mask it.
    """
    deviations: list[tuple[float, float]] = []
    for pairs in groups:
        if pairs:
            mean_x = math.fsum(x for x, _ in pairs) / len(pairs)
            mean_y = math.fsum(y for _, y in pairs) / len(pairs)
            deviations += [(x - mean_x, y - mean_y) for x, y in pairs]
    if len(deviations) < 3:
        return undefined(f"a correlation needs three eras; there are {len(deviations)}", len(deviations))
    return _correlation_of_deviations(deviations)


def _correlation_of_deviations(deviations: Sequence[tuple[float, float]]) -> Measure:
    n = len(deviations)
    scale_x = math.hypot(*(x for x, _ in deviations))
    scale_y = math.hypot(*(y for _, y in deviations))
    if min(scale_x, scale_y) < 1e-9:
        return undefined("one of the two scores does not vary", n)
    # Each side is scaled before the products are summed, so that very large or small scores cannot overflow.
    r = math.fsum((x / scale_x) * (y / scale_y) for x, y in deviations)
    return Measure(max(-1.0, min(1.0, r)), n)
