"""Plans a world's firms: one of each layer lasts, the others come, fail or are bought."""

import random
from collections.abc import Sequence

from app.domain.world.histories.names import Coiner
from app.domain.world.histories.plans import Horizon, PlannedFirm
from app.domain.world.histories.themes import LayerTheme

FORMS = (
    "{a} & {b}",
    "{a} Brothers",
    "House of {a}",
    "{a} Works",
    "{a} Mutual",
    "{a} and Daughters",
    "The {a} Company",
    "{a} Partners",
    "{a} Yard",
)
FIRMS_A_LAYER = (2, 3)
FAILING = 0.6


def plan_firms(
    layers: Sequence[LayerTheme], places: Sequence[str], horizon: Horizon, coiner: Coiner, chance: random.Random
) -> tuple[PlannedFirm, ...]:
    """Firms in order of layer; the first of each layer stands from the start of the record to its end."""
    firms: list[PlannedFirm] = []
    for layer in layers:
        lasting = PlannedFirm(
            _name(coiner, chance),
            layer.id,
            chance.choice(places),
            horizon.first_month - chance.randint(24, 400),
        )
        firms.append(lasting)
        firms.extend(
            _passing(lasting, layer, places, horizon, _name(coiner, chance), chance)
            for _ in range(chance.randint(*FIRMS_A_LAYER))
        )
    return tuple(firms)


def _passing(
    lasting: PlannedFirm,
    layer: LayerTheme,
    places: Sequence[str],
    horizon: Horizon,
    name: str,
    chance: random.Random,
) -> PlannedFirm:
    founded = chance.randint(horizon.first_month + 2, horizon.last_month - 40)
    ended = founded + chance.randint(30, 190)
    if chance.random() >= FAILING or ended >= horizon.last_month:
        return PlannedFirm(name, layer.id, chance.choice(places), founded)
    into = lasting.id if chance.random() < 0.4 else None
    return PlannedFirm(name, layer.id, chance.choice(places), founded, ended, into)


def _name(coiner: Coiner, chance: random.Random) -> str:
    form = chance.choice(FORMS)
    return form.format(a=coiner.coin(), b=coiner.coin() if "{b}" in form else "")
