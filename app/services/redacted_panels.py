"""Taking a document of a run out of the packets of the panels that rate it, where they are kept."""

from collections.abc import Sequence

from app.domain.engine.quotations import Prints
from app.domain.engine.redaction import masked_json
from app.domain.ids import PanelId
from app.domain.rating.packets import Packet
from app.services.panel_masks import mask_items
from app.services.unit_of_work import Work
from app.storage.runs import RunRecord


def take_out_of_panels(work: Work, run: RunRecord, prints: Prints) -> None:
    """Replace what the items of a run quote of a redacted document, in drafts, while raters rate, and after closing.

    Raters' packets are masked anew from their sources: a quotation with a masked name in it would not be recognized.
    """
    for panel_id, keys in work.panels.holding(run.study_id, run.number).items():
        changed = _take_out_of_sources(work, panel_id, keys, prints)
        panel = work.panels.get(panel_id)
        if panel.locked is None or not changed:
            continue
        used = [line.key for line in work.panels.lines(panel_id) if line.use != "frame"]
        items = work.panels.items(panel_id, used)
        masked = mask_items(items, panel.locked.design)
        for item in items:
            if item.key in changed:
                work.panels.change_item(item.id, packet=masked[item.key].packet.model_dump(mode="json"))


def _take_out_of_sources(work: Work, panel_id: PanelId, keys: Sequence[str], prints: Prints) -> set[str]:
    """The keys of the items that quoted something."""
    changed = set()
    for item in work.panels.items(panel_id, keys):
        source = item.source.model_dump(mode="json")
        left = masked_json(source, prints)
        if left != source:
            work.panels.change_item(item.id, source=Packet.model_validate(left).model_dump(mode="json"))
            changed.add(item.key)
    return changed
