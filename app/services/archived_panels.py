"""Rating panels in an archive: masked on their way out; on their way in, held against the hash of their lock."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from app.domain.engine.quotations import REDACTED
from app.domain.engine.redaction import masked_json
from app.domain.rating.answers import Answer
from app.domain.rating.designs import LockedDesign, PanelDesign, frame_hash_of, locked_hash, text_hash
from app.domain.rating.mask_terms import MaskTerm
from app.domain.rating.packets import Packet
from app.imports.archive import ArchiveError
from app.services.archived_rows import RowReader
from app.services.frame_items import frame_content
from app.services.redacted_rows import RunMasks
from app.services.unit_of_work import Reading
from app.storage.archives import PANEL_TABLES, Archives, TableShape, without_secrets

PANELS = "data/panels.jsonl"
MASKED = ("terms", "source", "packet")
OTHER_INSTANCE = "Import it into an instance that does not hold this panel"
CHECKED_AT_ONCE = 500

_TERMS = TypeAdapter(tuple[MaskTerm, ...])
_NAMES = TypeAdapter(dict[str, str])
_VALUES = TypeAdapter(dict[str, int])
_STAND_INS = TypeAdapter(tuple[str, ...])


@dataclass
class PanelMasks:
    """Items' texts with quotations of documents that were redacted in their runs replaced."""

    look: Reading
    _runs: dict[str, dict[int, RunMasks]] = field(default_factory=dict)

    def item(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """An item's row; one that comes from no run of a study passes as it is."""
        _, study, number, _ = ("", "", "", *str(row["key"]).rsplit("|", 3))[-4:]
        masks = self._of_study(study).get(int(number)) if number.isdecimal() else None
        if masks is None or not masks.prints:
            return row
        return {**row, **{name: masked_json(row[name], masks.prints) for name in MASKED}}

    def _of_study(self, study: str) -> dict[int, RunMasks]:
        if study not in self._runs:
            try:
                runs = self.look.runs.of_study(UUID(study))
            except ValueError:
                runs = ()
            self._runs[study] = {run.number: RunMasks.of(self.look, run.id) for run in runs}
        return self._runs[study]


@dataclass
class _Frame:
    """What was read of one panel's items so far."""

    locked: LockedDesign
    contents: dict[str, str] = field(default_factory=dict)
    sample: dict[str, float | None] = field(default_factory=dict)
    is_masked: bool = False


@dataclass
class PanelIntake:
    """Reads an archive's panels; those that are here already are passed over, all others are checked."""

    reader: RowReader
    store: Archives
    new: int = 0
    paused: int = 0
    _here: set[UUID] = field(default_factory=set)
    _given: list[UUID] = field(default_factory=list)
    _frames: dict[UUID, _Frame] = field(default_factory=dict)

    def rows(self, shape: TableShape) -> Iterator[dict[str, Any]]:
        """The rows of one of PANEL_TABLES that are not here yet. Raises ArchiveError for what does not fit."""
        for number, row in enumerate(self.reader.rows(shape), start=1):
            if not self._is_here(shape, row):
                yield self._checked(shape.name, number, without_secrets(shape.name, row))

    def finish(self) -> None:
        """Hold every panel's items against its lock. Raises ArchiveError."""
        self._look_for_given()
        for frame in self._frames.values():
            wanted = {item.key: item.probability for item in frame.locked.sample}
            if frame.sample != wanted:
                raise ArchiveError(PANELS, f"the sample of {frame.locked.design.name} is not the one that was locked")
            if not frame.is_masked and frame_hash_of(frame.contents) != frame.locked.frame_sha256:
                raise ArchiveError(PANELS, f"the items of {frame.locked.design.name} are not those that were locked")

    def _is_here(self, shape: TableShape, row: Mapping[str, Any]) -> bool:
        """Whether the row belongs to a panel that this instance holds."""
        if shape.name == "panels":
            held = self.store.panel_hash(row["id"])
            if held is None:
                return False
            if held != row["locked_hash"]:
                problem = f"panel {row['name']} is in this instance already, under another design"
                raise ArchiveError(PANELS, problem, OTHER_INSTANCE)
            self._here.add(row["id"])
            return True
        owners = (row.get(one.name) for one in shape.columns.values() if one.refers_to in PANEL_TABLES)
        if not any(owner in self._here for owner in owners):
            return False
        if "id" in row:
            self._here.add(row["id"])
        if shape.name == "ratings":
            self._given.append(row["id"])
            if len(self._given) >= CHECKED_AT_ONCE:
                self._look_for_given()
        return True

    def _look_for_given(self) -> None:
        """Every rating of a panel that is here must be here too."""
        if self.store.count("ratings", self._given) != len(self._given):
            problem = "a panel that is in this instance already lacks ratings that the archive holds"
            raise ArchiveError("data/ratings.jsonl", problem, OTHER_INSTANCE)
        self._given.clear()

    def _checked(self, table: str, number: int, row: dict[str, Any]) -> dict[str, Any]:
        try:
            match table:
                case "panels":
                    return self._panel(number, row)
                case "panel_items":
                    self._item(row)
                case "assignments":
                    Answer.model_validate(row["draft"])
                    _VALUES.validate_python(row["locked"] or {})
                case "ratings":
                    Answer.model_validate(row["answer"] or {})
        except ValidationError as error:
            where = ".".join(str(part) for part in error.errors()[0]["loc"])
            raise self.reader.error(table, number, f"{where or 'a value'} does not read as it should") from error
        return row

    def _panel(self, number: int, row: dict[str, Any]) -> dict[str, Any]:
        PanelDesign.model_validate(row["design"])
        locked = LockedDesign.model_validate(row["locked"])
        if locked_hash(locked) != row["locked_hash"]:
            raise self.reader.error("panels", number, "the locked design does not give its hash: it was changed")
        self._frames[row["id"]] = _Frame(locked)
        self.new += 1
        if row["state"] == "open":
            self.paused += 1
            return {**row, "state": "paused"}
        return row

    def _item(self, row: Mapping[str, Any]) -> None:
        frame = self._frames[row["panel_id"]]
        source = Packet.model_validate(row["source"])
        strata = _NAMES.validate_python(row["strata"])
        _TERMS.validate_python(row["terms"])
        _VALUES.validate_python(row["judge"])
        _STAND_INS.validate_python(row["stand_ins"] or ())
        if row["use"] != "frame":
            Packet.model_validate(row["packet"])
        if row["use"] == "sample":
            frame.sample[row["key"]] = row["probability"]
        frame.is_masked |= any(REDACTED in section.text for section in source.sections)
        frame.contents[row["key"]] = text_hash(frame_content(row["unit"], strata, source))
