"""Fills the record: something in every domain every year, about whatever is alive and on sale."""

import random

from app.domain.world.events import Fate
from app.domain.world.histories.chronicle import Chronicle
from app.domain.world.histories.colour_sentences import COLOUR
from app.domain.world.histories.months import month_of
from app.domain.world.histories.scene import Scene
from app.domain.world.histories.themes import LayerTheme

FATES = (*(Fate.ABANDONED,) * 9, *(Fate.NICHE,) * 6, *(Fate.SURVIVED,) * 4, Fate.UNRESOLVED)
SECOND = 0.35
"""How often a domain that has something on record in a year gets another remark."""


def tell_colour(scene: Scene, chronicle: Chronicle, chance: random.Random) -> None:
    """Write colour until every domain has something on record in every year."""
    horizon = scene.plan.horizon
    for domain in COLOUR:
        filled = chronicle.years_with(domain)
        for year in range(horizon.first_year, horizon.last_year + 1):
            if year not in filled or chance.random() < SECOND:
                _remark(scene, chronicle, domain, year, chance)


def _remark(scene: Scene, chronicle: Chronicle, domain: str, year: int, chance: random.Random) -> None:
    """One remark; where the very sentence stands there already, the next one is dealt."""
    written = False
    while not written:
        template = scene.line(COLOUR[domain])
        month = month_of(year, chance.randint(1, 12))
        words, subjects = _words(template, scene, domain, month, chance)
        written = chronicle.write("note", month, domain, template.format(**words), chance.choice(FATES), subjects)


def _words(
    template: str, scene: Scene, domain: str, month: int, chance: random.Random
) -> tuple[dict[str, object], tuple[str, ...]]:
    words = scene.common(month)
    own = list(scene.layers_of(domain))
    layer: LayerTheme = chance.choice(own or list(scene.plan.layers))
    words |= scene.of_layer(layer)
    subjects: list[str] = []
    on_sale = [one for one in scene.on_sale(month) if not own or one.layer in own] or scene.on_sale(month)
    if "{tech}" in template:
        one = chance.choice(on_sale or list(scene.plan.technologies))
        words |= scene.of_layer(one.layer) | {"tech": one.words if on_sale else one.layer.noun}
        subjects += [one.id] if on_sale else []
    firm, firm2 = chance.sample(scene.standing(month), k=2)
    words |= {"firm": firm.name, "firm2": firm2.name}
    subjects += [each.id for each, place in ((firm, "{firm}"), (firm2, "{firm2}")) if place in template]
    return words, tuple(subjects)
