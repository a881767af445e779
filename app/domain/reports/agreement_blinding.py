"""Whether raters could tell what was hidden from them: their guesses, and how well words alone tell it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.domain.agreement.blinding import guess_scores
from app.domain.agreement.estimate import Design, Estimate, estimate, undefined
from app.domain.agreement.judge_bias import MeanDifference
from app.domain.agreement.text_classifier import cross_validated_accuracy
from app.domain.inference.intervals import Transform
from app.domain.reports.agreement_ratings import GuessMade, PanelRatings, ReportedItem


@dataclass(frozen=True)
class ArmGuesses:
    """Guesses at items of one arm; ``index`` is Bang's, 0 for blind guessing and 1 for a mask that hid nothing."""

    arm: str
    asked: int
    right: int
    unsure: int
    index: Estimate


@dataclass(frozen=True)
class Blinding:
    """One hidden property: its arms, and a classifier's accuracy beside ``chance``, the share of the commonest arm."""

    about: str
    offered: int
    arms: tuple[ArmGuesses, ...]
    classifier: Estimate
    chance: float

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "about": self.about,
            "arms_offered": self.offered,
            "arms": [
                {
                    "arm": one.arm,
                    "asked": one.asked,
                    "right": one.right,
                    "dont_know": one.unsure,
                    "bang": one.index.as_json(),
                }
                for one in self.arms
            ],
            "classifier": self.classifier.as_json(),
            "chance": self.chance,
        }


def blinding(panel: PanelRatings) -> tuple[Blinding, ...]:
    """Every hidden property with two arms or more in the sample."""
    return tuple(_one(panel, about, arms) for about, arms in sorted((panel.arms or {}).items()) if len(arms) > 1)


def _one(panel: PanelRatings, about: str, arms: tuple[str, ...]) -> Blinding:
    known = [item for item in panel.items if about in item.strata]
    labels = [item.strata[about] for item in known]
    units = np.unique([item.unit for item in known], return_inverse=True)[1]
    items = {item.number: item for item in known}
    guesses = [one for one in panel.guesses if one.about == about and one.item in items]
    readable = all(item.text for item in known)
    return Blinding(
        about=about,
        offered=len(arms),
        arms=tuple(_arm(arm, arms, guesses, items) for arm in arms),
        classifier=cross_validated_accuracy([item.text for item in known], labels, units)
        if readable
        else undefined("the texts were not kept"),
        chance=Counter(labels).most_common(1)[0][1] / len(labels),
    )


def _arm(arm: str, arms: tuple[str, ...], guesses: list[GuessMade], items: dict[int, ReportedItem]) -> ArmGuesses:
    mine = [one for one in guesses if items[one.item].strata[one.about] == arm]
    if not mine:
        return ArmGuesses(arm, 0, 0, 0, undefined("nobody was asked about an item of this arm"))
    # All arms were on offer, whether or not an item of each was among those asked about.
    scores = guess_scores([arm] * len(mine), [one.guess for one in mine], len(arms))
    units = np.unique([items[one.item].unit for one in mine], return_inverse=True)[1]
    found = estimate(MeanDifference(scores), Design(units, "run"), {"bias": Transform.RAW})["bias"]
    right, unsure = sum(one.guess == arm for one in mine), sum(one.guess is None for one in mine)
    return ArmGuesses(arm, len(mine), right, unsure, found)
