"""Tells firms: founded, funded, reporting, bought or closed."""

import random

from app.domain.world.events import Fate
from app.domain.world.histories import sentences as say
from app.domain.world.histories.chronicle import Chronicle
from app.domain.world.histories.plans import PlannedFirm
from app.domain.world.histories.scene import Scene

YEARS_BETWEEN_NOTES = (3, 8)


class FirmTeller:
    """Tells one world's firms."""

    def __init__(self, scene: Scene, chronicle: Chronicle, fates: dict[str, Fate], chance: random.Random) -> None:
        self._scene = scene
        self._chronicle = chronicle
        self._fates = fates
        self._chance = chance

    def tell(self, firm: PlannedFirm) -> None:
        """Everything on record about one firm."""
        self._write("founding", firm.founded, "enterprise", say.FOUNDED, firm)
        last = firm.ended if firm.ended is not None else self._scene.plan.horizon.last_month
        month = max(firm.founded, self._scene.plan.horizon.first_month) + self._chance.randint(4, 30)
        while month < last:
            funded = self._chance.random() < 0.5
            self._write(
                "funding" if funded else "report",
                month,
                "capital" if funded else "enterprise",
                say.FUNDED if funded else say.REPORTED,
                firm,
            )
            month += self._chance.randint(*YEARS_BETWEEN_NOTES) * 12 + self._chance.randint(0, 11)
        if firm.ended is not None and firm.into is not None:
            into = self._scene.firm(firm.into)
            self._write("merger", firm.ended, "capital", say.MERGED, firm, into)
        elif firm.ended is not None:
            self._write("closure", firm.ended, "capital", say.FAILED, firm)

    def _write(
        self,
        kind: str,
        month: int,
        domain: str,
        templates: tuple[str, ...],
        firm: PlannedFirm,
        into: PlannedFirm | None = None,
    ) -> None:
        layer = next(layer for layer in self._scene.plan.layers if layer.id == firm.layer)
        given = self._scene.common(month) | self._scene.of_layer(layer) | {"firm": firm.name, "home": firm.home}
        while given["place"] == firm.home and not self._scene.is_first:  # nobody moves from a place to itself
            given |= self._scene.common(month)
        given["into"] = into.name if into else ""
        text = self._scene.line(templates).format(**given)
        subjects = (firm.id, into.id) if into else (firm.id,)
        self._chronicle.write(kind, month, domain, text, self._fates[firm.id], subjects)
