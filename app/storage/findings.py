"""Findings of the leakage audit: counts per document, marked passages, and what people decided about open ones."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Subquery, and_, func, insert, or_, true, tuple_, update
from sqlalchemy import select as sql_select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.dialects.postgresql import insert as insert_or_leave
from sqlmodel import Session, col

from app.domain.audit.findings import FindingFilter, Shown
from app.domain.engine.quotations import masked_text
from app.storage.errors import NotFoundError
from app.storage.finding_tables import FindingDecisionRow, FindingRow, ProbeCountRow, RunAuditRow
from app.storage.redactions import Redactions
from app.storage.runs import PLAY
from app.storage.tables import ArtifactRow, RunRow

Version = tuple[str, str]
"""A probe's name and version."""

Place = tuple[UUID, str | None]
"""A run and an era of it; None for the run as a whole."""

PASSAGE = ("artifact_id", "probe", "path", "starts_at", "ends_at")


@dataclass(frozen=True, slots=True)
class KeptCount:
    """What a probe counted in one document; ``numbers`` are those of the selection probe."""

    id: UUID
    run_id: UUID
    artifact_id: UUID
    key: str
    era: str
    probe: str
    version: str
    words: int
    hits: int
    numbers: dict[str, Any] | None
    made_at: datetime


@dataclass(frozen=True, slots=True)
class KeptFinding:
    """A marked passage as it is stored; ``state`` is hit or review."""

    id: UUID
    run_id: UUID
    artifact_id: UUID
    probe: str
    version: str
    path: str
    starts_at: int
    ends_at: int
    quote: str
    about: str
    state: str
    why: str


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A passage with its document and run, and how the last person decided; None where nobody did."""

    finding: KeptFinding
    key: str
    era: str
    run_name: str
    condition: str
    decided: bool | None


@dataclass(frozen=True, slots=True)
class KeptDecision:
    """What a person decided about a passage."""

    id: UUID
    run_id: UUID
    artifact_id: UUID
    probe: str
    path: str
    starts_at: int
    ends_at: int
    is_hit: bool
    reason: str
    author_id: UUID
    made_at: datetime


@dataclass(frozen=True, slots=True)
class CountSum:
    """Counts of one probe over a schedule's documents of a condition and era; ``by_people`` are hits people decided."""

    schedule: str
    condition: str
    era: str
    probe: str
    documents: int
    words: int
    hits: int
    by_people: int
    waiting: int


class Findings:
    """The audit's rows on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, count: KeptCount, findings: Sequence[KeptFinding]) -> bool:
        """Keep a probe's count of a document with its passages; False if that version had counted it already."""
        query = insert_or_leave(ProbeCountRow).values(**asdict(count)).on_conflict_do_nothing()
        if self._session.execute(query.returning(col(ProbeCountRow.id))).first() is None:
            return False
        if findings:
            self._session.execute(insert(FindingRow), [asdict(one) for one in findings])
        return True

    def counted(self, run_id: UUID) -> frozenset[tuple[UUID, str, str]]:
        """Document, probe and version of every count of a run."""
        columns: tuple[Any, ...] = (ProbeCountRow.artifact_id, ProbeCountRow.probe, ProbeCountRow.version)
        query = sql_select(*columns).where(col(ProbeCountRow.run_id) == run_id)
        return frozenset((row[0], row[1], row[2]) for row in self._session.execute(query))

    def mark_audited(self, audit_id: UUID, run_id: UUID, versions: str, at: datetime) -> None:
        """Note that a finished run was audited by these versions."""
        values = {"id": audit_id, "run_id": run_id, "versions": versions, "made_at": at}
        self._session.execute(insert_or_leave(RunAuditRow).values(**values).on_conflict_do_nothing())

    def owed(self, versions: str, *, limit: int) -> tuple[UUID, ...]:
        """Finished runs that these versions have not audited, the earliest finished first."""
        done = sql_select(col(RunAuditRow.id)).where(
            col(RunAuditRow.run_id) == col(RunRow.id), col(RunAuditRow.versions) == versions
        )
        ended = (col(RunRow.state) == "finished", col(RunRow.kind) == PLAY)
        query = sql_select(col(RunRow.id)).where(*ended, ~done.exists())
        return tuple(self._session.scalars(query.order_by(col(RunRow.finished_at)).limit(limit)))

    def last_count(self, study_id: UUID, *, but: Collection[Place] = ()) -> tuple[datetime | None, int]:
        """When a document of a study was last counted, and how many were, by any version, outside ``but``."""
        documents = func.count(func.distinct(ProbeCountRow.artifact_id))
        kept = documents.filter(true(), *_outside(but, ProbeCountRow.run_id, ProbeCountRow.era))
        query = sql_select(func.max(ProbeCountRow.made_at), kept)
        query = query.join(RunRow, col(RunRow.id) == col(ProbeCountRow.run_id))
        row = self._session.execute(query.where(col(RunRow.study_id) == study_id)).one()
        return row[0], row[1]

    def sums(
        self,
        study_id: UUID,
        versions: Collection[Version],
        *,
        run_id: UUID | None = None,
        but: Collection[Place] = (),
    ) -> tuple[CountSum, ...]:
        """Counts by schedule, condition, era and probe, over all runs or one, without the places of ``but``."""
        place: tuple[Any, ...] = (RunRow.schedule, RunRow.condition, ProbeCountRow.era, ProbeCountRow.probe)
        totals = (func.count(), func.sum(ProbeCountRow.words), func.sum(ProbeCountRow.hits))
        query = sql_select(*place, *totals).join(RunRow, col(RunRow.id) == col(ProbeCountRow.run_id))
        query = query.where(*_within(study_id, run_id), _of_versions(ProbeCountRow, versions))
        query = query.where(*_outside(but, ProbeCountRow.run_id, ProbeCountRow.era)).group_by(*place)
        opened = self._opened(study_id, versions, run_id, but)
        found = []
        for row in self._session.execute(query):
            by_people, waiting = opened.get(tuple(row[:4]), (0, 0))
            found.append(CountSum(row[0], row[1], row[2], row[3], row[4], row[5], row[6], by_people, waiting))
        return tuple(found)

    def selections(
        self, study_id: UUID, versions: Collection[Version], *, run_id: UUID | None = None
    ) -> tuple[tuple[KeptCount, str, str, str], ...]:
        """Every briefing's selection with its run's name, condition and schedule, of all runs or one."""
        columns: tuple[Any, ...] = (ProbeCountRow, RunRow.name, RunRow.condition, RunRow.schedule)
        query = sql_select(*columns).join(RunRow, col(RunRow.id) == col(ProbeCountRow.run_id))
        query = query.where(*_within(study_id, run_id), _of_versions(ProbeCountRow, versions))
        query = query.where(col(ProbeCountRow.numbers).is_not(None)).order_by(col(RunRow.number), ProbeCountRow.era)
        return tuple((_value(KeptCount, row[0]), *row[1:]) for row in self._session.execute(query))

    def count(
        self, study_id: UUID, versions: Collection[Version], wanted: FindingFilter, *, but: Collection[Place] = ()
    ) -> int:
        """How many passages ``listed`` would give in all, without those in the places of ``but``."""
        query = _listed(study_id, versions, wanted, but).with_only_columns(func.count())
        return int(self._session.execute(query).scalar_one())

    def listed(
        self,
        study_id: UUID,
        versions: Collection[Version],
        wanted: FindingFilter,
        *,
        but: Collection[Place] = (),
        limit: int,
        offset: int = 0,
    ) -> tuple[PlacedFinding, ...]:
        """The passages of a study that are asked for, outside ``but``, in order of run and document."""
        query = _listed(study_id, versions, wanted, but)
        query = query.order_by(
            col(RunRow.number),
            col(ArtifactRow.written_at),
            col(FindingRow.path),
            col(FindingRow.starts_at),
            col(FindingRow.id),
        )
        return tuple(_placed(row) for row in self._session.execute(query.limit(limit).offset(offset)))

    def every(self, study_id: UUID, versions: Collection[Version]) -> Iterator[PlacedFinding]:
        """All passages of a study in order of run and document, read as they are asked for."""
        query = _placed_query(_last_decisions()).where(
            col(RunRow.study_id) == study_id, _of_versions(FindingRow, versions)
        )
        order: tuple[Any, ...] = (
            RunRow.number, ArtifactRow.written_at, ArtifactRow.key, FindingRow.probe, FindingRow.path
        )  # fmt: skip
        query = query.order_by(*order, col(FindingRow.starts_at), col(FindingRow.id))
        return (_placed(row) for row in self._session.execute(query.execution_options(yield_per=200)))

    def every_count(self, study_id: UUID, versions: Collection[Version]) -> Iterator[KeptCount]:
        """What each probe counted in each document of a study, in order of run and document."""
        query = sql_select(ProbeCountRow).join(RunRow, col(RunRow.id) == col(ProbeCountRow.run_id))
        query = query.join(ArtifactRow, col(ArtifactRow.id) == col(ProbeCountRow.artifact_id))
        query = query.where(col(RunRow.study_id) == study_id, _of_versions(ProbeCountRow, versions))
        query = query.order_by(
            col(RunRow.number), col(ArtifactRow.written_at), col(ProbeCountRow.key), col(ProbeCountRow.probe)
        )
        rows = self._session.scalars(query.execution_options(yield_per=200))
        return (_value(KeptCount, row) for row in rows)

    def of_era(self, run_id: UUID, era: str, versions: Collection[Version]) -> tuple[PlacedFinding, ...]:
        """The passages marked in the documents of an era of a run."""
        query = _placed_query(_last_decisions()).where(
            col(FindingRow.run_id) == run_id, col(ArtifactRow.era) == era, _of_versions(FindingRow, versions)
        )
        order: tuple[Any, ...] = (FindingRow.path, FindingRow.starts_at)
        return tuple(_placed(row) for row in self._session.execute(query.order_by(*order)))

    def counts_of_era(self, run_id: UUID, era: str, versions: Collection[Version]) -> tuple[KeptCount, ...]:
        """What each probe counted in the documents of an era of a run, in order of probe."""
        query = sql_select(ProbeCountRow).where(
            col(ProbeCountRow.run_id) == run_id, col(ProbeCountRow.era) == era, _of_versions(ProbeCountRow, versions)
        )
        rows = self._session.scalars(query.order_by(col(ProbeCountRow.key), col(ProbeCountRow.probe)))
        return tuple(_value(KeptCount, row) for row in rows)

    def get(self, finding_id: UUID) -> PlacedFinding:
        """One passage. Raises NotFoundError."""
        row = self._session.execute(_placed_query(_last_decisions()).where(col(FindingRow.id) == finding_id)).first()
        if row is None:
            raise NotFoundError("finding", finding_id)
        return _placed(row)

    def decide(self, decision: KeptDecision) -> None:
        """Keep a person's decision; earlier ones stay."""
        self._session.execute(insert(FindingDecisionRow).values(**asdict(decision)))

    def decisions(self, found: Collection[KeptFinding]) -> dict[UUID, list[KeptDecision]]:
        """Every decision about these passages, by a finding's id, the first first; what was redacted is masked."""
        documents = {one.artifact_id for one in found}
        query = sql_select(FindingDecisionRow).where(col(FindingDecisionRow.artifact_id).in_(documents))
        made = [
            _value(KeptDecision, row) for row in self._session.scalars(query.order_by(col(FindingDecisionRow.made_at)))
        ]
        prints = Redactions(self._session).prints_of(one.run_id for one in made)
        of_passage: dict[tuple[object, ...], list[KeptDecision]] = defaultdict(list)
        for one in made:
            reason = masked_text(one.reason, prints[one.run_id]) if one.run_id in prints else one.reason
            of_passage[_passage(one)].append(replace(one, reason=reason))
        return {one.id: of_passage[_passage(one)] for one in found}

    def of_run(self, run_id: UUID) -> tuple[KeptFinding, ...]:
        """The passages marked in a run's documents, by every version of a probe."""
        rows = self._session.scalars(sql_select(FindingRow).where(col(FindingRow.run_id) == run_id))
        return tuple(_value(KeptFinding, row) for row in rows)

    def blank(self, ids: Collection[UUID]) -> None:
        """Take the quotes of passages out, as their text was."""
        query = update(FindingRow).where(col(FindingRow.id).in_(ids))
        query = query.values(quote="", about="", why="the text was taken out")
        self._session.execute(query.execution_options(synchronize_session=False))

    def _opened(
        self, study_id: UUID, versions: Collection[Version], run_id: UUID | None, but: Collection[Place]
    ) -> dict[tuple[str, ...], tuple[int, int]]:
        """Review items decided to be hits, and those that wait, by schedule, condition, era and probe."""
        last = _last_decisions()
        place: tuple[Any, ...] = (RunRow.schedule, RunRow.condition, ArtifactRow.era, FindingRow.probe)
        hits = func.count().filter(last.c.is_hit.is_(True))
        waiting = func.count().filter(last.c.is_hit.is_(None))
        query = _with_places(sql_select(*place, hits, waiting).select_from(FindingRow), last)
        query = query.where(*_within(study_id, run_id), _of_versions(FindingRow, versions))
        query = query.where(*_outside(but, FindingRow.run_id, ArtifactRow.era))
        query = query.where(col(FindingRow.state) == "review").group_by(*place)
        return {tuple(row[:4]): (row[4], row[5]) for row in self._session.execute(query)}


def _within(study_id: UUID, run_id: UUID | None) -> tuple[ColumnElement[bool], ...]:
    """Rows of a study's runs, or of one of them."""
    study = col(RunRow.study_id) == study_id
    return (study,) if run_id is None else (study, col(RunRow.id) == run_id)


def _outside(places: Collection[Place], run_id: Any, era: Any) -> tuple[ColumnElement[bool], ...]:
    """Rows of none of these places."""
    whole = {run for run, named in places if named is None}
    pairs = [place for place in places if place[1] is not None]
    kept = (col(run_id).not_in(whole), tuple_(col(run_id), col(era)).not_in(pairs))
    return tuple(rule for rule, given in zip(kept, (whole, pairs), strict=True) if given)


def _last_decisions() -> Subquery:
    names = [getattr(FindingDecisionRow, name) for name in PASSAGE]
    query: Select[Any] = sql_select(*names, FindingDecisionRow.is_hit).ext(distinct_on(*names))  # type: ignore[call-overload]
    found: Subquery = query.order_by(*names, col(FindingDecisionRow.made_at).desc()).subquery("last")
    return found


def _with_places(query: Select[Any], last: Subquery) -> Select[Any]:
    """Findings joined with their document, run and last decision."""
    same = and_(*(getattr(FindingRow, name) == last.c[name] for name in PASSAGE))
    return (
        query.join(ArtifactRow, col(ArtifactRow.id) == col(FindingRow.artifact_id))
        .join(RunRow, col(RunRow.id) == col(FindingRow.run_id))
        .join(last, same, isouter=True)
    )


def _placed_query(last: Subquery) -> Select[Any]:
    columns: tuple[Any, ...] = (
        FindingRow, ArtifactRow.key, ArtifactRow.era, RunRow.name, RunRow.condition, last.c.is_hit
    )  # fmt: skip
    return _with_places(sql_select(*columns).select_from(FindingRow), last)


def _listed(
    study_id: UUID, versions: Collection[Version], wanted: FindingFilter, but: Collection[Place]
) -> Select[Any]:
    last = _last_decisions()
    review = col(FindingRow.state) == "review"
    shown = {
        Shown.WAITING: and_(review, last.c.is_hit.is_(None)),
        Shown.DECIDED: and_(review, last.c.is_hit.is_not(None)),
        Shown.HIT: or_(col(FindingRow.state) == "hit", last.c.is_hit.is_(True)),
    }
    query = _placed_query(last).where(
        col(RunRow.study_id) == study_id, _of_versions(FindingRow, versions), shown[wanted.shown]
    )
    query = query.where(*_outside(but, FindingRow.run_id, ArtifactRow.era))
    named = ((FindingRow.probe, wanted.probe), (ArtifactRow.era, wanted.era), (RunRow.schedule, wanted.schedule))
    return query.where(*(col(column) == name for column, name in named if name))


def _of_versions(row: type[ProbeCountRow | FindingRow], versions: Collection[Version]) -> ColumnElement[bool]:
    return or_(*(and_(col(row.probe) == name, col(row.version) == version) for name, version in sorted(versions)))


def _passage(one: KeptFinding | KeptDecision) -> tuple[object, ...]:
    return tuple(getattr(one, name) for name in PASSAGE)


def _placed(row: Any) -> PlacedFinding:
    return PlacedFinding(_value(KeptFinding, row[0]), *row[1:])


def _value(kind: type[Any], row: Any) -> Any:
    return kind(**{name: getattr(row, name) for name in kind.__dataclass_fields__})
