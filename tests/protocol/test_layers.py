"""The layer graph is symmetric and tells match, neighbour and miss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.protocol.layers import Layer, LayerDistance, LayerGraph
from app.library import reader


def line() -> LayerGraph:
    return LayerGraph(
        layers=(
            Layer(id="a", name="A", neighbours=("b",)),
            Layer(id="b", name="B", neighbours=("a", "c")),
            Layer(id="c", name="C", neighbours=("b",)),
        )
    )


@pytest.mark.parametrize(
    ("chosen", "pooled", "distance"),
    [
        ("a", ("a",), LayerDistance.MATCH),
        ("a", ("c", "a"), LayerDistance.MATCH),
        ("a", ("b",), LayerDistance.NEIGHBOUR),
        ("a", ("c",), LayerDistance.MISS),
        ("a", (), LayerDistance.MISS),
    ],
)
def test_distance_counts_edges(chosen: str, pooled: tuple[str, ...], distance: LayerDistance):
    assert line().distance(chosen, pooled) is distance


@given(st.sampled_from(reader.layers().ids), st.sampled_from(reader.layers().ids))
def test_distance_is_symmetric(one: str, other: str):
    graph = reader.layers()
    assert graph.distance(one, (other,)) is graph.distance(other, (one,))


def test_a_layer_is_found_by_id():
    assert line().layer("b").name == "B"
    with pytest.raises(KeyError):
        line().layer("z")
    with pytest.raises(KeyError):
        line().distance("z", ("a",))


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ((Layer(id="a", name="A"), Layer(id="a", name="B")), "layer ids must differ"),
        ((Layer(id="a", name="A", neighbours=("a",)),), "layer a: neighbour a must exist, differ and name it back"),
        ((Layer(id="a", name="A", neighbours=("z",)),), "layer a: neighbour z must exist"),
        ((Layer(id="a", name="A", neighbours=("b",)), Layer(id="b", name="B")), "layer a: neighbour b"),
    ],
)
def test_a_graph_that_is_none_is_refused(layers: tuple[Layer, ...], message: str):
    with pytest.raises(ValueError, match=message):
        LayerGraph(layers=layers)
