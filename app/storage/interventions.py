"""Interventions: what people did to runs, added and never changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import insert
from sqlmodel import Session, col, select

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.quotations import Prints, masked_text
from app.domain.engine.redaction import masked_json
from app.domain.ids import InterventionId, RunId, StepId, UserId
from app.storage.redactions import Redactions
from app.storage.tables import InterventionRow, RunRow

TEXTS = ("reason", "before", "after", "judge_words")


@dataclass(frozen=True, slots=True)
class Intervention:
    """One intervention with the text before and after, and the words the judge got, if it was told."""

    id: InterventionId
    run_id: RunId
    step_id: StepId | None
    era: str | None
    kind: InterventionKind
    author_id: UserId | None
    reason: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    judge_told: bool
    judge_words: str | None
    made_at: datetime

    @property
    def is_alone(self) -> bool:
        """Whether it put a decision in the place of one that an independent Red Team would have attacked."""
        return (self.after or {}).get("independent_red_team") is False

    @property
    def texts(self) -> dict[str, Any]:
        """What the ledger keeps the hash of."""
        return {name: getattr(self, name) for name in TEXTS}


@dataclass(frozen=True, slots=True)
class ExactIntervention:
    """An intervention as it is stored; ``kind`` may be none that the software knows, if somebody changed it."""

    kind: str
    author: str
    texts: dict[str, Any]


class Interventions:
    """The interventions on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, intervention: Intervention) -> None:
        """Keep an intervention for ever."""
        values = {name: getattr(intervention, name) for name in Intervention.__dataclass_fields__}
        self._session.execute(insert(InterventionRow).values(**values))

    def of_run(self, run_id: UUID) -> tuple[Intervention, ...]:
        """A run's interventions from the first on; what was redacted in it is masked."""
        query = select(InterventionRow).where(InterventionRow.run_id == run_id).order_by(col(InterventionRow.made_at))
        return masked_by_run(self._session, tuple(as_intervention(row) for row in self._session.exec(query)))

    def exact(self, run_id: UUID) -> dict[str, ExactIntervention]:
        """A run's interventions exactly as they are stored, by id."""
        query = select(InterventionRow).where(InterventionRow.run_id == run_id).order_by(col(InterventionRow.made_at))
        return {str(row.id): _exact(row) for row in self._session.exec(query)}

    def redactions(self, study_id: UUID) -> tuple[tuple[datetime, ExactIntervention], ...]:
        """The redactions in a study's runs, with their times, exactly as they are stored, from the first on."""
        query = select(InterventionRow).join(RunRow, col(RunRow.id) == InterventionRow.run_id)
        query = query.where(RunRow.study_id == study_id, InterventionRow.kind == InterventionKind.REDACT)
        rows = self._session.exec(query.order_by(col(InterventionRow.made_at)))
        return tuple((row.made_at, _exact(row)) for row in rows)

    def told_to_judge(self, run_id: UUID, era: str) -> tuple[str, ...]:
        """The exact words a judge gets about interventions in an era, in their order; masked as its documents are."""
        query = (
            select(InterventionRow.judge_words)
            .where(InterventionRow.run_id == run_id, InterventionRow.era == era, col(InterventionRow.judge_told))
            .order_by(col(InterventionRow.made_at))
        )
        told = tuple(words for words in self._session.exec(query) if words)
        prints = Redactions(self._session).prints(run_id) if told else frozenset()
        return tuple(masked_text(words, prints) for words in told)

    def newest(self, *, limit: int, offset: int = 0) -> tuple[Intervention, ...]:
        """Interventions of all runs from the last on."""
        query = select(InterventionRow).order_by(col(InterventionRow.made_at).desc()).limit(limit).offset(offset)
        return masked_by_run(self._session, tuple(as_intervention(row) for row in self._session.exec(query)))


def _exact(row: InterventionRow) -> ExactIntervention:
    return ExactIntervention(row.kind, str(row.author_id), {name: getattr(row, name) for name in TEXTS})


def masked_by_run(session: Session, made: Sequence[Intervention]) -> tuple[Intervention, ...]:
    """Interventions of many runs with the quotations of what was redacted in each replaced."""
    prints = Redactions(session).prints_of(one.run_id for one in made)
    return tuple(masked(one, prints[one.run_id]) if one.run_id in prints else one for one in made)


def masked(made: Intervention, prints: Prints) -> Intervention:
    """An intervention with the quotations of redacted texts replaced."""
    return replace(made, **{name: masked_json(text, prints) for name, text in made.texts.items()})


def as_intervention(row: InterventionRow) -> Intervention:
    """A row as the value it holds."""
    fields = {name: getattr(row, name) for name in Intervention.__dataclass_fields__}
    return Intervention(**fields | {"kind": InterventionKind(row.kind)})
