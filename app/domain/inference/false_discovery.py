"""Benjamini and Yekutieli's control of the false discovery rate under any dependence."""

from __future__ import annotations

from collections.abc import Mapping


def reject_benjamini_yekutieli(p_values: Mapping[str, float], rate: float = 0.05) -> set[str]:
    """Names of the hypotheses rejected at false discovery rate `rate`.

    With p(1) <= ... <= p(m), all up to the largest i with p(i) <= i * rate / (m * sum of 1/j). Source: Benjamini and
    Yekutieli (2001), Annals of Statistics 29:1165-1188.
    """
    count = len(p_values)
    harmonic = sum(1 / rank for rank in range(1, count + 1))
    ordered = sorted(p_values, key=lambda name: p_values[name])
    last = max(
        (rank for rank, name in enumerate(ordered, 1) if p_values[name] <= rank * rate / (count * harmonic)), default=0
    )
    return set(ordered[:last])
