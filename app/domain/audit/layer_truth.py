"""How often a judge names the layer where value truly pooled: known in invented worlds only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.domain.protocol.layers import LayerDistance, LayerGraph
from app.domain.scoring.captures import layer_distance, pooled_layers
from app.domain.scoring.measures import Measure, mean_of


@dataclass(frozen=True, slots=True)
class LayerCase:
    """One fictional era: the layer chosen, the judge's pooled layer, and the true profit of every layer."""

    chosen: str
    judged: str
    profits: Mapping[str, float]
    graph: LayerGraph


@dataclass(frozen=True, slots=True)
class LayerAccuracy:
    """The judge's labels against the truth.

    ``named`` is the share of eras whose judged layer is a true one (the top or within 10 %), ``near`` of those where it
    is that or adjoins it; ``distance`` the share in which the chosen layer's distance comes out the same. ``counts``
    says how often each pair (judged distance, true distance) came up.
    """

    eras: int
    named: Measure
    near: Measure
    distance: Measure
    counts: Mapping[tuple[LayerDistance, LayerDistance], int]


def layer_accuracy(cases: Iterable[LayerCase]) -> LayerAccuracy:
    """Compare judged with true pooled layers; raises UnknownLayerError for a layer that a world does not have."""
    judged_at: list[LayerDistance] = []
    pairs: list[tuple[LayerDistance, LayerDistance]] = []
    for case in cases:
        true = pooled_layers(case.profits)
        judged_at.append(layer_distance(case.judged, true, case.graph))
        judged = layer_distance(case.chosen, {case.judged}, case.graph)
        pairs.append((judged, layer_distance(case.chosen, true, case.graph)))
    return LayerAccuracy(
        eras=len(pairs),
        named=mean_of([float(one is LayerDistance.MATCH) for one in judged_at], "fictional era"),
        near=mean_of([float(one is not LayerDistance.MISS) for one in judged_at], "fictional era"),
        distance=mean_of([float(judged is true) for judged, true in pairs], "fictional era"),
        counts=Counter(pairs),
    )
