"""Holm's step-down adjustment over a fixed family of hypotheses."""

from __future__ import annotations

from collections.abc import Mapping


def adjust_holm(p_values: Mapping[str, float | None]) -> dict[str, float | None]:
    """Adjust p-values so that rejecting at alpha keeps the family-wise error at alpha.

    Source: Holm 1979, Scandinavian Journal of Statistics 6:65-70. A hypothesis whose p is undefined stays in the
    family, as if its p were 1, so that the family fixed before launch never shrinks; its own adjusted p is None.
    Raises ValueError for a p-value outside 0..1.
    """
    for name, p in p_values.items():
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"{name}: a p-value lies between 0 and 1, this one is {p}")
    defined = sorted((p, name) for name, p in p_values.items() if p is not None)
    adjusted: dict[str, float | None] = dict.fromkeys(p_values)
    largest = 0.0
    for rank, (p, name) in enumerate(defined):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p))
        adjusted[name] = largest
    return adjusted
