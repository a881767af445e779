"""Exact and Satterthwaite F intervals of the intraclass correlations, for complete and independent items.

Raters are taken as a random sample of raters, items as independent and normal. Source: McGraw and Wong (1996),
Psychological Methods 1:30-46, table 7 (with the 1996 correction), after Shrout and Fleiss (1979).
"""

from __future__ import annotations

from scipy.special import fdtri

from app.domain.agreement.icc import Anova, spearman_brown

Bounds = tuple[float, float]


def mcgraw_wong(anova: Anova, *, level: float = 0.95) -> dict[str, Bounds | None]:
    """Intervals by coefficient name; None where the mean squares leave it undefined."""
    sums = anova.contributions.sum(axis=0)[None, :]
    n, k = float(sums[0, 0]), anova.raters
    rows, columns, residual, within = (float(square[0]) for square in anova.mean_squares(sums))
    if not min(n - 1, k - 1) >= 1 or not min(rows, residual, within) > 0:
        return dict.fromkeys(("icc_a1", "icc_ak", "icc_c1", "icc_ck", "icc_1", "icc_k"))
    tail = (1 + level) / 2
    one_way = _by_ratio(rows / within, n - 1, n * (k - 1), tail)
    two_way = _by_ratio(rows / residual, n - 1, (n - 1) * (k - 1), tail)
    agreement = _agreement((rows, columns, residual), n, k, tail)
    return {
        "icc_a1": agreement,
        "icc_ak": _averaged(agreement, k),
        "icc_c1": _single(two_way, k),
        "icc_ck": (1 - 1 / two_way[0], 1 - 1 / two_way[1]),
        "icc_1": _single(one_way, k),
        "icc_k": (1 - 1 / one_way[0], 1 - 1 / one_way[1]),
    }


def _by_ratio(f_ratio: float, above: float, below: float, tail: float) -> Bounds:
    return f_ratio / float(fdtri(above, below, tail)), f_ratio * float(fdtri(below, above, tail))


def _single(bounds: Bounds, k: int) -> Bounds:
    low, high = ((bound - 1) / (bound + k - 1) for bound in bounds)
    return low, high


def _averaged(bounds: Bounds, k: int) -> Bounds | None:
    low, high = (spearman_brown(bound, k) for bound in bounds)
    return None if low is None or high is None else (low, high)


def _agreement(squares: tuple[float, float, float], n: float, k: int, tail: float) -> Bounds:
    rows, columns, residual = squares
    value = (rows - residual) / (rows + (k - 1) * residual + k * (columns - residual) / n)
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    df = (a * columns + b * residual) ** 2 / ((a * columns) ** 2 / (k - 1) + (b * residual) ** 2 / ((n - 1) * (k - 1)))
    lower, upper = float(fdtri(n - 1, df, tail)), float(fdtri(df, n - 1, tail))
    noise = k * columns + (k * n - k - n) * residual
    return (
        n * (rows - lower * residual) / (lower * noise + n * rows),
        n * (upper * rows - residual) / (noise + n * upper * rows),
    )
