"""Drawn briefings: facts laid out by template under the protocol's six headings."""

from collections.abc import Iterator, Sequence

from app.domain.once import once_each
from app.domain.protocol.artifacts import Briefing, BriefingItem, BriefingSection
from app.domain.world.briefings import Pool, draw_facts
from app.domain.world.events import NumberedEvent

HEADINGS = {
    "Technology": ("hardware", "software", "networks"),
    "Players": ("enterprise",),
    "Newly possible": ("consumer",),
    "Research signals": ("ai", "science"),
    "Capital climate": ("capital",),
    "Society and regulation": ("society", "regulation"),
}
"""The protocol's headings with the record's domains that stand under them."""

OTHER = "Further facts"
"""Where facts of other domains stand, such as those a user adds."""

KEPT_ITEMS = 16_384
_PLACED = {domain: heading for heading, domains in HEADINGS.items() for domain in domains}


def draw_briefing(pool: Pool, *, facts: int, seed: str | int) -> tuple[Briefing, tuple[str, ...]]:
    """``B_k`` drawn by code, and the ids of the events it used (for audits only); see draw_facts for the draw.

    Replicate r of every condition and model shares its briefings if the caller's seed is made from study seed, era and
    replicate alone.
    """
    drawn = draw_facts(pool, facts=facts, seed=seed)
    headline = f"What was publicly known before {pool.start}: {len(drawn.facts)} dated facts, drawn by code"
    return Briefing(headline=headline, sections=tuple(_sections(drawn.facts))), drawn.used


def _sections(facts: Sequence[NumberedEvent]) -> Iterator[BriefingSection]:
    items: dict[str, list[BriefingItem]] = {heading: [] for heading in (*HEADINGS, OTHER)}
    for fact in facts:
        items[_PLACED.get(fact.domain, OTHER)].append(_item(fact))
    return (BriefingSection(heading=heading, items=tuple(under)) for heading, under in items.items() if under)


@once_each(KEPT_ITEMS)
def _item(fact: NumberedEvent) -> BriefingItem:
    return BriefingItem(text=fact.text, date=fact.on, event=fact.number)
