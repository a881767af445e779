"""What a briefing reports, read back as dated reports with a domain of the world record."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import Briefing
from app.domain.protocol.personas import Group
from app.domain.world.events import NumberedEvent
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import domains
from app.providers.rehearsal.wording import bare, clip, when

FACT = 240
HEADING_WEIGHT = 3
LENSES = {
    Group.FRONTIER_RESEARCH: {"ai": 3, "science": 3, "hardware": 2, "networks": 2},
    Group.PRODUCT_ENGINEERING: {"software": 3, "networks": 2, "hardware": 2, "consumer": 2, "enterprise": 2},
    Group.MARKET_CAPITAL: {"capital": 3, "enterprise": 3, "consumer": 2, "regulation": 2, "society": 2},
}


@dataclass(frozen=True, slots=True)
class Report:
    """One dated fact with the domain it belongs to."""

    text: str
    on: str | None
    domain: str

    @property
    def fact(self) -> str:
        """The fact in one clause with its date."""
        return f"{bare(clip(self.text, FACT))} ({when(self.on)})"


NO_REPORT = Report("Nothing new was reported that bears on our trade", None, "enterprise")


def reports_of(briefing: Briefing | None) -> tuple[Report, ...]:
    """Every fact of a briefing in its order; one that says so if there is none."""
    if briefing is None:
        return (NO_REPORT,)
    return tuple(
        Report(item.text, item.date, domain_of(section.heading, item.text))
        for section in briefing.sections
        for item in section.items
    )


def fact_of(capability: str) -> str:
    """The dated fact a capability begins with, or the whole where it was written by another."""
    fact, found, _ = capability.partition("): ")
    return f"{fact})" if found else bare(capability)


def report_of(event: NumberedEvent) -> Report:
    """An event of the record as a report."""
    known = event.domain in domains()
    return Report(event.text, event.on, event.domain if known else domain_of(event.domain, event.text))


@lru_cache(maxsize=8192)
def domain_of(heading: str, text: str) -> str:
    """The domain a fact most likely belongs to, by its heading and its words."""
    title, body = heading.lower(), text.lower()
    scores = {
        name: sum(word in body for word in domain.keywords)
        + HEADING_WEIGHT * (name == title)
        + (domain.heading.lower() == title)
        for name, domain in domains().items()
    }
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] else "enterprise"


def choose_reports(step: StepInput, draws: Draws, count: int) -> list[Report]:
    """``count`` reports, of different domains where there are enough, by the department's lens and by recency."""
    lens = LENSES.get(step.department, {}) if step.department else {}
    left = list(reports_of(step.briefing))
    chosen: list[Report] = []
    while left and len(chosen) < count:
        chosen.append(draws.weighted(left, _weights(left, lens)))
        taken = {report.domain for report in chosen}
        left = [report for report in left if report.domain not in taken]
    while len(chosen) < count:
        chosen.append(chosen[0])
    return chosen


def _weights(reports: Sequence[Report], lens: dict[str, int]) -> list[float]:
    dates = sorted(report.on or "" for report in reports)
    return [lens.get(report.domain, 1) * (0.2 + (dates.index(report.on or "") / len(dates)) ** 2) for report in reports]
