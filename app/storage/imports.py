"""Imports: uploads that wait, imported studies, and what came with their runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import delete, update
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import Session, col, select

from app.domain.ids import RunId, StudyId, UserId
from app.storage.errors import NotFoundError
from app.storage.import_tables import ImportDraftRow, ImportedRunRow, ImportRow


@dataclass(frozen=True, slots=True)
class ImportDraft:
    """An upload that was read and waits to be confirmed; ``texts`` are its files by path, ``unread`` those left out."""

    id: UUID
    file: str
    mend: bool
    texts: Mapping[str, str]
    unread: tuple[str, ...]
    made_by: UserId
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Import:
    """An imported study."""

    study_id: StudyId
    fingerprint: str
    file: str
    notes: tuple[str, ...]
    made_by: UserId
    made_at: datetime


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """What came with a run: lessons with tag, text and revisions, what was not parsed, and every text by path."""

    run_id: RunId
    study_id: StudyId
    playbook: Sequence[Mapping[str, Any]]
    unparsed: Sequence[Mapping[str, str]]
    texts: Mapping[str, str]


class Imports:
    """The imports on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def keep_draft(self, draft: ImportDraft, *, for_at_most: timedelta) -> None:
        """Keep an upload until it is confirmed; those that waited longer than this are dropped."""
        old = col(ImportDraftRow.made_at) < draft.made_at - for_at_most
        self._session.execute(delete(ImportDraftRow).where(old))
        self._session.execute(insert(ImportDraftRow).values(**_values(draft) | {"unread": list(draft.unread)}))

    def draft(self, draft_id: UUID) -> ImportDraft:
        """An upload that waits. NotFoundError if it was confirmed, dropped or never there."""
        row = self._session.get(ImportDraftRow, draft_id)
        if row is None:
            raise NotFoundError("upload", draft_id)
        return ImportDraft(row.id, row.file, row.mend, row.texts, tuple(row.unread), UserId(row.made_by), row.made_at)

    def drop_draft(self, draft_id: UUID) -> None:
        """Forget an upload."""
        self._session.execute(delete(ImportDraftRow).where(col(ImportDraftRow.id) == draft_id))

    def add(self, made: Import) -> bool:
        """Keep an imported study; False if the same contents were imported before."""
        query = insert(ImportRow).values(**_values(made) | {"notes": list(made.notes)})
        done = self._session.execute(
            query.on_conflict_do_nothing(index_elements=["fingerprint"]).returning(col(ImportRow.study_id))
        )
        return done.first() is not None

    def add_run(self, run: ImportedRun) -> None:
        """Keep what came with a run."""
        self._session.execute(insert(ImportedRunRow).values(**_values(run)))

    def by_fingerprint(self, fingerprint: str) -> Import | None:
        """The study that these contents were imported as."""
        row = self._session.exec(select(ImportRow).where(ImportRow.fingerprint == fingerprint)).first()
        return _import(row) if row else None

    def of_study(self, study_id: UUID) -> Import | None:
        """How a study was imported; None if it was launched here."""
        row = self._session.get(ImportRow, study_id)
        return _import(row) if row else None

    def runs(self, study_id: UUID) -> tuple[ImportedRun, ...]:
        """What came with the runs of an imported study."""
        query = select(ImportedRunRow).where(ImportedRunRow.study_id == study_id)
        return tuple(_run(row) for row in self._session.exec(query))

    def run(self, run_id: UUID) -> ImportedRun | None:
        """What came with one run; None if it was not imported."""
        row = self._session.get(ImportedRunRow, run_id)
        return _run(row) if row else None

    def change_texts(self, run_id: UUID, *, texts: Mapping[str, str], playbook: Sequence[Mapping[str, Any]]) -> None:
        """Put texts in place of those that are kept, when a document is taken out."""
        query = update(ImportedRunRow).where(col(ImportedRunRow.run_id) == run_id)
        self._session.execute(query.values(texts=dict(texts), playbook=list(playbook)))


def _run(row: ImportedRunRow) -> ImportedRun:
    return ImportedRun(RunId(row.run_id), StudyId(row.study_id), row.playbook, row.unparsed, row.texts)


def _import(row: ImportRow) -> Import:
    return Import(StudyId(row.study_id), row.fingerprint, row.file, tuple(row.notes), UserId(row.made_by), row.made_at)


def _values(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}
