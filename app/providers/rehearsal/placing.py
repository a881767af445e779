"""Where in the era's layer list a business, or the value of a window, belongs."""

from collections import Counter

from app.domain.engine.inputs import StepInput
from app.domain.protocol.layers import Layer, LayerDistance, LayerGraph
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import Opening, domains
from app.providers.rehearsal.reports import report_of
from app.providers.rehearsal.wording import low

OWN_OPINION = 0.15
"""How often a judge's label for the same window differs from its colleagues'."""


def layer_for(domain: str, opening: Opening | None, layers: LayerGraph, draws: Draws) -> Layer:
    """The opening's layer where the era has it, else one whose name speaks of the domain, else a drawn one."""
    ids = layers.ids
    if opening is not None and opening.layer in ids:
        near = layers.layer(opening.layer).neighbours
        return layers.layer(draws.one(near) if near and draws.chance(0.3) else opening.layer)
    known = [name for name in domains()[domain].layers if name in ids]
    if known:
        return layers.layer(draws.one(known))
    return draws.one(_speaking_of(domain, layers) or layers.layers)


def spoken(layers: LayerGraph, layer_id: str) -> str:
    """A layer's name inside a sentence, after "the"; an unknown id is said as it stands."""
    name = low(layers.layer(layer_id).name) if layer_id in layers.ids else layer_id
    return f"{name} layer"


def pooled_layer(step: StepInput) -> str:
    """Where value pooled in the window, by the domains of its events: the same in review and second reading."""
    texts = [event.text for event in step.outcomes]
    draws = Draws("pooled", step.era.id, step.era.start.isoformat(), *texts[:1], *texts[-1:])
    counts = Counter(report_of(event).domain for event in step.outcomes) or Counter(dict.fromkeys(domains(), 1))
    names = sorted(counts)
    domain = draws.weighted(names, [counts[name] ** 2 for name in names])
    layer = layer_for(domain, None, step.layers, draws)
    own = Draws("own opinion", step.era.id, step.decision.chain.capability if step.decision else "")
    return own.one(layer.neighbours) if layer.neighbours and own.chance(OWN_OPINION) else layer.id


def distance(layers: LayerGraph, chosen: str, pooled: str) -> LayerDistance:
    """Layer distance; a layer that is not in the list is a miss."""
    return layers.distance(chosen, (pooled,)) if chosen in layers.ids else LayerDistance.MISS


def _speaking_of(domain: str, layers: LayerGraph) -> list[Layer]:
    words = domains()[domain].layer_words
    scored = [
        (sum(word in f"{layer.id} {layer.name} {layer.about}".lower() for word in words), layer)
        for layer in layers.layers
    ]
    best = max(score for score, _ in scored)
    return [layer for score, layer in scored if score == best] if best else []
