"""Plans standards, laws and shortages: what opens a layer, holds it down or makes it dear."""

import random
from collections.abc import Iterator, Sequence

from app.domain.world.events import Fate
from app.domain.world.histories.facts import Cause, Regulation, Standard
from app.domain.world.histories.months import month_of, written
from app.domain.world.histories.names import Coiner
from app.domain.world.histories.plans import Horizon
from app.domain.world.histories.themes import LayerTheme

STANDARD_FORMS = ("{a} Rule", "{a} Measure", "Convention of {a}", "{a} Book", "{a} Common Form")
LAW_FORMS = ("{a} Act", "Statute of {a}", "{a} Ordinance", "{a} Edict")
BECAUSE = (
    "after two drying sheds burned at {place}",
    "after {hazard} spoiled the season's {material}",
    "after the carriers' guild at {place} stopped work",
    "after orders from three provinces came in one month",
    "after the road through {place} was closed by a slide",
    "after the largest bed of {material} near {place} gave out",
)


def plan_standards(
    scarce: Sequence[str], layers: Sequence[LayerTheme], horizon: Horizon, coiner: Coiner, chance: random.Random
) -> tuple[Standard, ...]:
    """A standard opens each layer that scarcity leaves; others are proposed elsewhere, most of them in vain."""
    found = [_opening(layer, era, horizon, coiner, chance) for era, layer in enumerate(scarce[:-1])]
    quiet = [layer.id for layer in layers if layer.id not in scarce] or [scarce[0]]
    found += [_other(quiet, layers, horizon, coiner, chance) for _ in range(chance.randint(5, 8))]
    return tuple(sorted(found, key=lambda one: (one.proposed_on, one.id)))


def _opening(layer: str, era: int, horizon: Horizon, coiner: Coiner, chance: random.Random) -> Standard:
    adopted = month_of(horizon.era_year(era), 1) + chance.randint(-8, 10)
    proposed = adopted - chance.randint(12, 40)
    name = coiner.coin()
    return Standard(
        id=name.lower(),
        name=chance.choice(STANDARD_FORMS).format(a=name),
        layer=layer,
        proposed_on=written(proposed),
        adopted_on=written(adopted),
        withdrawn_on=None,
        fate=Fate.DOMINANT,
    )


def _other(
    quiet: Sequence[str], layers: Sequence[LayerTheme], horizon: Horizon, coiner: Coiner, chance: random.Random
) -> Standard:
    name = coiner.coin()
    proposed = chance.randint(horizon.first_month + 1, horizon.last_month - 40)
    settled = proposed + chance.randint(8, 36)
    adopted = chance.random() < 0.35
    layer = chance.choice(list(quiet)) if adopted else chance.choice(list(layers)).id
    return Standard(
        id=name.lower(),
        name=chance.choice(STANDARD_FORMS).format(a=name),
        layer=layer,
        proposed_on=written(proposed),
        adopted_on=written(settled) if adopted else None,
        withdrawn_on=None if adopted else written(settled),
        fate=Fate.SURVIVED if adopted else Fate.ABANDONED,
    )


def plan_regulations(
    layers: Sequence[LayerTheme], horizon: Horizon, coiner: Coiner, chance: random.Random
) -> tuple[Regulation, ...]:
    """Eight to twelve laws; a third is repealed."""
    found = []
    for _ in range(chance.randint(8, 12)):
        name = coiner.coin()
        passed = chance.randint(horizon.first_month + 24, horizon.last_month - 14)
        repealed = passed + chance.randint(20, 120)
        gone = chance.random() < 0.35 and repealed < horizon.last_month
        found.append(
            Regulation(
                id=name.lower(),
                name=chance.choice(LAW_FORMS).format(a=name),
                layer=chance.choice(list(layers)).id,
                kind=chance.choice(("cap", "levy", "licence", "mandate")),
                proposed_on=written(passed - chance.randint(7, 22)),
                passed_on=written(passed),
                repealed_on=written(repealed) if gone else None,
                fate=Fate.ABANDONED if gone else chance.choice((Fate.SURVIVED, Fate.NICHE)),
            )
        )
    return tuple(sorted(found, key=lambda one: (one.passed_on, one.id)))


def plan_causes(
    scarce: Sequence[str],
    layers: Sequence[LayerTheme],
    regulations: Sequence[Regulation],
    horizon: Horizon,
    because: Sequence[str],
    chance: random.Random,
) -> tuple[Cause, ...]:
    """Why prices may rise: a long shortage where scarcity goes, short ones elsewhere, and levies."""
    drawn = [*_long(scarce, horizon, chance), *_short(layers, horizon, chance), *_levies(regulations)]
    reasons = chance.sample(list(because), k=len(because))
    return tuple(
        Cause(f"{kind}-{number}", kind, layer, first, last, percent, reasons[number % len(reasons)])
        for number, (kind, layer, first, last, percent) in enumerate(sorted(drawn, key=lambda one: one[2]), start=1)
    )


_Draft = tuple[str, str, int, int, int]


def _long(scarce: Sequence[str], horizon: Horizon, chance: random.Random) -> Iterator[_Draft]:
    for era, layer in enumerate(scarce[1:]):
        first = horizon.era_year(era) + chance.randint(0, 1)
        yield "shortage", layer, first, first + chance.randint(1, 2), chance.randint(18, 45)


def _short(layers: Sequence[LayerTheme], horizon: Horizon, chance: random.Random) -> Iterator[_Draft]:
    for _ in range(chance.randint(4, 6)):
        year = chance.randint(horizon.first_year + 3, horizon.last_year - 1)
        yield "shortage", chance.choice(list(layers)).id, year, year, chance.randint(8, 22)


def _levies(regulations: Sequence[Regulation]) -> Iterator[_Draft]:
    for law in regulations:
        if law.kind == "levy":
            year = int(law.passed_on[:4])
            yield "levy", law.layer, year + 1, year + 2, 12
