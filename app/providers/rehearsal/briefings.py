"""Briefings: facts chosen from the numbered events, or a projected world where there are none."""

from collections.abc import Sequence

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import Briefing, BriefingItem, BriefingSection
from app.domain.protocol.eras import Era
from app.domain.world.events import NumberedEvent
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import domains, phrases, say
from app.providers.rehearsal.reports import report_of
from app.providers.rehearsal.temperaments import Temperament
from app.providers.rehearsal.wording import clip, when

FACTS = 24
HEADINGS = (
    "Technology",
    "Players",
    "What is newly possible",
    "Research signals",
    "Capital climate",
    "Society and regulation",
)


def write_briefing(step: StepInput, temperament: Temperament, draws: Draws) -> Briefing:
    """The briefing of the step's era."""
    return _briefing(step.era, step.known, draws)


def next_briefing(step: StepInput, draws: Draws) -> Briefing | None:
    """What the pilot's judge writes for the next era, None after the last."""
    return _briefing(step.next_era, step.next_known, draws) if step.next_era else None


def _briefing(era: Era, known: Sequence[NumberedEvent], draws: Draws) -> Briefing:
    day = when(era.start.isoformat())
    if not known:
        headline = say(draws, "briefing.projection_headlines", day=day)
        return _laid_out(headline, _projected(draws))
    items = [
        (domains()[report_of(event).domain].heading, BriefingItem(text=event.text, date=event.on, event=event.number))
        for event in _chosen(known, draws)
    ]
    return _laid_out(say(draws, "briefing.headlines", day=day), items)


def _chosen(known: Sequence[NumberedEvent], draws: Draws) -> list[NumberedEvent]:
    """Two thirds from the later half of the list, the rest from the earlier, in order of their numbers."""
    half = len(known) // 2
    late = draws.some(known[half:], FACTS * 2 // 3)
    early = draws.some(known[:half], FACTS - len(late))
    return sorted(late + early, key=lambda event: event.number)


def _projected(draws: Draws) -> list[tuple[str, BriefingItem]]:
    texts = phrases()["briefing"]["projections"]
    return [
        (domains()[domain].heading, BriefingItem(text=clip(text)))
        for domain, choices in texts.items()
        for text in draws.some(choices, draws.between(1, 2))
    ]


def _laid_out(headline: str, items: Sequence[tuple[str, BriefingItem]]) -> Briefing:
    sections = [(heading, tuple(item for at, item in items if at == heading)) for heading in HEADINGS]
    return Briefing(
        headline=clip(headline),
        sections=tuple(BriefingSection(heading=heading, items=facts) for heading, facts in sections if facts),
    )
