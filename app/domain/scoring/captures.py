"""Whether the company chose the layer where value pooled, one beside it, or neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from app.domain.protocol.layers import LayerDistance, LayerGraph
from app.domain.scoring.measures import Measure, mean_of, undefined

NEAR_TOP = 0.9


class UnknownLayerError(ValueError):
    """A layer id is not in the era's fixed list; the message names it and the list."""


CAPTURE_CREDIT: Mapping[LayerDistance, float] = {
    LayerDistance.MATCH: 1.0,
    LayerDistance.NEIGHBOUR: 0.5,
    LayerDistance.MISS: 0.0,
}


@dataclass(frozen=True, slots=True)
class CaptureSummary:
    """Frontier capture of a run: mean credit from 0 to 1 and the count of each distance."""

    capture: Measure
    counts: Mapping[LayerDistance, int]


@dataclass(frozen=True, slots=True)
class NamedLayer:
    """One era's second reading: did a thesis name the pooled layer, and how far did the decision land from it?"""

    named_by_thesis: bool | None
    distance: LayerDistance


def pooled_layers(profits: Mapping[str, float]) -> frozenset[str]:
    """Give the top layer and those within 10 % of its profit (or reference weight).

    Where the top profit is not positive, only layers equal to it count. Raises ValueError for no layers.
    """
    if not profits:
        raise ValueError("profits: there is no layer to rank")
    top = max(profits.values())
    least = NEAR_TOP * top if top > 0 else top
    return frozenset(layer for layer, profit in profits.items() if profit >= least)


def layer_distance(chosen: str, pooled: Collection[str], graph: LayerGraph) -> LayerDistance:
    """Distance of the chosen layer from the pooled ones: `match`, `neighbour` (one edge from any of them) or `miss`.

    Raises UnknownLayerError for an id that the era's list does not have.
    """
    for field, layer in [("the chosen layer", chosen), *(("the pooled layer", layer) for layer in sorted(pooled))]:
        if layer not in graph.ids:
            raise UnknownLayerError(f"{field} '{layer}' is not a layer of this era: {', '.join(graph.ids)}")
    return graph.distance(chosen, tuple(sorted(pooled)))


def frontier_capture(distances: Sequence[LayerDistance]) -> CaptureSummary:
    """Average credit (match 1, neighbour 0.5, miss 0) over the eras of a run that have a distance."""
    found = Counter(distances)
    credits_given = [CAPTURE_CREDIT[distance] for distance in distances]
    return CaptureSummary(mean_of(credits_given, "layer distance"), {kind: found[kind] for kind in LayerDistance})


def named_but_adjoining(eras: Sequence[NamedLayer]) -> Measure:
    """Share of eras in which a thesis named the pooled layer and the decision chose an adjoining one.

    Eras without a label are left out; `n` is the number of labelled eras.
    """
    labelled = [era for era in eras if era.named_by_thesis is not None]
    if not labelled:
        return undefined("no era has a label that says whether a thesis named the pooled layer")
    return mean_of([float(bool(era.named_by_thesis) and era.distance is LayerDistance.NEIGHBOUR) for era in labelled])


def capture_without_recall(historical: Measure, unrecallable: Measure) -> Measure:
    """Capture on historical eras less capture on fictional or post-cutoff eras: the part that recall may explain."""
    for name, measure in (("historical", historical), ("fictional or post-cutoff", unrecallable)):
        if measure.value is None:
            return undefined(f"capture on {name} eras is undefined: {measure.reason}")
    assert historical.value is not None
    assert unrecallable.value is not None
    return Measure(historical.value - unrecallable.value, historical.n + unrecallable.n)
