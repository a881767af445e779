"""The masks of a panel's packets: previewed with their context before the lock, audited after it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.rating.designs import PanelDesign
from app.domain.rating.mask_terms import MaskKind, MaskTerm
from app.domain.rating.masking import Mask, Masked, mask_codes, mask_packet
from app.domain.rating.shortening import shortened
from app.storage.panels import FrameLine, PanelItem


@dataclass(frozen=True, slots=True)
class ItemMasks:
    """The masks of one item; ``label`` names it for the operator."""

    key: str
    label: str
    strata: dict[str, str]
    masks: tuple[Mask, ...]
    near: tuple[Mask, ...]


@dataclass(frozen=True, slots=True)
class TermCount:
    """A term with how often it is masked; ``is_lifted`` terms stay in the text."""

    term: str
    kind: MaskKind
    count: int
    is_lifted: bool


def mask_items(items: Sequence[PanelItem], design: PanelDesign) -> dict[str, Masked]:
    """The masked packets by key: consistent inside an item, different between items of the same run."""
    codes, found = stand_ins_of(items, design), {}
    for item in items:
        packet = shortened(item.source, design.packet_rules) if design.short_packets else item.source
        terms = (*item.terms, *design.added_masks)
        found[item.key] = mask_packet(packet, terms, codes[item.key], design.lifted_masks)
    return found


def stand_ins_of(items: Sequence[PanelItem], design: PanelDesign) -> dict[str, dict[str, str]]:
    """What stands for each company, by an item's key and the company's meaning; needs all shown items of a run."""
    by_unit: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
    for item in items:
        meanings = {term.meaning for term in item.terms if term.kind is MaskKind.COMPANY}
        by_unit[item.unit][item.key] = sorted(meanings)
    return {
        key: put
        for unit, names in by_unit.items()
        for key, put in mask_codes(unit, names, design.seed, design.packet_rules).items()
    }


def label_of(item: PanelItem | FrameLine) -> str:
    """An item's name for operators: run, condition and era where its key is made of ids, else the key itself."""
    era, condition = item.strata.get("era", ""), item.strata.get("condition", "").replace("_", " ")
    if not era or not item.key.endswith(f"|{era}"):
        return item.key
    said = condition if condition not in item.unit.replace("_", " ") else ""
    return ", ".join(filter(None, (item.unit, said, f"era {era}")))


def list_masks(items: Sequence[PanelItem], design: PanelDesign) -> tuple[ItemMasks, ...]:
    """Every mask of these items with its context."""
    masked = mask_items(items, design)
    return tuple(
        ItemMasks(item.key, label_of(item), item.strata, masked[item.key].masks, masked[item.key].near)
        for item in items
    )


def count_terms(items: Sequence[PanelItem], design: PanelDesign, listed: Sequence[ItemMasks]) -> tuple[TermCount, ...]:
    """Every term of these items and of the design, the most used first, lifted ones too."""
    terms: dict[str, MaskTerm] = {term.name: term for item in items for term in (*item.terms, *design.added_masks)}
    counts: defaultdict[str, int] = defaultdict(int)
    for one in listed:
        for mask in one.masks:
            counts[mask.term] += 1
    lifted = set(design.lifted_masks)
    lines = [
        TermCount(name, term.kind, counts[name], bool({term.text, term.meaning} & lifted))
        for name, term in terms.items()
    ]
    return tuple(sorted(lines, key=lambda line: (-line.count, line.kind, line.term)))
