"""Panels: made from a frame, drawn and frozen at the lock, amended with reasons, paused and closed."""

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ValidationError

from app.domain.ids import AssignmentId, PanelId, RaterId, UserId
from app.domain.naming import unseen_problem
from app.domain.rating.allocation import AllocationError, Cell
from app.domain.rating.answers import Answer
from app.domain.rating.designs import (
    Amendment,
    AmendmentError,
    DrawnItem,
    LockedDesign,
    PanelDesign,
    amend,
    amended,
    changed_fields,
    frame_hash,
    locked_hash,
)
from app.domain.rating.inclusion import inclusion_probabilities
from app.domain.rating.mask_terms import MaskKind, MaskTerm
from app.domain.rating.ordering import Place, queue_of
from app.domain.rating.sampling import Drawn, Frame, draw_sample
from app.domain.rating.sessions import Kind, PanelState, Status
from app.domain.rating.shortening import Rules
from app.services.errors import RefusedError
from app.services.frame_items import SourceItem, as_panel_items, frame_content
from app.services.panel_frames import cell_of, frame_for, places_for, repeats_for
from app.services.panel_masks import mask_items
from app.services.unit_of_work import Reading, Work
from app.storage.panels import FrameLine
from app.storage.ratings import Assignment


class LockedDesignError(Exception):
    """The design is locked; ``changes`` are the fields that were to be set, each with its new value."""

    def __init__(self, changes: dict[str, Any]) -> None:
        super().__init__("This design is locked. A change needs a reason and is kept beside it as an amendment.")
        self.changes = changes


def create_panel(work: Work, design: PanelDesign, items: Iterable[SourceItem], made_by: UserId | None) -> PanelId:
    """Keep a draft with its frame. Raises RefusedError for an empty frame."""
    made = as_panel_items(work, items)
    if not made:
        raise RefusedError("The frame is empty: no item fits this rubric. Choose other studies or another rubric.")
    panel_id = PanelId(work.new_id())
    work.panels.add(panel_id, _by_the_last_rules(design), made_by, work.now)
    work.panels.replace_frame(panel_id, made)
    return panel_id


def save_design(work: Work, panel_id: PanelId, design: PanelDesign) -> None:
    """Set a draft's design. Raises LockedDesignError, with what would change, once it is locked."""
    panel = work.panels.get(panel_id, lock=True)
    if panel.state is not PanelState.DRAFT:
        raise LockedDesignError(_changes(panel.design, design))
    work.panels.change(panel_id, name=design.name, design=_by_the_last_rules(design).model_dump(mode="json"))


def _by_the_last_rules(design: PanelDesign) -> PanelDesign:
    """A draft's packets are made as they are today, whenever it was begun."""
    return design.model_copy(update={"packet_rules": max(Rules)})


def _changes(before: PanelDesign, after: PanelDesign) -> dict[str, Any]:
    """The new values of the fields that differ, by the names under which they can be amended."""
    new = after.model_dump(mode="json")
    changes = {name: new[name] for name in changed_fields(before, after)}
    old = before.model_dump(mode="json")
    for name in {"plan", "training"} & set(changes):
        inner = {f"{name}.{part}": value for part, value in changes[name].items() if value != old[name][part]}
        changes = {**{field: value for field, value in changes.items() if field != name}, **inner}
    return changes


def set_mask(
    work: Work, panel_id: PanelId, *, term: str, lifted: bool | None = None, added: bool | None = None
) -> None:
    """Lift a mask or put it back (``lifted``), add a term of one's own or drop it (``added``)."""
    panel = work.panels.get(panel_id, lock=True)
    text = " ".join(term.split())
    if not text:
        raise RefusedError("term: write the name or phrase to mask")
    update: dict[str, Any] = {}
    if lifted is not None:
        others = tuple(one for one in panel.design.lifted_masks if one != text)
        update["lifted_masks"] = (*others, text) if lifted else others
    if added is not None:
        mine = tuple(one for one in panel.design.added_masks if one.text != text)
        new = MaskTerm(text=text, kind=MaskKind.ADDED, any_case=True)
        update["added_masks"] = (*mine, new) if added else mine
    save_design(work, panel_id, panel.design.model_copy(update=update))


def lock_panel(work: Work, panel_id: PanelId) -> str:
    """Draw the sample, mask its packets, deal the queues, freeze and hash everything; gives the hash.

    Raises RefusedError for a design that cannot be drawn, with what to change.
    """
    panel = work.panels.get(panel_id, lock=True)
    if panel.state is not PanelState.DRAFT:
        raise RefusedError("This panel is locked already.")
    design = panel.design
    lines = work.panels.lines(panel_id)
    frame, places, drawn = _draw(design, lines)
    chances = inclusion_probabilities(frame, places, cap=design.cap, seed=design.seed)
    _freeze_items(work, panel_id, design, drawn.keys, chances.probabilities)
    repeats = repeats_for(design, len(drawn.keys))
    queues = _deal(work, panel_id, design, lines, drawn.keys, repeats, slots=range(1, design.raters + 1))
    locked = LockedDesign(
        design=design,
        frame_sha256=_frame_sha256(work, panel_id),
        frame_size=len(frame.items),
        sample=tuple(DrawnItem(key=key, probability=chances.probabilities[key]) for key in drawn.keys),
        probabilities=chances.method,
        shortfalls=drawn.shortfalls,
        repeats=repeats,
        queues=tuple(tuple(f"{place.key}#{place.occasion}" for place in queue) for queue in queues),
    )
    digest = locked_hash(locked)
    frozen = {"locked": locked.model_dump(mode="json"), "locked_hash": digest, "locked_at": work.now}
    work.panels.change(panel_id, state=PanelState.OPEN, **frozen)
    return digest


def lock_problem(reading: Reading, panel_id: PanelId) -> str | None:
    """Why a draft cannot be locked as it is; None where it can."""
    try:
        _draw(reading.panels.get(panel_id).design, reading.panels.lines(panel_id))
    except RefusedError as error:
        return str(error)
    return None


def _draw(design: PanelDesign, lines: Sequence[FrameLine]) -> tuple[Frame, dict[Cell, int], Drawn]:
    """The frame, its places and the sample. Raises RefusedError for a design that cannot be drawn."""
    frame = frame_for(lines, design)
    try:
        places = places_for(frame, design)
    except AllocationError as error:
        raise RefusedError(str(error)) from error
    drawn = draw_sample(frame, places, cap=design.cap, seed=design.seed)
    if not drawn.keys:
        raise RefusedError("items: nothing was drawn; the frame is empty or the strata leave nothing to take.")
    _check_training(design, lines)
    return frame, places, drawn


def amend_panel(
    work: Work, panel_id: PanelId, field: str, value: Any, *, reason: str, made_by: UserId | None
) -> Amendment:
    """Keep a change of a locked design beside it. Raises RefusedError for what must not or cannot change."""
    panel = work.panels.get(panel_id, lock=True)
    if panel.state in {PanelState.DRAFT, PanelState.CLOSED} or panel.locked is None:
        raise RefusedError("Only a locked panel that is not closed is amended; a draft can simply be changed.")
    problem = unseen_problem(value) if field == "name" and isinstance(value, str) else None
    if problem:
        raise RefusedError(f"name: {problem}")
    rated = work.panels.is_rated(panel_id)
    try:
        made = amend(panel.design, field, value, reason=reason, rated=rated, at=work.now)
    except AmendmentError as error:
        raise RefusedError(str(error)) from error
    except (ValidationError, ValueError, TypeError) as error:
        raise RefusedError(f"{field}: this value does not fit; write it as the form had it") from error
    work.panels.add_amendment(panel_id, work.new_id(), made, made_by)
    work.panels.change(panel_id, design=amended(panel.design, (made,)).model_dump(mode="json"))
    if field == "name":
        work.panels.change(panel_id, name=str(value))
    if field == "raters":
        new = range(panel.design.raters + 1, int(value) + 1)
        keys = [item.key for item in panel.locked.sample]
        lines = work.panels.lines(panel_id)
        _deal(work, panel_id, panel.design, lines, keys, panel.locked.repeats, slots=new)
    return made


def pause_panel(work: Work, panel_id: PanelId) -> None:
    """Stop all raters for a while; nothing is lost. Raises RefusedError unless the panel is open."""
    _move(work, panel_id, {PanelState.OPEN}, PanelState.PAUSED)


def resume_panel(work: Work, panel_id: PanelId) -> None:
    """Let raters go on. Raises RefusedError unless the panel is paused."""
    _move(work, panel_id, {PanelState.PAUSED}, PanelState.OPEN)


def close_panel(work: Work, panel_id: PanelId) -> None:
    """End the raw phase for good: reports, adjudication and judge's scores open. Raises RefusedError for a draft."""
    _move(work, panel_id, {PanelState.OPEN, PanelState.PAUSED}, PanelState.CLOSED)
    work.panels.change(panel_id, closed_at=work.now)


def _move(work: Work, panel_id: PanelId, allowed: set[PanelState], to: PanelState) -> None:
    panel = work.panels.get(panel_id, lock=True)
    if panel.state not in allowed:
        raise RefusedError(f"The panel is {panel.state}; this is for a panel that is {' or '.join(sorted(allowed))}.")
    work.panels.change(panel_id, state=to)


def _check_training(design: PanelDesign, lines: Sequence[FrameLine]) -> None:
    known = {line.key for line in lines}
    dimensions = {one.id: one for one in design.rubric.dimensions}
    for item in design.training.items:
        if item.key not in known:
            raise RefusedError(f"training: {item.key} is not in the frame; choose an item that is")
        for name, value in item.consensus.items():
            if name not in dimensions or value not in dimensions[name].scale.values:
                raise RefusedError(f"training: {item.key}: {name} {value} is not on the rubric's scales")
        if not item.consensus:
            raise RefusedError(f"training: {item.key} has no consensus value; give at least one")


def _freeze_items(
    work: Work, panel_id: PanelId, design: PanelDesign, keys: Sequence[str], chances: dict[str, float]
) -> None:
    training = [item.key for item in design.training.items]
    items = work.panels.items(panel_id, [*keys, *training])
    masked = mask_items(items, design)
    for number, item in enumerate(items, start=1):
        work.panels.change_item(
            item.id,
            use="training" if item.key in training else "sample",
            number=number,
            packet=masked[item.key].packet.model_dump(mode="json"),
            stand_ins=sorted({mask.put for mask in masked[item.key].masks if mask.put}),
        )
    for line in work.panels.lines(panel_id):
        if line.key in chances:
            work.panels.change_item(line.id, probability=chances[line.key])


def _deal(
    work: Work,
    panel_id: PanelId,
    design: PanelDesign,
    lines: Sequence[FrameLine],
    keys: Sequence[str],
    repeats: int,
    *,
    slots: Iterable[int],
) -> list[tuple[Place, ...]]:
    """Make slots with their whole queues: every rater gets every item."""
    cells = {line.key: cell_of(line, design) for line in lines if line.key in set(keys)}
    ids = {line.key: line.id for line in lines}
    queues = []
    for slot in slots:
        rater = RaterId(work.new_id())
        work.raters.add([(rater, panel_id, slot)])
        queue = queue_of(cells, seed=design.seed, slot=slot, repeats=repeats)
        training = [Place(number, item.key, 1) for number, item in enumerate(design.training.items, start=1)]
        work.ratings.assign(
            _assignment(work, rater, kind, ids, place)
            for kind, places in ((Kind.TRAINING, training), (Kind.MAIN, queue))
            for place in places
        )
        queues.append(queue)
    return queues


def _assignment(work: Work, rater: RaterId, kind: Kind, ids: dict[str, Any], place: Place) -> Assignment:
    return Assignment(
        id=AssignmentId(work.new_id()),
        rater_id=rater,
        item_id=ids[place.key],
        kind=kind,
        position=place.position,
        occasion=place.occasion,
        status=Status.OPEN,
        draft=Answer(),
        version=0,
        tab="",
        key=work.new_id(),
        locked=None,
        locked_at=None,
        opened_at=None,
        answered_at=None,
        wall_ms=None,
    )


def _frame_sha256(work: Work, panel_id: PanelId) -> str:
    items = work.panels.items(panel_id)
    return frame_hash({item.key: frame_content(item.unit, item.strata, item.source) for item in items})
