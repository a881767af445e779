"""What every source of a frame gives: items with strata, texts, names to mask, judge's scores and consensus."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.domain.ids import PanelItemId
from app.domain.rating.mask_terms import MaskTerm
from app.domain.rating.packets import Packet
from app.domain.rating.training import TrainingItem
from app.domain.study import canonical_json
from app.services.unit_of_work import Work
from app.storage.panels import PanelItem


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One item before it belongs to a panel; ``training`` holds its consensus, if it has one."""

    key: str
    unit: str
    strata: dict[str, str]
    packet: Packet
    terms: tuple[MaskTerm, ...] = ()
    judge: dict[str, int] = field(default_factory=dict)
    intervened: bool = False
    training: TrainingItem | None = None


def as_panel_items(work: Work, items: Iterable[SourceItem]) -> tuple[PanelItem, ...]:
    """The items with ids of their own."""
    return tuple(
        PanelItem(
            id=PanelItemId(work.new_id()),
            key=item.key,
            unit=item.unit,
            strata=item.strata,
            terms=item.terms,
            source=item.packet,
            judge=item.judge,
            intervened=item.intervened,
            words=item.packet.words,
        )
        for item in items
    )


def frame_content(unit: str, strata: Mapping[str, str], source: Packet) -> str:
    """What the frame's hash covers of an item."""
    return f"{unit}\n{sorted(strata.items())}\n{canonical_json(source)}"
