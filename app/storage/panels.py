"""Panels, their items, amendments and adjudications."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import Text, cast, delete, func, insert, update
from sqlmodel import Session, col, select

from app.domain.ids import PanelId, PanelItemId, UserId
from app.domain.rating.designs import Amendment, LockedDesign, PanelDesign, amended
from app.domain.rating.mask_terms import MaskTerm
from app.domain.rating.packets import Packet
from app.domain.rating.sessions import PanelState
from app.storage.errors import NotFoundError
from app.storage.rating_tables import (
    AdjudicationRow,
    AssignmentRow,
    PanelAmendmentRow,
    PanelItemRow,
    PanelRow,
    RatingRow,
)

ARMS = ("condition", "model")
"""The strata whose masking is put to the test by guesses."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel; ``design`` is the one that holds now, ``locked`` the one that was hashed."""

    id: PanelId
    state: PanelState
    design: PanelDesign
    locked: LockedDesign | None
    locked_hash: str | None
    made_at: datetime
    locked_at: datetime | None
    closed_at: datetime | None
    amendments: tuple[Amendment, ...]


@dataclass(frozen=True, slots=True)
class PanelItem:
    """An item of the frame; ``source`` is unmasked and never leaves the operator's pages."""

    id: PanelItemId
    key: str
    unit: str
    strata: dict[str, str]
    terms: tuple[MaskTerm, ...]
    source: Packet
    judge: dict[str, int]
    intervened: bool
    words: int
    use: str = "frame"
    number: int | None = None
    probability: float | None = None
    packet: Packet | None = None
    stand_ins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FrameLine:
    """An item of the frame without its texts."""

    id: PanelItemId
    key: str
    unit: str
    strata: dict[str, str]
    intervened: bool
    words: int
    use: str
    number: int | None
    probability: float | None
    judge: dict[str, int]


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A settled value with its reason."""

    item_id: PanelItemId
    dimension: str
    value: int
    reason: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class PanelRules:
    """What a rater's pages need of a panel: no sample, no queue, no probability."""

    id: PanelId
    state: PanelState
    design: PanelDesign


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item as raters read it; its key stays on the server."""

    key: str
    words: int
    packet: Packet
    stand_ins: tuple[str, ...]


class Panels:
    """The panels on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, panel_id: PanelId, design: PanelDesign, made_by: UserId | None, at: datetime) -> None:
        """Keep a new draft."""
        body = design.model_dump(mode="json")
        values = {"id": panel_id, "name": design.name, "design": body, "made_by": made_by, "made_at": at}
        self._session.execute(insert(PanelRow).values(**values))

    def get(self, panel_id: UUID, *, lock: bool = False) -> Panel:
        """One panel, locked against other writers if asked; NotFoundError if there is none."""
        query = select(PanelRow).where(PanelRow.id == panel_id)
        row = self._session.exec(query.with_for_update() if lock else query).first()
        if row is None:
            raise NotFoundError("panel", panel_id)
        return _panel(row, self._amendments(panel_id))

    def rules(self, panel_id: UUID) -> PanelRules:
        """A panel's state and the design that holds now; NotFoundError if there is none."""
        columns: tuple[Any, ...] = (PanelRow.state, cast(col(PanelRow.design), Text))
        row = self._session.execute(select(*columns).where(PanelRow.id == panel_id)).first()
        if row is None:
            raise NotFoundError("panel", panel_id)
        return PanelRules(PanelId(panel_id), PanelState(row[0]), design_of(row[1]))

    def shown(self, item_id: UUID) -> ShownItem:
        """What raters read of an item; NotFoundError if there is none or it is not masked yet."""
        columns: tuple[Any, ...] = (PanelItemRow.key, PanelItemRow.words, PanelItemRow.packet, PanelItemRow.stand_ins)
        row = self._session.execute(select(*columns).where(PanelItemRow.id == item_id)).first()
        if row is None or row.packet is None:
            raise NotFoundError("item", item_id)
        return ShownItem(row.key, row.words, Packet.model_validate(row.packet), tuple(row.stand_ins or ()))

    def newest(self) -> tuple[Panel, ...]:
        """Every panel from the last made on."""
        query = select(PanelRow).order_by(col(PanelRow.made_at).desc(), col(PanelRow.id))
        return tuple(_panel(row, self._amendments(row.id)) for row in self._session.exec(query))

    def change(self, panel_id: PanelId, **values: object) -> None:
        """Set columns of one panel."""
        self._session.execute(update(PanelRow).where(col(PanelRow.id) == panel_id).values(**values))

    def add_amendment(self, panel_id: PanelId, new_id: UUID, amendment: Amendment, made_by: UserId | None) -> None:
        """Keep an amendment under the next number."""
        number = len(self._amendments(panel_id)) + 1
        body = amendment.model_dump(mode="json", exclude={"at"})
        values = {"id": new_id, "panel_id": panel_id, "number": number, "made_by": made_by, "made_at": amendment.at}
        self._session.execute(insert(PanelAmendmentRow).values(**values, **body))

    def replace_frame(self, panel_id: PanelId, items: Iterable[PanelItem]) -> None:
        """Put these items in place of the draft's frame."""
        self._session.execute(delete(PanelItemRow).where(col(PanelItemRow.panel_id) == panel_id))
        rows = [_item_row(panel_id, item) for item in items]
        if rows:
            self._session.execute(insert(PanelItemRow), rows)

    def lines(self, panel_id: PanelId) -> tuple[FrameLine, ...]:
        """The frame without its texts, by key."""
        names = ("id", "key", "unit", "strata", "intervened", "words", "use", "number", "probability", "judge")
        columns: tuple[Any, ...] = tuple(getattr(PanelItemRow, name) for name in names)
        query = select(*columns).where(PanelItemRow.panel_id == panel_id)
        return tuple(
            FrameLine(*row) for row in self._session.execute(query.order_by(col(PanelItemRow.key).collate("C")))
        )

    def items(self, panel_id: PanelId, keys: Sequence[str] | None = None) -> tuple[PanelItem, ...]:
        """Items with their texts by key; all of them, or those of the keys."""
        query = select(PanelItemRow).where(PanelItemRow.panel_id == panel_id)
        if keys is not None:
            query = query.where(col(PanelItemRow.key).in_(keys))
        return tuple(_item(row) for row in self._session.exec(query.order_by(col(PanelItemRow.key).collate("C"))))

    def holding(self, study_id: UUID, number: int) -> dict[PanelId, list[str]]:
        """The keys of a study's run in every panel that has it in its frame; items of other panels are not read."""
        drawing = select(PanelRow.id).where(col(PanelRow.design)["source_ids"].contains([str(study_id)]))
        query = select(PanelItemRow.panel_id, PanelItemRow.key).where(col(PanelItemRow.panel_id).in_(drawing))
        query = query.where(col(PanelItemRow.key).contains(f"|{study_id}|{number:04d}|"))
        found: dict[PanelId, list[str]] = {}
        for panel_id, key in self._session.exec(query):
            found.setdefault(PanelId(panel_id), []).append(key)
        return found

    def rated_items(self, panel_id: PanelId) -> tuple[PanelItem, ...]:
        """The sample's items by number."""
        query = select(PanelItemRow).where(PanelItemRow.panel_id == panel_id, PanelItemRow.use == "sample")
        return tuple(_item(row) for row in self._session.exec(query.order_by(col(PanelItemRow.number))))

    def item(self, item_id: UUID) -> PanelItem:
        """One item with its texts; NotFoundError if there is none."""
        row = self._session.get(PanelItemRow, item_id)
        if row is None:
            raise NotFoundError("item", item_id)
        return _item(row)

    def change_item(self, item_id: PanelItemId, **values: object) -> None:
        """Set columns of one item."""
        self._session.execute(update(PanelItemRow).where(col(PanelItemRow.id) == item_id).values(**values))

    def arms(self, panel_id: UUID) -> dict[str, tuple[str, ...]]:
        """The conditions and models that occur in the sample, where the items have any."""
        found: dict[str, tuple[str, ...]] = {}
        for name in ARMS:
            value = col(PanelItemRow.strata)[name].astext
            query = select(value).where(PanelItemRow.panel_id == panel_id, PanelItemRow.use == "sample").distinct()
            values = sorted(row[0] for row in self._session.execute(query) if row[0] is not None)
            if len(values) > 1:
                found[name] = tuple(values)
        return found

    def is_rated(self, panel_id: PanelId) -> bool:
        """Whether any rating exists, training included."""
        query = (
            select(RatingRow.id)
            .join(AssignmentRow, col(AssignmentRow.id) == col(RatingRow.assignment_id))
            .join(PanelItemRow, col(PanelItemRow.id) == col(AssignmentRow.item_id))
            .where(PanelItemRow.panel_id == panel_id)
            .limit(1)
        )
        return self._session.exec(query).first() is not None

    def count_open(self) -> int:
        """How many panels raters may work on."""
        return self._session.exec(select(func.count()).select_from(PanelRow).where(PanelRow.state == "open")).one()

    def adjudicate(self, new_id: UUID, made: Adjudication, made_by: UserId | None) -> None:
        """Keep a settled value in place of an earlier one."""
        same = (col(AdjudicationRow.item_id) == made.item_id, col(AdjudicationRow.dimension) == made.dimension)
        self._session.execute(delete(AdjudicationRow).where(*same))
        self._session.execute(insert(AdjudicationRow).values(id=new_id, made_by=made_by, **asdict(made)))

    def adjudications(self, panel_id: PanelId) -> tuple[Adjudication, ...]:
        """Every settled value of a panel."""
        query = (
            select(AdjudicationRow)
            .join(PanelItemRow, col(PanelItemRow.id) == col(AdjudicationRow.item_id))
            .where(PanelItemRow.panel_id == panel_id)
            .order_by(col(PanelItemRow.number), col(AdjudicationRow.dimension))
        )
        return tuple(
            Adjudication(PanelItemId(row.item_id), row.dimension, row.value, row.reason, row.made_at)
            for row in self._session.exec(query)
        )

    def _amendments(self, panel_id: UUID) -> tuple[Amendment, ...]:
        query = select(PanelAmendmentRow).where(PanelAmendmentRow.panel_id == panel_id)
        return tuple(
            Amendment(field=row.field, before=row.before, after=row.after, reason=row.reason, at=row.made_at)
            for row in self._session.exec(query.order_by(col(PanelAmendmentRow.number)))
        )


@lru_cache(maxsize=256)
def design_of(text: str) -> PanelDesign:
    """A stored design; kept by its text, since raters' pages ask for the same one again and again."""
    return PanelDesign.model_validate_json(text)


def _panel(row: PanelRow, amendments: tuple[Amendment, ...]) -> Panel:
    return Panel(
        id=PanelId(row.id),
        state=PanelState(row.state),
        design=amended(PanelDesign.model_validate(row.design), amendments),
        locked=LockedDesign.model_validate(row.locked) if row.locked else None,
        locked_hash=row.locked_hash,
        made_at=row.made_at,
        locked_at=row.locked_at,
        closed_at=row.closed_at,
        amendments=amendments,
    )


def _item_row(panel_id: PanelId, item: PanelItem) -> Mapping[str, Any]:
    return {
        "id": item.id,
        "panel_id": panel_id,
        "key": item.key,
        "unit": item.unit,
        "strata": item.strata,
        "terms": [term.model_dump(mode="json") for term in item.terms],
        "source": item.source.model_dump(mode="json"),
        "judge": item.judge,
        "intervened": item.intervened,
        "words": item.words,
    }


def _item(row: PanelItemRow) -> PanelItem:
    return PanelItem(
        id=PanelItemId(row.id),
        key=row.key,
        unit=row.unit,
        strata=row.strata,
        terms=tuple(MaskTerm.model_validate(term) for term in row.terms),
        source=Packet.model_validate(row.source),
        judge=row.judge,
        intervened=row.intervened,
        words=row.words,
        use=row.use,
        number=row.number,
        probability=row.probability,
        packet=Packet.model_validate(row.packet) if row.packet else None,
        stand_ins=tuple(row.stand_ins or ()),
    )
