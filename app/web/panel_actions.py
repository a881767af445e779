"""What operators do to a panel: lock, amend, pause, close, invite, and settle what raters differ on."""

import json
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from app.domain.naming import Name
from app.domain.rating.closing import rater_label
from app.domain.rating.sessions import PanelState
from app.services.errors import NotFoundError, RefusedError
from app.services.panel_exports import FILES
from app.services.panel_forms import with_training
from app.services.panel_masks import count_terms, label_of, list_masks
from app.services.panel_pages import items_to_settle, settle, show_panel
from app.services.panels import (
    amend_panel,
    close_panel,
    lock_panel,
    pause_panel,
    resume_panel,
    save_design,
    set_mask,
)
from app.services.raters import erase_rater, invite_rater, reissue_code, release_rater, revoke_invitation
from app.settings import get_settings
from app.web.addresses import PanelPath
from app.web.dependencies import Reading, Viewer, Work
from app.web.forms import SentForm, fill
from app.web.pages import go_to, page

router = APIRouter()
Slot = Annotated[int, Path(ge=1, le=1_000)]
MASKED_AT_ONCE = 8


class Invitation(BaseModel):
    """Whom a link is for, and how long it is good."""

    name: Annotated[Name, Field(max_length=120)] = ""
    days: Annotated[int, Field(ge=1, le=90)] = 14


class Settled(BaseModel):
    """A value settled on, and why."""

    item: UUID
    dimension: str
    value: int
    reason: Annotated[str, Field(max_length=2_000)]


@router.get("/panels/{panel_id}/blinding", name="panels.blinding")
def blinding(request: Request, reading: Reading, panel_id: PanelPath, key: str = "") -> Response:
    """Every mask with its context: a preview that can be changed before the lock, an audit after it."""
    view = show_panel(reading, panel_id)
    is_draft = view.panel.state is PanelState.DRAFT
    lines = reading.panels.lines(panel_id) if is_draft else view.sample
    chosen = [key] if key else [line.key for line in lines][:MASKED_AT_ONCE]
    items = reading.panels.items(panel_id, chosen)
    listed = list_masks(items, view.panel.design)
    terms = count_terms(items, view.panel.design, listed)
    keys = {line.key: label_of(line) for line in lines}
    return page(
        request, "panels/blinding.html", view=view, listed=listed, terms=terms, keys=keys, key=key, is_draft=is_draft
    )


@router.post("/panels/{panel_id}/blinding", name="panels.mask")
def mask(request: Request, work: Work, panel_id: PanelPath, sent: SentForm) -> Response:
    """Add a term, drop it, lift a mask or put it back."""
    term, action = str(sent.get("term", "")), str(sent.get("action", ""))
    chosen = {"add": (None, True), "drop": (None, False), "lift": (True, None), "restore": (False, None)}
    if action not in chosen:
        raise RefusedError("action: add, drop, lift or restore a mask")
    lifted, added = chosen[action]
    set_mask(work, panel_id, term=term, lifted=lifted, added=added)
    return go_to(request, "panels.blinding", panel_id=panel_id)


@router.get("/panels/{panel_id}/training", name="panels.training")
def training(request: Request, reading: Reading, panel_id: PanelPath, key: str = "") -> Response:
    """The training items, and the form for one more."""
    view = show_panel(reading, panel_id)
    lines = reading.panels.lines(panel_id)
    names = {line.key: label_of(line) for line in lines}
    known = {item.key: item for item in view.panel.design.training.items}
    shown = reading.panels.items(panel_id, [key]) if key else ()
    item = shown[0] if shown else None
    return page(request, "panels/training.html", view=view, names=names, known=known, key=key, shown=item)


@router.post("/panels/{panel_id}/training", name="panels.train")
def train(request: Request, work: Work, panel_id: PanelPath, sent: SentForm) -> Response:
    """Put an item into training with its consensus, or take it out."""
    fields = {name: str(value) for name, value in sent.items()}
    values = {name.removeprefix("v."): text for name, text in fields.items() if name.startswith("v.")}
    reasons = {name.removeprefix("r."): text for name, text in fields.items() if name.startswith("r.")}
    design = show_panel(work, panel_id).panel.design
    save_design(work, panel_id, with_training(design, fields.get("key", ""), values, reasons))
    return go_to(request, "panels.training", panel_id=panel_id)


@router.post("/panels/{panel_id}/lock", name="panels.lock")
def lock(request: Request, work: Work, panel_id: PanelPath) -> Response:
    """Draw, mask, deal, freeze and hash; a draft that cannot be drawn goes to its page, which says what to change."""
    try:
        lock_panel(work, panel_id)
    except RefusedError:
        if work.panels.get(panel_id).state is not PanelState.DRAFT:
            raise
        return go_to(request, "panels.show", {"lock": "refused"}, panel_id=panel_id)
    return go_to(request, "panels.show", panel_id=panel_id)


@router.get("/panels/{panel_id}/amend", name="panels.amending")
def amending(request: Request, reading: Reading, panel_id: PanelPath) -> Response:
    """What can still be amended."""
    view = show_panel(reading, panel_id)
    return page(request, "panels/amend.html", view=view, changes={}, words="")


@router.post("/panels/{panel_id}/amend", name="panels.amend")
def amend(request: Request, work: Work, viewer: Viewer, panel_id: PanelPath, sent: SentForm) -> Response:
    """Keep a change with its reason beside the locked design."""
    field, text = str(sent.get("field", "")), str(sent.get("value", ""))
    reason = str(sent.get("reason", ""))
    amend_panel(work, panel_id, field, _amended_value(text), reason=reason, made_by=viewer.user.id)
    return go_to(request, "panels.locked_design", panel_id=panel_id)


@router.post("/panels/{panel_id}/state/{action}", name="panels.move")
def move(request: Request, work: Work, panel_id: PanelPath, action: str) -> Response:
    """Pause, resume or close."""
    moves = {"pause": pause_panel, "resume": resume_panel, "close": close_panel}
    if action not in moves:
        raise NotFoundError("action", action)
    moves[action](work, panel_id)
    return go_to(request, "panels.show", panel_id=panel_id)


@router.post("/panels/{panel_id}/raters/{slot}/invite", name="panels.invite")
def invite(request: Request, work: Work, panel_id: PanelPath, slot: Slot, sent: SentForm) -> Response:
    """Make a slot's link and show it once."""
    form = fill(Invitation, sent)
    if form.value is None:
        raise RefusedError(next(f"{name}: {words}" for name, words in form.problems.items()))
    path = invite_rater(work, panel_id, slot, name=form.value.name, days=form.value.days)
    return _issued(request, work, panel_id, slot, "invitation", f"{get_settings().address}{path}")


@router.post("/panels/{panel_id}/raters/{slot}/code", name="panels.code")
def code(request: Request, work: Work, panel_id: PanelPath, slot: Slot) -> Response:
    """Make a rater's new return code and show it once."""
    return _issued(request, work, panel_id, slot, "code", reissue_code(work, panel_id, slot))


@router.post("/panels/{panel_id}/raters/{slot}/{action}", name="panels.rater")
def change_rater(request: Request, work: Work, panel_id: PanelPath, slot: Slot, action: str) -> Response:
    """Revoke an invitation, let a rater start in spite of the training, or erase who a rater is."""
    actions = {"revoke": revoke_invitation, "release": release_rater, "erase": erase_rater}
    if action not in actions:
        raise NotFoundError("action", action)
    actions[action](work, panel_id, slot)
    return go_to(request, "panels.show", panel_id=panel_id)


@router.get("/panels/{panel_id}/adjudication", name="panels.adjudication")
def adjudication(request: Request, reading: Reading, panel_id: PanelPath) -> Response:
    """Items on which raters differ, under labels that mean nothing beyond an item."""
    items = items_to_settle(reading, panel_id)
    return page(request, "panels/adjudication.html", view=show_panel(reading, panel_id), items=items)


@router.post("/panels/{panel_id}/adjudication", name="panels.settle")
def settle_one(request: Request, work: Work, viewer: Viewer, panel_id: PanelPath, sent: SentForm) -> Response:
    """Keep a settled value."""
    form = fill(Settled, sent)
    if form.value is None:
        raise RefusedError(next(f"{name}: {words}" for name, words in form.problems.items()))
    one = form.value
    settle(work, panel_id, one.item, one.dimension, one.value, reason=one.reason, made_by=viewer.user.id)
    return go_to(request, "panels.adjudication", place=f"item-{one.item}", panel_id=panel_id)


def _issued(request: Request, work: Work, panel_id: PanelPath, slot: int, kind: str, text: str) -> Response:
    is_local = kind == "invitation" and get_settings().is_for_this_machine_only
    issued = {"rater": rater_label(slot), "kind": kind, "text": text, "is_local": is_local}
    return page(request, "panels/show.html", view=show_panel(work, panel_id), files=FILES, issued=issued)


def _amended_value(text: str) -> Any:
    """What was written as JSON; as it stands where it is none, or holds what is no number."""
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return text
    return value
