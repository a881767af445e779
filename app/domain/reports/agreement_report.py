"""The agreement report of a closed panel as one value: every dimension, the composite, the judge, what was left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.domain.agreement.estimate import Estimate, undefined
from app.domain.agreement.report import DimensionAgreement, Level, agreement
from app.domain.agreement.words import band
from app.domain.reports.agreement_blinding import Blinding, blinding
from app.domain.reports.agreement_judge import JudgeSection, judge_section
from app.domain.reports.agreement_ratings import COMPOSITE, DimensionRatings, PanelRatings, dimension_ratings
from app.domain.reports.agreement_usage import RaterUse, rater_uses

RESAMPLES = 2_000


@dataclass(frozen=True, eq=False)
class DimensionReport:
    """One dimension; ``headline`` is the statistic that the plan named beforehand, with the interval it named."""

    ratings: DimensionRatings
    found: DimensionAgreement
    headline_name: str
    headline: Estimate
    judge: JudgeSection | None

    @property
    def id(self) -> str:
        """The dimension's id."""
        return self.ratings.id

    @property
    def name(self) -> str:
        """The dimension's name."""
        return self.ratings.name

    @property
    def band(self) -> str | None:
        """A word for the lower limit of the headline's interval; None without one."""
        return band(self.headline)

    def statistic(self, name: str) -> Estimate:
        """One statistic of the sample."""
        return self.found.statistics[name]

    def weighted(self, name: str) -> Estimate:
        """The same for all decisions of the frame; undefined where all items had one chance."""
        return (self.found.population or {}).get(name) or undefined("every item was drawn with the same probability")

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "name": self.name,
            "scale": list(self.ratings.scale),
            "composite": self.id == COMPOSITE,
            "headline": {"statistic": self.headline_name, "band": self.band, **self.headline.as_json()},
            **self.found.as_json(),
            "judge": self.judge.as_json() if self.judge else None,
        }


@dataclass(frozen=True, eq=False)
class PanelAgreement:
    """The whole report."""

    panel: PanelRatings
    dimensions: tuple[DimensionReport, ...]
    raters: tuple[RaterUse, ...]
    blinding: tuple[Blinding, ...]

    @property
    def ratings(self) -> int:
        """First ratings given, and out of how many places."""
        return sum(one.rated for one in self.raters)

    @property
    def places(self) -> int:
        """First ratings there could be."""
        return len(self.panel.raters) * len(self.panel.items)

    def dimension(self, wanted: str) -> DimensionReport | None:
        """A dimension by id; the composite's is COMPOSITE."""
        return next((one for one in self.dimensions if one.id == wanted), None)

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON, each number with interval, method, items used, and reason if undefined."""
        panel = self.panel
        return {
            "panel_hash": panel.panel_hash,
            "panel": panel.name,
            "closed_at": panel.closed_at,
            "mark": panel.mark,
            "rubric_version": panel.rubric.version,
            "plan": panel.plan.model_dump(mode="json"),
            "items": len(panel.items),
            "runs": panel.runs,
            "ratings": {"given": self.ratings, "places": self.places},
            "raters": [
                {
                    "rater": one.rater,
                    "rated": one.rated,
                    "skipped": dict(one.skips),
                    "not_reached": one.unopened,
                    "repeats": one.repeats,
                    "training_not_used": one.trained,
                }
                for one in self.raters
            ],
            "adjudicated_values_not_used": panel.adjudicated,
            "dimensions": {one.id: one.as_json() for one in self.dimensions},
            "blinding": [one.as_json() for one in self.blinding],
        }


def agreement_report(panel: PanelRatings, *, resamples: int = RESAMPLES) -> PanelAgreement:
    """Compute the report; ``resamples`` are those of the item bootstrap, drawn from the panel's seed."""
    return PanelAgreement(
        panel=panel,
        dimensions=tuple(_dimension(panel, one, resamples) for one in dimension_ratings(panel)),
        raters=rater_uses(panel),
        blinding=blinding(panel),
    )


def _dimension(panel: PanelRatings, ratings: DimensionRatings, resamples: int) -> DimensionReport:
    weights = 1 / np.array([item.probability for item in panel.items]) if panel.is_weighted else None
    planned = panel.plan.headline if ratings.numeric else "alpha_nominal"
    level: Level = "interval" if ratings.numeric else "nominal"
    report = agreement(
        {"value": ratings.values},
        raters=panel.raters,
        scale=ratings.scale,
        level=level,
        clusters=[item.unit for item in panel.items],
        weights=weights,
        numeric=ratings.numeric,
        resamples=resamples,
        seed=panel.seed,
        positions={"value": ratings.positions} if ratings.numeric else None,
        repeats={"value": ratings.second} if ratings.numeric and np.isfinite(ratings.second).any() else None,
    )
    found = report.dimensions["value"]
    headline = _planned(found.statistics[planned], panel.plan.interval)
    return DimensionReport(ratings, found, planned, headline, judge_section(panel, ratings))


def _planned(found: Estimate, interval: str) -> Estimate:
    """The estimate with the interval that was named before the first rating."""
    other = next((one for one in found.others if "bootstrap" in one.method), None)
    if interval != "item bootstrap" or other is None:
        return found
    return replace(found, ci95=other.bounds, method=other.method, reason=other.reason)
