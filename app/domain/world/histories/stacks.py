"""The world's layer graph, and the walk of scarcity over it that decides where profits can pool."""

import random
from collections.abc import Sequence

from app.domain.world.histories.themes import LayerTheme

MOST_DROPPED = 2
STAYS_NEAR = 0.75
"""How often scarcity moves to an adjoining layer, where there is one it has not visited."""


def choose_layers(layers: Sequence[LayerTheme], chance: random.Random) -> tuple[LayerTheme, ...]:
    """The craft's layers without up to two of them; the graph stays connected."""
    chosen = list(layers)
    for layer in chance.sample(list(layers), chance.randint(0, MOST_DROPPED)):
        rest = [other for other in chosen if other is not layer]
        if rest and is_connected(neighbours_within(rest)):
            chosen = rest
    return tuple(chosen)


def neighbours_within(layers: Sequence[LayerTheme]) -> dict[str, tuple[str, ...]]:
    """Symmetric neighbours among these layers, in their order."""
    edges = {frozenset((layer.id, near)) for layer in layers for near in layer.near}
    ids = [layer.id for layer in layers]
    return {one: tuple(other for other in ids if other != one and frozenset((one, other)) in edges) for one in ids}


def is_connected(near: dict[str, tuple[str, ...]]) -> bool:
    """Whether every layer can be reached from every other."""
    reached: set[str] = set()
    frontier = {next(iter(near))}
    while frontier:
        reached |= frontier
        frontier = {other for one in frontier for other in near[one]} - reached
    return len(reached) == len(near)


def walk_scarcity(near: dict[str, tuple[str, ...]], steps: int, chance: random.Random) -> tuple[str, ...]:
    """The scarce layer of each of ``steps`` spans: mostly a neighbour of the last, unvisited ones first."""
    walk = [chance.choice(list(near))]
    while len(walk) < steps:
        here = walk[-1]
        fresh = [layer for layer in near if layer not in walk] or [layer for layer in near if layer != here]
        close = [layer for layer in fresh if layer in near[here]]
        walk.append(chance.choice(close if close and chance.random() < STAYS_NEAR else fresh))
    return tuple(walk)
