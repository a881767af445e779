"""Studies: launched designs."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Text, cast, func, or_, text, update
from sqlalchemy.dialects.postgresql import JSONPATH, insert
from sqlmodel import Session, col, select

from app.domain.engine.judgings import FIRST_CHECK
from app.domain.ids import StudyId, UserId
from app.domain.protocol.budgets import Budget
from app.domain.study import StudyDesign
from app.storage.errors import NotFoundError
from app.storage.runs import JUDGING, PLAY, Used, used_by_study
from app.storage.tables import RunRow, StudyRow


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

    def add(self, study: Study) -> bool:
        """Keep a new study; False where one with its id is there, also one that another transaction just kept."""
        kept = self._session.execute(
            insert(StudyRow)
            .values(
                id=study.id,
                name=study.design.name,
                design=study.design.model_dump(mode="json"),
                design_hash=study.design_hash,
                rehearsal=study.rehearsal,
                budget=study.design.budgets.study.model_dump(mode="json") if study.design.budgets else None,
                launched_by=study.launched_by,
                launched_at=study.launched_at,
            )
            .on_conflict_do_nothing(index_elements=[col(StudyRow.id)])
            .returning(col(StudyRow.id))
        )
        return kept.first() is not None

    def get(self, study_id: UUID) -> Study:
        """One study; NotFoundError if there is none."""
        row = self._session.get(StudyRow, study_id)
        if row is None:
            raise NotFoundError("study", study_id)
        return _study(row)

    def exact_design(self, study_id: UUID) -> tuple[dict[str, Any], str]:
        """The design as it is stored, and the hash that was kept of it."""
        query = select(StudyRow.design, StudyRow.design_hash).where(StudyRow.id == study_id)
        row = self._session.execute(query).first()
        if row is None:
            raise NotFoundError("study", study_id)
        return row[0], row[1]

    def fingerprint(self, study_id: UUID) -> str:
        """A short sum of the design as it is stored and of its hash: another one says that somebody changed either."""
        stored = func.md5(func.concat(cast(col(StudyRow.design), Text), StudyRow.design_hash))
        return str(self._session.execute(select(stored).where(StudyRow.id == study_id)).scalar_one())

    def lock_budget(self, study_id: StudyId) -> tuple[Budget, Used]:
        """Hold a study's budget until the transaction ends; gives it, and what the study's runs used of it.

        The order of locks is run, then study. Raises NotFoundError: a rehearsal may be deleted meanwhile.
        """
        query = select(StudyRow.budget, StudyRow.launched_at).where(StudyRow.id == study_id)
        found = self._session.execute(query.with_for_update(key_share=True)).first()
        if found is None:
            raise NotFoundError("study", study_id)
        budget, launched_at = found
        return Budget.model_validate(budget or {}), self._used(study_id, launched_at)

    def hold(self, study_ids: Iterable[UUID]) -> None:
        """Hold studies until the transaction ends: none of their texts is taken out meanwhile. After runs, as ever."""
        query = select(StudyRow.id).where(col(StudyRow.id).in_(list(study_ids))).order_by(col(StudyRow.id))
        self._session.execute(query.with_for_update(key_share=True)).all()

    def budget(self, study_id: StudyId) -> tuple[Budget, Used]:
        """A study's budget, as raised since its launch, and what its runs used of it; nothing is held."""
        query = select(StudyRow.budget, StudyRow.launched_at).where(StudyRow.id == study_id)
        budget, launched_at = self._session.execute(query).one()
        return Budget.model_validate(budget or {}), self._used(study_id, launched_at)

    def set_budget(self, study_id: StudyId, budget: Budget) -> None:
        """Raise a study's budget."""
        query = update(StudyRow).where(col(StudyRow.id) == study_id).values(budget=budget.model_dump(mode="json"))
        self._session.execute(query.execution_options(synchronize_session=False))

    def newest(self, *, limit: int, offset: int = 0) -> tuple[Study, ...]:
        """Studies from the last launched on."""
        query = (
            select(StudyRow).order_by(col(StudyRow.launched_at).desc(), col(StudyRow.id)).limit(limit).offset(offset)
        )
        return tuple(_study(row) for row in self._session.exec(query))

    def with_events(self, *, limit: int) -> tuple[tuple[StudyId, str], ...]:
        """Id and name of studies with events of their own in a schedule, the last launched first."""
        places = ("$.schedule.events", "$.schedules[*].events")
        held = (func.jsonb_path_exists(StudyRow.design, cast(place, JSONPATH)) for place in places)
        query = select(StudyRow.id, StudyRow.name).where(or_(*held)).order_by(col(StudyRow.launched_at).desc())
        return tuple((StudyId(found), name) for found, name in self._session.execute(query.limit(limit)))

    def owing_judgings(self) -> tuple[StudyId, ...]:
        """Studies whose runs have all ended while not all judgings of their design are there."""
        of_study = col(RunRow.study_id) == col(StudyRow.id)
        plays = select(RunRow.id).where(of_study, RunRow.kind == PLAY)
        at_work = plays.where(col(RunRow.state).in_(("running", "paused")))
        there = (
            select(func.count())
            .select_from(RunRow)
            .where(of_study, RunRow.kind == JUDGING, col(RunRow.number) < FIRST_CHECK)
        )
        wanted = func.jsonb_array_length(func.coalesce(col(StudyRow.design)["further_judges"], text("'[]'::jsonb")))
        query = select(StudyRow.id).where(plays.exists(), ~at_work.exists(), there.scalar_subquery() < wanted)
        return tuple(StudyId(study_id) for study_id in self._session.exec(query))

    def _used(self, study_id: StudyId, since: datetime) -> Used:
        return Used(since, *self._session.execute(used_by_study(study_id)).one())


def _study(row: StudyRow) -> Study:
    return Study(
        id=StudyId(row.id),
        design=StudyDesign.model_validate(row.design),
        design_hash=row.design_hash,
        rehearsal=row.rehearsal,
        launched_by=UserId(row.launched_by) if row.launched_by else None,
        launched_at=row.launched_at,
    )
