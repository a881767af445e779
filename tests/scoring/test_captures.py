"""Frontier capture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.protocol.layers import Layer, LayerDistance, LayerGraph
from app.domain.scoring.captures import (
    NamedLayer,
    UnknownLayerError,
    capture_without_recall,
    frontier_capture,
    layer_distance,
    named_but_adjoining,
    pooled_layers,
)
from app.domain.scoring.measures import Measure, undefined

CHAIN = LayerGraph(
    layers=(
        Layer(id="chips", name="Chips", neighbours=("clouds",)),
        Layer(id="clouds", name="Clouds", neighbours=("chips", "apps")),
        Layer(id="apps", name="Applications", neighbours=("clouds",)),
    )
)


@pytest.mark.parametrize(
    ("profits", "pooled"),
    [
        ({"chips": 100.0, "clouds": 90.0, "apps": 89.9}, {"chips", "clouds"}),
        ({"chips": -5.0, "clouds": -5.0, "apps": -6.0}, {"chips", "clouds"}),
        ({"chips": 0.0, "apps": -1.0}, {"chips"}),
    ],
)
def test_layers_near_the_top_pool_too(profits: dict[str, float], pooled: set[str]):
    assert pooled_layers(profits) == pooled


def test_no_layers_have_no_top():
    with pytest.raises(ValueError, match="no layer"):
        pooled_layers({})


@pytest.mark.parametrize(("chosen", "distance"), [("chips", "match"), ("clouds", "neighbour"), ("apps", "miss")])
def test_distance_counts_edges(chosen: str, distance: str):
    assert layer_distance(chosen, {"chips"}, CHAIN) == distance


def test_unknown_layers_are_named():
    with pytest.raises(UnknownLayerError, match="the chosen layer 'pagers' is not a layer of this era: chips"):
        layer_distance("pagers", {"chips"}, CHAIN)
    with pytest.raises(UnknownLayerError, match="the pooled layer 'pagers'"):
        layer_distance("chips", {"pagers"}, CHAIN)


@given(st.lists(st.sampled_from(LayerDistance), min_size=1))
def test_capture_is_the_average_credit(distances: list[LayerDistance]):
    found = frontier_capture(distances)

    assert sum(found.counts.values()) == len(distances)
    assert found.capture.value == pytest.approx(
        (found.counts[LayerDistance.MATCH] + found.counts[LayerDistance.NEIGHBOUR] / 2) / len(distances)
    )


def test_capture_of_nothing_is_undefined():
    assert frontier_capture([]).capture.reason == "there is no layer distance"


def test_named_but_adjoining_leaves_out_eras_without_a_label():
    eras = [
        NamedLayer(True, LayerDistance.NEIGHBOUR),
        NamedLayer(True, LayerDistance.MATCH),
        NamedLayer(False, LayerDistance.NEIGHBOUR),
        NamedLayer(None, LayerDistance.NEIGHBOUR),
    ]

    assert named_but_adjoining(eras) == Measure(1 / 3, 3)
    assert named_but_adjoining(eras[3:]).value is None


def test_capture_without_recall_is_a_difference():
    assert capture_without_recall(Measure(0.75, 6), Measure(0.5, 4)) == Measure(0.25, 10)
    assert "historical" in (capture_without_recall(undefined("no era"), Measure(0.5, 4)).reason or "")
    assert "post-cutoff" in (capture_without_recall(Measure(0.5, 4), undefined("no era")).reason or "")
