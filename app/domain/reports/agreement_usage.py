"""What entered the report and what did not, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from app.domain.reports.agreement_ratings import PanelRatings


@dataclass(frozen=True, slots=True)
class RaterUse:
    """One rater's places; ``skips`` counts first occasions by reason. Repeats and training never enter agreement."""

    rater: str
    rated: int
    skips: tuple[tuple[str, int], ...]
    unopened: int
    repeats: int
    trained: int

    @property
    def skipped(self) -> int:
        """First occasions without a value, whatever the reason."""
        return sum(count for _, count in self.skips)

    @property
    def skip_words(self) -> str:
        """The reasons with their counts; a dash for none."""
        return ", ".join(f"{reason.replace('_', ' ')} {count}" for reason, count in self.skips) or "–"


def rater_uses(panel: PanelRatings) -> tuple[RaterUse, ...]:
    """The counts of every rater."""
    return tuple(_use(panel, rater) for rater in panel.raters)


def _use(panel: PanelRatings, rater: str) -> RaterUse:
    mine = [one for one in panel.given if one.rater == rater]
    first = [one for one in mine if one.occasion == 1]
    skips = Counter(one.skip_reason or "other" for one in first if not one.values)
    return RaterUse(
        rater=rater,
        rated=sum(bool(one.values) for one in first),
        skips=tuple(sorted(skips.items())),
        unopened=(panel.unopened or {}).get(rater, 0),
        repeats=sum(bool(one.values) for one in mine if one.occasion > 1),
        trained=(panel.trained or {}).get(rater, 0),
    )
