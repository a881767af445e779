"""Why a training item's values were agreed on, as raters may read it: masked like the item itself."""

from collections.abc import Mapping

from app.domain.ids import PanelId
from app.domain.rating.mask_terms import MaskKind
from app.domain.rating.masking import mask_packet
from app.domain.rating.packets import Packet, Section
from app.domain.rating.training import TrainingItem
from app.services.panel_masks import stand_ins_of
from app.services.panel_words import masked_words, prints_about
from app.services.unit_of_work import Reading
from app.storage.panels import Panel, PanelItem


def masked_training(look: Reading, panel_id: PanelId, item: TrainingItem) -> TrainingItem:
    """The same with reasons that name nothing the item hides, and quote nothing that was taken out since the lock.

    Values of scores stay: they are what training is about.
    """
    if not any(item.reasons.values()):
        return item
    panel = look.panels.get(panel_id)
    prints = prints_about(look, panel.design.source_ids)
    reasons = {name: masked_words(text, prints) for name, text in item.reasons.items() if text}
    return item.model_copy(update={"reasons": _masked(look, panel, item.key, reasons)})


def _masked(look: Reading, panel: Panel, key: str, reasons: Mapping[str, str]) -> dict[str, str]:
    assert panel.locked is not None
    design, used = panel.locked.design, _shown_with(look, panel, key)
    mine = next(one for one in used if one.key == key)
    terms = [term for term in (*mine.terms, *design.added_masks) if term.kind is not MaskKind.SCORE]
    codes = stand_ins_of(used, design)[key]
    sections = tuple(Section(id=f"r{number}", title="why", text=text) for number, text in enumerate(reasons.values()))
    masked = mask_packet(Packet(sections=sections), terms, codes, design.lifted_masks).packet
    return {name: section.text.strip() for name, section in zip(reasons, masked.sections, strict=True)}


def _shown_with(look: Reading, panel: Panel, key: str) -> tuple[PanelItem, ...]:
    """The items of the same run that raters see: no stand-in is used in two of them."""
    lines = look.panels.lines(panel.id)
    unit = next(line.unit for line in lines if line.key == key)
    return look.panels.items(panel.id, [line.key for line in lines if line.unit == unit and line.use != "frame"])
