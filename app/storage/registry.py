"""Models as admins wrote them: every version of every entry, and nothing is ever changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import insert
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from app.domain.ids import UserId
from app.storage.errors import AlreadyThereError
from app.storage.tables import ModelVersionRow, UserRow


@dataclass(frozen=True, slots=True)
class ModelVersion:
    """One state of an entry; ``number`` counts from 1, ``entry`` holds its fields."""

    name: str
    number: int
    entry: Mapping[str, Any]
    retired: bool
    made_at: datetime
    made_by: UserId | None


class Models:
    """The versions on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, version_id: UUID, version: ModelVersion) -> None:
        """Keep a version; AlreadyThereError if somebody kept that number before."""
        values = {name: getattr(version, name) for name in ModelVersion.__dataclass_fields__}
        try:
            with self._session.begin_nested():
                self._session.execute(insert(ModelVersionRow).values(id=version_id, **values))
        except IntegrityError as error:
            raise AlreadyThereError("version of the model", version.name) from error

    def current(self) -> tuple[ModelVersion, ...]:
        """The last version of every entry, by name."""
        columns = [getattr(ModelVersionRow, name) for name in ModelVersion.__dataclass_fields__]
        query = select(*columns).ext(distinct_on(col(ModelVersionRow.name)))
        query = query.order_by(col(ModelVersionRow.name), col(ModelVersionRow.number).desc())
        return tuple(ModelVersion(*row) for row in self._session.execute(query))

    def history(self, name: str) -> tuple[tuple[ModelVersion, str | None], ...]:
        """Every version of an entry, the last first, with the name of who made it."""
        columns: list[Any] = [getattr(ModelVersionRow, name) for name in ModelVersion.__dataclass_fields__]
        columns.append(UserRow.name)
        query = select(*columns).join(UserRow, col(UserRow.id) == col(ModelVersionRow.made_by), isouter=True)
        query = query.where(ModelVersionRow.name == name).order_by(col(ModelVersionRow.number).desc())
        return tuple((ModelVersion(*row[:-1]), row[-1]) for row in self._session.execute(query))
