"""Plans a world's technologies: three generations a layer, dead ends, and what each needed to exist."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.domain.world.histories.names import Coiner
from app.domain.world.histories.plans import Horizon, PlannedFirm, PlannedTechnology
from app.domain.world.histories.themes import LayerTheme

FLAWS = (
    "lost its setting in {hazard}",
    "could not be repaired away from the workshop",
    "needed a keeper day and night",
    "worked only when nothing else of its kind was near",
    "cost more to store than to make",
    "wore out within a season",
    "could be read by anyone who stood close",
    "gave two answers to the same question",
    "would not fit any stand already in use",
    "made its keepers ill",
)
DEAD_ENDS = (6, 9)


def plan_technologies(
    layers: Sequence[LayerTheme], horizon: Horizon, coiner: Coiner, hazard: str, chance: random.Random
) -> list[PlannedTechnology]:
    """Technologies in order of their showing, without makers and needs."""
    planned = [one for layer in layers for one in _line(layer, horizon, coiner, chance)]
    flaws = chance.sample(FLAWS, k=len(FLAWS))
    for index in range(chance.randint(*DEAD_ENDS)):
        flaw = flaws[index % len(flaws)].format(hazard=hazard)
        planned.append(_dead_end(chance.choice(list(layers)), horizon, coiner.coin(), flaw, chance))
    return sorted(planned, key=lambda one: (one.shown, one.id))


def _line(layer: LayerTheme, horizon: Horizon, coiner: Coiner, chance: random.Random) -> Iterator[PlannedTechnology]:
    """One to three generations: each supersedes the one before, which is given up years later."""
    clauses = chance.sample(layer.does, k=3)
    launches = [horizon.first_month + chance.randint(6, 34)]
    launches.append(launches[0] + chance.randint(8 * 12, 17 * 12))
    launches.append(launches[1] + chance.randint(9 * 12, 16 * 12))
    launches = [month for month in launches if month < horizon.last_month - 12]
    follows: str | None = None
    for number, launched in enumerate(launches):
        ended = launches[number + 1] + chance.randint(8 * 12, 13 * 12) if number + 1 < len(launches) else None
        shown = launched - chance.randint(7, 30)
        one = PlannedTechnology(
            name=coiner.coin(),
            layer=layer,
            does=clauses[number],
            generation=number,
            found=shown - chance.randint(6, 40),
            shown=shown,
            launched=launched,
            ended=ended if ended and ended < horizon.last_month else None,
            follows=follows,
            flaw=None,
        )
        yield one
        follows = one.id


def _dead_end(layer: LayerTheme, horizon: Horizon, name: str, flaw: str, chance: random.Random) -> PlannedTechnology:
    launched = chance.randint(horizon.first_month + 30, horizon.last_month - 24)
    shown = launched - chance.randint(5, 20)
    ended = launched + chance.randint(14, 60)
    return PlannedTechnology(
        name=name,
        layer=layer,
        does=chance.choice(layer.does),
        generation=0,
        found=shown - chance.randint(4, 24),
        shown=shown,
        launched=launched,
        ended=ended if ended < horizon.last_month else None,
        follows=None,
        flaw=flaw,
    )


def with_makers_and_needs(
    planned: Sequence[PlannedTechnology],
    firms: Sequence[PlannedFirm],
    near: dict[str, tuple[str, ...]],
    chance: random.Random,
) -> tuple[PlannedTechnology, ...]:
    """Give each technology a maker of its layer that stands at its launch, and needs that were sold before it."""
    return tuple(_completed(one, planned, firms, near, chance) for one in planned)


def _completed(
    one: PlannedTechnology,
    planned: Sequence[PlannedTechnology],
    firms: Sequence[PlannedFirm],
    near: dict[str, tuple[str, ...]],
    chance: random.Random,
) -> PlannedTechnology:
    makers = [firm for firm in firms if firm.layer == one.layer.id and firm.lives_in(one.shown)]
    lasting = [firm for firm in makers if firm.lives_in(one.launched + 1)]
    maker = chance.choice(lasting or [firm for firm in firms if firm.layer == one.layer.id][:1])
    close = near[one.layer.id]
    sold = [other.id for other in planned if other.layer.id in close and other.sold_in(one.shown - 1)]
    picked = chance.sample(sold, k=min(len(sold), chance.randint(1, 2)))
    follows = [one.follows] if one.follows else []
    return replace(one, maker=maker.id, needs=tuple(dict.fromkeys([*follows, *picked])))
