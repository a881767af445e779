"""A judge that knows the truth is right everywhere; one that always names the same layer is not."""

import pytest

from app.domain.audit.layer_truth import LayerCase, layer_accuracy
from app.domain.protocol.fictional import fictional_layers, true_profits
from app.domain.protocol.layers import LayerDistance
from app.domain.scoring.captures import UnknownLayerError
from tests.histories.worlds import world


def cases(named: str | None = None) -> list[LayerCase]:
    """Eras of six worlds; the judge says ``named`` (``last``: the world's last layer), by default the truth."""
    found = []
    for history in map(world, range(6)):
        graph = fictional_layers(history)
        last = {"last": graph.ids[-1]}
        found += [
            LayerCase(
                graph.ids[0],
                last.get(named, named) if named else window.ranking[0],
                true_profits(history, window.era),
                graph,
            )
            for window in history.windows
        ]
    return found


def test_a_judge_that_knows_is_right_about_layer_and_distance():
    accuracy = layer_accuracy(cases())
    assert accuracy.eras == 36
    assert accuracy.named.value == accuracy.near.value == 1.0
    assert accuracy.distance.value is not None
    assert accuracy.distance.value > 0.9  # a second layer within 10 % can bring the chosen one nearer
    assert sum(accuracy.counts.values()) == 36


def test_a_judge_that_always_says_the_same_is_mostly_wrong():
    accuracy = layer_accuracy(cases("last"))
    assert accuracy.named.value is not None
    assert accuracy.near.value is not None
    assert accuracy.named.value < accuracy.near.value < 1.0
    assert {true for _, true in accuracy.counts} >= {LayerDistance.MISS}


def test_no_era_has_no_accuracy_and_a_strange_layer_is_refused():
    assert layer_accuracy([]).named.reason == "there is no fictional era"
    with pytest.raises(UnknownLayerError, match="the chosen layer 'moon' is not a layer"):
        layer_accuracy(cases("moon"))
