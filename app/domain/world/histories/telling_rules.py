"""Tells standards, laws, shortages, and the signs of scarcity that a careful reader could have seen."""

import random

from app.domain.world.events import Fate
from app.domain.world.histories import sentences as say
from app.domain.world.histories.chronicle import Chronicle
from app.domain.world.histories.facts import Cause, Regulation, Standard
from app.domain.world.histories.months import month_from, month_of
from app.domain.world.histories.scene import Scene
from app.domain.world.histories.themes import LayerTheme

TRUE_SIGNS = 3
"""Signs of the coming scarcity in the three years before an era, beside as many false ones elsewhere."""


class RuleTeller:
    """Tells one world's standards, laws, causes and signs."""

    def __init__(self, scene: Scene, chronicle: Chronicle, chance: random.Random) -> None:
        self._scene = scene
        self._chronicle = chronicle
        self._chance = chance
        self._layers = {layer.id: layer for layer in scene.plan.layers}

    def tell_standard(self, one: Standard) -> None:
        """A standard proposed, then adopted or withdrawn."""
        words = {"standard": one.name}
        self._write("proposal", month_from(one.proposed_on), "networks", say.PROPOSED_STANDARD, one, words)
        if one.adopted_on:
            self._write("adoption", month_from(one.adopted_on), "software", say.ADOPTED_STANDARD, one, words)
        else:
            self._write(
                "lapse", month_from(one.withdrawn_on or one.proposed_on), "networks", say.WITHDRAWN_STANDARD, one, words
            )

    def tell_law(self, one: Regulation) -> None:
        """A law proposed, passed and perhaps repealed, by one body throughout."""
        clause = say.CLAUSES[one.kind].format(plural=self._layers[one.layer].plural)
        words = {"law": one.name, "clause": clause, "body": self._chance.choice(self._scene.cast.bodies)}
        self._write("bill", month_from(one.proposed_on), "regulation", say.PROPOSED_LAW, one, words)
        self._write("law", month_from(one.passed_on), "regulation", say.PASSED_LAW, one, words)
        if one.repealed_on:
            self._write("repeal", month_from(one.repealed_on), "regulation", say.REPEALED_LAW, one, words)

    def tell_cause(self, one: Cause) -> None:
        """A shortage or the first levy, early in its first year."""
        templates = say.LEVIED if one.kind == "levy" else say.SHORTAGE
        layer = self._layers[one.layer]
        domain = "regulation" if one.kind == "levy" else layer.domain
        told = False
        while not told:  # a sentence that stands there already is worded again
            month = month_of(one.first_year, self._chance.randint(1, 3))
            text = self._text(templates, layer, {"because": one.because}, month)
            told = self._chronicle.write(one.kind, month, domain, text, Fate.SURVIVED, (one.id,))

    def tell_signs(self) -> None:
        """Before each era: signs where scarcity goes, as many signs elsewhere, and gluts where a standard opens."""
        plan = self._scene.plan
        for era, layer in enumerate(plan.scarce[1:]):
            start = month_of(plan.horizon.era_year(era), 1)
            others = [one for one in self._layers if one != layer]
            for _ in range(TRUE_SIGNS):
                self._sign(say.SIGNALS, "sign", layer, start)
                self._sign(say.SIGNALS, "sign", self._chance.choice(others), start)
            self._sign(say.GLUTS, "glut", plan.scarce[era], start + 30)
            self._sign(say.GLUTS, "glut", self._chance.choice(others), start)

    def _sign(self, templates: tuple[str, ...], kind: str, layer: str, before: int) -> None:
        month = before - self._chance.randint(2, 34)
        text = self._text(templates, self._layers[layer], {}, month)
        fate = Fate.SURVIVED if kind == "sign" else Fate.NICHE
        self._chronicle.write(kind, month, "enterprise" if kind == "sign" else "consumer", text, fate, self._firm(text))

    def _firm(self, text: str) -> tuple[str, ...]:
        return tuple(firm.id for firm in self._scene.plan.firms if firm.name in text)

    def _write(
        self,
        kind: str,
        month: int,
        domain: str,
        templates: tuple[str, ...],
        one: Standard | Regulation,
        words: dict[str, str],
    ) -> None:
        text = self._text(templates, self._layers[one.layer], words, month)
        self._chronicle.write(kind, month, domain, text, one.fate, (one.id,))

    def _text(self, templates: tuple[str, ...], layer: LayerTheme, words: dict[str, str], month: int) -> str:
        standing = self._scene.standing(month, layer.id)
        given = self._scene.common(month) | self._scene.of_layer(layer)
        given["firm"] = self._chance.choice(standing).name if standing else ""
        return self._scene.line(templates).format(**(given | words))
