"""Studies: launched designs."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import insert
from sqlmodel import Session, col, select

from app.domain.ids import StudyId, UserId
from app.domain.study import StudyDesign
from app.storage.errors import NotFoundError
from app.storage.tables import StudyRow


@dataclass(frozen=True, slots=True)
class Study:
    """A launched study."""

    id: StudyId
    design: StudyDesign
    design_hash: str
    rehearsal: bool
    launched_by: UserId | None
    launched_at: datetime


class Studies:
    """The studies on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, study: Study) -> None:
        """Keep a new study."""
        self._session.execute(
            insert(StudyRow).values(
                id=study.id,
                name=study.design.name,
                design=study.design.model_dump(mode="json"),
                design_hash=study.design_hash,
                rehearsal=study.rehearsal,
                launched_by=study.launched_by,
                launched_at=study.launched_at,
            )
        )

    def get(self, study_id: UUID) -> Study:
        """One study; NotFoundError if there is none."""
        row = self._session.get(StudyRow, study_id)
        if row is None:
            raise NotFoundError("study", study_id)
        return _study(row)

    def newest(self, *, limit: int, offset: int = 0) -> tuple[Study, ...]:
        """Studies from the last launched on."""
        query = (
            select(StudyRow).order_by(col(StudyRow.launched_at).desc(), col(StudyRow.id)).limit(limit).offset(offset)
        )
        return tuple(_study(row) for row in self._session.exec(query))


def _study(row: StudyRow) -> Study:
    return Study(
        id=StudyId(row.id),
        design=StudyDesign.model_validate(row.design),
        design_hash=row.design_hash,
        rehearsal=row.rehearsal,
        launched_by=UserId(row.launched_by) if row.launched_by else None,
        launched_at=row.launched_at,
    )
