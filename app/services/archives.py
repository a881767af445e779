"""Archives: a study written out whole, and put back into another instance so that its ledgers verify there."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError

from app.domain.auth import Role
from app.domain.engine.ledger import body_hash
from app.domain.ids import StudyId
from app.domain.study import StudyDesign
from app.exports.archive import Part, write_archive
from app.exports.as_json import json_lines, utc
from app.exports.levels import Level, dictionary
from app.imports.archive import ArchiveError, OpenArchive, open_archive
from app.services.archived_panels import PanelIntake, PanelMasks
from app.services.archived_rows import PEOPLE, UPDATE, RowReader
from app.services.exports import Form, level_rows, written
from app.services.panel_words import WORDS, masked_row, prints_about
from app.services.redacted_rows import RunMasks
from app.services.studies import study_file
from app.services.unit_of_work import Reading, Work, reading, unit_of_work
from app.services.verification import verify_run
from app.storage.archives import PANEL_TABLES, Archives, TableShape, shapes
from app.storage.runs import PLAY
from app.storage.studies import Study

BATCH_ROWS = 200
BATCH_CHARACTERS = 500_000
"""What is sent to the database at once: whichever is reached first."""

HIDDEN: Mapping[str, Callable[[RunMasks, Mapping[str, Any]], Mapping[str, Any]]] = {
    "calls": RunMasks.call,
    "artifacts": RunMasks.artifact,
    "interventions": RunMasks.written_about,
    "finding_decisions": RunMasks.written_about,
}
"""How quotations of redacted documents leave the rows of a table."""

README = """# A study of Frontier Autolab

`{name}`, design SHA-256 `{digest}`.
{rehearsal}
`data/` holds the rows of the study, a JSON object a line, as the instance held them when the archive was made;
quotations of redacted documents are masked. Locked rating panels that drew from the study are there, with raters as
numbers and nothing that names one or lets one in. `manifest.json` lists every file with its size and SHA-256.
`scores.csv` is for reading, `study.toml` launches the same study again.

Put it into another instance with `./autolab import FILE.zip`, read the scores with `./autolab score scores.csv`. Each
run's ledger in `data/ledger.jsonl` is a chain of hashes over everything that happened; `./autolab verify {study_id}`
holds it against the texts after the import.

## Columns of scores.csv and of the other exports

{dictionary}"""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did; ``was_there`` says that the study was there already and stayed as it is.

    ``panels`` counts those that came in, ``paused`` runs and ``paused_panels`` panels that were under way.
    """

    study_id: StudyId
    name: str
    runs: int
    was_there: bool
    fingerprint: str
    panels: int = 0
    paused: int = 0
    paused_panels: int = 0


def stream_archive(study_id: UUID) -> Iterator[bytes]:
    """The archive of a study as it is at one moment; opens a transaction of its own. The study must be there."""
    with reading(one_moment=True) as look:
        study = look.studies.get(study_id)
        named = {"id": str(study.id), "name": study.design.name, "design_sha256": study.design_hash}
        about = {"exported_at": utc(look.now), "rehearsal": study.rehearsal, "study": named}
        yield from write_archive(_parts(look, study), about, look.now)


def take_in_archive(source: BinaryIO, name: str) -> Imported:
    """Import an uploaded archive in a transaction of its own. Raises ArchiveError; then nothing was imported."""
    with unit_of_work() as work:
        return import_archive(work, source, name)


def import_archive(work: Work, source: Path | BinaryIO, name: str = "") -> Imported:
    """Put an archive's study into this instance under its own ids; what was under way is paused.

    Raises ArchiveError, and then nothing may be committed. A study that is there already, as it is in the archive, is
    left as it is, and so is a panel; panels that are not there are taken in.
    """
    with open_archive(source, name) as archive:
        known = shapes()
        strangers = sorted(set(archive.tables) - set(known) - {PEOPLE})
        if strangers:
            raise ArchiveError(archive.file, f"it holds {strangers[0][:60]}, which is unknown here", UPDATE)
        reader = RowReader(archive)
        people = reader.people()
        study = _study(reader, known["studies"])
        store = Archives(work.session)
        put = _Put(work, store, reader, PanelIntake(reader, store), _only_schedule(study))
        if not store.hold(study["id"]):
            raise ArchiveError(archive.file, "another import of the same study is under way", "Wait until it has ended")
        was_there = store.is_taken("studies", [study["id"]])
        if was_there:
            _require_same(work, archive, study)
        put.people(people)
        if not was_there:
            put.table("studies", [study])
            put.tables(shape for name, shape in known.items() if name not in PANEL_TABLES | {"studies"})
            _verify(work, study["id"])
        put.tables(shape for name, shape in known.items() if name in PANEL_TABLES)
        put.panels.finish()
        runs = len(work.runs.of_study(study["id"]))
        counts = (put.panels.new, put.paused, put.panels.paused)
        return Imported(study["id"], study["name"], runs, was_there, archive.fingerprint, *counts)


def _parts(look: Reading, study: Study) -> Iterator[Part]:
    store = Archives(look.session)
    mark = "\nA rehearsal model took part: this shows how the software works, not how models behave.\n"
    words = {"name": study.design.name.replace("`", "'"), "digest": study.design_hash, "study_id": study.id}
    text = README.format(**words, rehearsal=mark if study.rehearsal else "", dictionary=dictionary())
    yield Part("README.md", [text.encode()], rows=False)
    yield Part("study.toml", [study_file(study.design).encode()], rows=False)
    yield Part("scores.csv", written(level_rows(look, study, Level.SCORES), Level.SCORES, Form.CSV), rows=False)
    people = store.people(tuple(store.people_named(study.id)))
    yield Part(f"data/{PEOPLE}.jsonl", json_lines(people))
    for name in shapes():
        yield Part(f"data/{name}.jsonl", json_lines(_masked(look, study.id, name, store.rows(name, study.id))))


def _masked(look: Reading, study_id: UUID, name: str, rows: Iterable[dict[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Rows with quotations of redacted documents replaced, as everywhere outside the database."""
    if name == "panel_items":
        yield from map(PanelMasks(look).item, rows)
        return
    if name in WORDS:
        prints = prints_about(look, Archives(look.session).panel_sources(study_id))
        yield from (masked_row(name, row, prints) for row in rows)
        return
    masks: dict[UUID, RunMasks] = {}
    hide = HIDDEN.get(name)
    for row in rows:
        if hide is None:
            yield row
            continue
        run_id = row["run_id"]
        if run_id not in masks:
            masks = {run_id: RunMasks.of(look, run_id)}
        yield hide(masks[run_id], row)


def _study(reader: RowReader, shape: TableShape) -> dict[str, Any]:
    rows = list(reader.rows(shape))
    if len(rows) != 1:
        raise ArchiveError("data/studies.jsonl", f"it has {len(rows)} studies, an archive has one")
    study, listed = rows[0], reader.archive.manifest.study
    try:
        StudyDesign.model_validate(study["design"])
    except ValidationError as error:
        raise ArchiveError("data/studies.jsonl", "the design does not read as a design", UPDATE) from error
    if (str(study["id"]), study["design_hash"]) != (listed.id, listed.design_sha256):
        raise ArchiveError("data/studies.jsonl", "the study is not the one that manifest.json names")
    if body_hash(study["design"]) != study["design_hash"]:
        raise ArchiveError("data/studies.jsonl", "the design does not give its hash: it was changed after launch")
    return study


def _only_schedule(study: Mapping[str, Any]) -> str:
    """The schedule of every run of an archive from before a design could have several and runs named theirs."""
    return StudyDesign.model_validate(study["design"]).schedules[0].id


def _require_same(work: Work, archive: OpenArchive, study: Mapping[str, Any]) -> None:
    """The study that is there must be the archive's to the last event. Raises ArchiveError."""
    there = {str(run.id): (run.name, run.ledger_head) for run in work.runs.every(study["id"])}
    given = {str(row.get("id")): (row.get("name"), row.get("ledger_head")) for _, row in archive.rows("runs")}
    _, digest = work.studies.exact_design(study["id"])
    differing = [there.get(name) or given[name] for name in {**given, **there} if there.get(name) != given.get(name)]
    if differing or digest != study["design_hash"]:
        what = f"run {differing[0][0]}" if differing else "its design"
        problem = f"study {study['name']} is in this instance already, and {what} differs from the archive's"
        raise ArchiveError(archive.file, problem, "Import it into an instance that does not hold this study")


def _verify(work: Work, study_id: UUID) -> None:
    """Hold what was put in against its ledgers, as ``verify`` does. Raises ArchiveError for the first misfit."""
    for run in work.runs.every(study_id):
        verdict = verify_run(work, run)
        if verdict.problems:
            raise ArchiveError("data/ledger.jsonl", f"run {run.name} does not verify: {verdict.problems[0]}")


@dataclass
class _Put:
    """Puts rows in, a batch at a time."""

    work: Work
    store: Archives
    reader: RowReader
    panels: PanelIntake
    schedule: str
    paused: int = 0

    def people(self, people: Mapping[UUID, str]) -> None:
        """Accounts, disabled from the start, for those whom this instance does not know; a taken name gets a mark."""
        taken = self.store.names_taken(tuple(people.values()))
        for user_id, name in people.items():
            if not self.store.is_taken("users", [user_id]):
                shown = f"{name} (archive {str(user_id)[:8]})" if name in taken else name
                self.store.add_person(user_id, shown, Role.AUDITOR, self.work.now)

    def tables(self, of: Iterable[TableShape]) -> None:
        """All rows of several tables."""
        for shape in of:
            source = self.panels if shape.name in PANEL_TABLES else self.reader
            self.table(shape.name, source.rows(shape))

    def table(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        """All rows of a table. Raises ArchiveError where the database refuses them."""
        batch: list[dict[str, Any]] = []
        weight = 0
        for row in rows:
            batch.append(self._settled(name, row))
            weight += sum(len(value) for value in row.values() if isinstance(value, str))
            if len(batch) >= BATCH_ROWS or weight >= BATCH_CHARACTERS:
                self._send(name, batch)
                batch, weight = [], 0
        self._send(name, batch)

    def _settled(self, name: str, row: dict[str, Any]) -> dict[str, Any]:
        if name != "runs":
            return row
        if "schedule" not in row and row.get("kind", PLAY) == PLAY:
            row = {**row, "schedule": self.schedule}
        if row["state"] == "running":
            self.paused += 1
            row = {**row, "state": "paused"}
        return row

    def _send(self, name: str, batch: list[dict[str, Any]]) -> None:
        if not batch:
            return
        try:
            self.store.insert(name, batch)
        except DBAPIError as error:
            reason = str(error.orig).splitlines()[0][:200]
            raise ArchiveError(f"data/{name}.jsonl", f"the database refuses a row ({reason})") from error
