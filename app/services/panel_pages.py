"""What operators see of panels: the list, progress per rater, and disagreement to settle once a panel is closed."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from app.domain.engine.quotations import Prints
from app.domain.ids import PanelId, PanelItemId, UserId
from app.domain.rating.closing import Opinion, permuted_opinions, rater_label
from app.domain.rating.packets import Packet
from app.domain.rating.scales import RatedDimension
from app.domain.rating.sessions import Kind, PanelState, Status
from app.services.errors import NotFoundError, RefusedError
from app.services.panel_words import masked_words, prints_about
from app.services.unit_of_work import Reading, Work
from app.storage.panels import Adjudication, FrameLine, Panel, PanelItem
from app.storage.raters import Invitation, Rater


@dataclass(frozen=True, slots=True)
class PanelLine:
    """A panel in the list."""

    panel: Panel
    frame_size: int
    done: int
    owed: int


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater's progress; ``state`` is a word for where they stand."""

    rater: Rater
    label: str
    invitation: Invitation | None
    state: str
    rated: int
    skipped: int
    total: int
    trained: int
    training: int


@dataclass(frozen=True, slots=True)
class PanelView:
    """A panel's page after the lock."""

    panel: Panel
    raters: tuple[RaterLine, ...]
    sample: tuple[FrameLine, ...]
    strata_names: tuple[str, ...]
    is_rated: bool


@dataclass(frozen=True, slots=True)
class Settling:
    """One dimension of one item, with the opinions to settle between and the value settled on, if any."""

    dimension: RatedDimension
    opinions: tuple[Opinion, ...]
    settled: Adjudication | None
    spread: int


@dataclass(frozen=True, slots=True)
class ItemToSettle:
    """One item on which raters differ."""

    id: PanelItemId
    number: int
    packet: Packet
    dimensions: tuple[Settling, ...]


def list_panels(reading: Reading) -> tuple[PanelLine, ...]:
    """Every panel with how much of it is rated."""
    lines = []
    for panel in reading.panels.newest():
        counts = reading.ratings.progress(panel.id)
        main = {key: number for key, number in counts.items() if key[1] is Kind.MAIN}
        done = sum(number for key, number in main.items() if key[2] is not Status.OPEN)
        lines.append(PanelLine(panel, len(reading.panels.lines(panel.id)), done, sum(main.values())))
    return tuple(lines)


def show_panel(reading: Reading, panel_id: UUID) -> PanelView:
    """A locked panel with its raters. Raises NotFoundError."""
    panel = _read_panel(reading, panel_id)
    counts = reading.ratings.progress(panel_id)
    invitations = reading.raters.invitations(panel_id)
    raters = []
    for rater in reading.raters.of_panel(panel_id):
        of = {(kind, status): n for (one, kind, status), n in counts.items() if one == rater.id}
        rated, skipped = of.get((Kind.MAIN, Status.SUBMITTED), 0), of.get((Kind.MAIN, Status.SKIPPED), 0)
        trained = of.get((Kind.TRAINING, Status.SUBMITTED), 0)
        invitation = invitations.get(rater.id)
        raters.append(
            RaterLine(
                rater=rater,
                label=rater_label(rater.slot),
                invitation=invitation,
                state=_state(rater, invitation, reading.now),
                rated=rated,
                skipped=skipped,
                total=sum(n for (kind, _), n in of.items() if kind is Kind.MAIN),
                trained=trained,
                training=sum(n for (kind, _), n in of.items() if kind is Kind.TRAINING),
            )
        )
    lines = reading.panels.lines(panel.id)
    sample = tuple(line for line in lines if line.use == "sample")
    strata = tuple(sorted({name for line in lines for name in line.strata}))
    return PanelView(panel, tuple(raters), sample, strata, reading.panels.is_rated(panel.id))


def items_to_settle(reading: Reading, panel_id: UUID) -> tuple[ItemToSettle, ...]:
    """Items on which first ratings differ, the widest first, with labels permuted anew for each item and dimension.

    Raises RefusedError before the panel is closed.
    """
    panel = reading.panels.get(panel_id)
    if panel.state is not PanelState.CLOSED:
        raise RefusedError("Adjudication opens once the panel is closed: it must not touch the raw ratings.")
    prints = prints_about(reading, panel.design.source_ids)
    settled = {
        (one.item_id, one.dimension): replace(one, reason=masked_words(one.reason, prints))
        for one in reading.panels.adjudications(panel.id)
    }
    opinions = _first_opinions(reading, panel, prints)
    found = []
    for item in reading.panels.rated_items(panel.id):
        mine = opinions.get(item.id, {})
        dimensions = _differing(panel, item, mine, settled)
        if dimensions and item.packet and item.number is not None:
            found.append(ItemToSettle(item.id, item.number, item.packet, dimensions))
    return tuple(sorted(found, key=lambda one: (-max(d.spread for d in one.dimensions), one.number)))


def settle(
    work: Work, panel_id: PanelId, item_id: UUID, dimension: str, value: int, *, reason: str, made_by: UserId | None
) -> None:
    """Keep a settled value with its reason, apart from the ratings. Raises RefusedError."""
    panel = work.panels.get(panel_id)
    if panel.state is not PanelState.CLOSED:
        raise RefusedError("Adjudication opens once the panel is closed.")
    found = next((one for one in panel.design.rubric.dimensions if one.id == dimension), None)
    if found is None or value not in found.scale.values:
        raise RefusedError("value: choose a value of the dimension's scale")
    if not reason.strip():
        raise RefusedError("reason: say why this value was settled on")
    if item_id not in {item.id for item in work.panels.rated_items(panel_id)}:
        raise NotFoundError("item", item_id)
    made = Adjudication(PanelItemId(item_id), dimension, value, reason.strip(), work.now)
    work.panels.adjudicate(work.new_id(), made, made_by)


def _read_panel(reading: Reading, panel_id: UUID) -> Panel:
    """A panel whose amendments quote nothing that was redacted."""
    panel = reading.panels.get(panel_id)
    prints = prints_about(reading, panel.design.source_ids)
    words = [masked_words([one.before, one.after, one.reason], prints) for one in panel.amendments]
    masked = [
        one.model_copy(update={"before": before, "after": after, "reason": reason})
        for one, (before, after, reason) in zip(panel.amendments, words, strict=True)
    ]
    return replace(panel, amendments=tuple(masked))


def _state(rater: Rater, invitation: Invitation | None, now: datetime) -> str:
    known = (
        (rater.finished_at is not None, "finished"),
        (rater.erased_at is not None, "identity erased"),
        (rater.consented_at is not None, "rating"),
        (rater.claimed_at is not None, "came in"),
        (invitation is None, "not invited"),
    )
    word = next((word for holds, word in known if holds), None)
    if word or invitation is None:
        return word or ""
    return "invitation revoked" if invitation.revoked_at else "expired" if invitation.expires_at <= now else "invited"


def _first_opinions(
    reading: Reading, panel: Panel, prints: Prints
) -> dict[PanelItemId, dict[str, tuple[dict[str, int], str]]]:
    slots = {rater.id: rater.slot for rater in reading.raters.of_panel(panel.id)}
    latest = reading.ratings.latest(tuple(slots))
    found: dict[PanelItemId, dict[str, tuple[dict[str, int], str]]] = {}
    for one in reading.ratings.of_panel(panel.id):
        rating = latest.get(one.id)
        if one.kind is Kind.MAIN and one.occasion == 1 and rating and rating.answer:
            opinion = (rating.answer.values, masked_words(rating.answer.note, prints))
            found.setdefault(one.item_id, {})[rater_label(slots[one.rater_id])] = opinion
    return found


def _differing(
    panel: Panel,
    item: PanelItem,
    mine: dict[str, tuple[dict[str, int], str]],
    settled: dict[tuple[PanelItemId, str], Adjudication],
) -> tuple[Settling, ...]:
    found = []
    for place, dimension in enumerate(panel.design.rubric.dimensions):
        values = [values[dimension.id] for values, _ in mine.values() if dimension.id in values]
        if len(set(values)) < 2:
            continue
        given: dict[str, tuple[int | None, str]] = {
            rater: (values.get(dimension.id), note) for rater, (values, note) in mine.items()
        }
        opinions = permuted_opinions(given, seed=panel.design.seed, item=item.number or 0, dimension=place)
        spread = max(values) - min(values) if dimension.scale.kind.is_ordered else 1
        found.append(Settling(dimension, opinions, settled.get((item.id, dimension.id)), spread))
    return tuple(found)
