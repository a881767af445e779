"""What results are computed from: reviews, decisions and second readings of many runs, without their long texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Boolean, Float, cast, func
from sqlalchemy.dialects.postgresql import JSONPATH
from sqlmodel import Session, col, select

from app.domain.engine.interventions import InterventionKind
from app.domain.ids import RunId, StepKey
from app.domain.protocol.artifacts import LessonDraft
from app.storage.tables import ArtifactRow, InterventionRow

DECISIONS = ("decision", "board", "imported_decision")
REVIEWS = ("record_review", "auditor_review", "imported_review")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's review of one era: its subscores, the total it typed and the layer where it saw value pool."""

    run_id: RunId
    era: str
    scores: dict[str, int]
    typed_total: float | None
    pooled_layer: str | None


@dataclass(frozen=True, slots=True)
class Sat:
    """What one sitting of a judging wrote, in a word: scores for a review, else a guess or a choice."""

    key: StepKey
    era: str
    scores: dict[str, int]
    leaks: int
    pooled_layer: str | None
    condition: str | None
    model: str | None
    run: str | None
    choice: str | None


@dataclass(frozen=True, slots=True)
class Decided:
    """What one era's decision says in a word: the company, its layer, and whether building waits behind a gate."""

    run_id: RunId
    era: str
    company: str
    identity: str
    layer: str | None
    deferred: bool | None


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """The labels of one era's second reading."""

    run_id: RunId
    era: str
    verdicts: tuple[str, ...]
    named_by: tuple[str, ...]


class Judgements:
    """The judgements on one session: reads only."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def reviews(self, run_ids: Sequence[UUID]) -> tuple[Judgement, ...]:
        """The review of every judged era of these runs."""
        body = col(ArtifactRow.body)
        columns: tuple[Any, ...] = (
            ArtifactRow.run_id, ArtifactRow.era,
            body["scores"], cast(body["typed_total"].astext, Float), body["pooled_layer"].astext,
        )  # fmt: skip
        query = select(*columns).where(col(ArtifactRow.run_id).in_(run_ids), col(ArtifactRow.kind).in_(REVIEWS))
        query = query.order_by(col(ArtifactRow.written_at), col(ArtifactRow.key))
        return tuple(
            Judgement(run_id, era, {one["dimension"]: one["value"] for one in scores}, typed, pooled)
            for run_id, era, scores, typed, pooled in self._session.execute(query)
        )

    def decisions(self, run_ids: Sequence[UUID]) -> tuple[Decided, ...]:
        """The decision of every decided era of these runs, from its own call or from the board's."""
        body = func.coalesce(col(ArtifactRow.body)["decision"], col(ArtifactRow.body))
        columns: tuple[Any, ...] = (
            ArtifactRow.run_id, ArtifactRow.era,
            func.coalesce(_text(body, "company_name"), ""), func.coalesce(_text(body, "identity"), ""),
            _text(body, "chain", "layer"), cast(_text(body, "deferral", "deferred"), Boolean),
        )  # fmt: skip
        query = select(*columns).where(col(ArtifactRow.run_id).in_(run_ids), col(ArtifactRow.kind).in_(DECISIONS))
        # a founder that revises writes drafts of the same kind; the decision's own step has no part after it
        query = query.where(col(ArtifactRow.key).not_like("%/draft/%"))
        return tuple(Decided(*row) for row in self._session.execute(query))

    def decision_bodies(self, run_ids: Sequence[UUID]) -> tuple[tuple[RunId, str, Any], ...]:
        """Run, era and JSON of the same decisions, whole."""
        body = func.coalesce(col(ArtifactRow.body)["decision"], col(ArtifactRow.body))
        columns: tuple[Any, ...] = (ArtifactRow.run_id, ArtifactRow.era, body)
        query = select(*columns).where(col(ArtifactRow.run_id).in_(run_ids), col(ArtifactRow.kind).in_(DECISIONS))
        query = query.where(col(ArtifactRow.key).not_like("%/draft/%"))
        return tuple((run_id, era, found) for run_id, era, found in self._session.execute(query))

    def lessons(self, run_ids: Sequence[UUID]) -> dict[tuple[RunId, str], tuple[LessonDraft, ...]]:
        """The lessons that each review of these runs wrote, by run and era; imported reviews have none of our form."""
        body = col(ArtifactRow.body)
        columns: tuple[Any, ...] = (ArtifactRow.run_id, ArtifactRow.era, body["lessons"])
        query = select(*columns).where(col(ArtifactRow.run_id).in_(run_ids), col(ArtifactRow.kind).in_(REVIEWS[:2]))
        return {
            (run_id, era): tuple(LessonDraft.model_validate(one) for one in drafts)
            for run_id, era, drafts in self._session.execute(query)
        }

    def lesson_uses(self, run_ids: Sequence[UUID]) -> dict[tuple[RunId, str], tuple[str, ...]]:
        """The stance of every use of a lesson in memos and decisions of these runs, by run and era."""
        body = func.coalesce(col(ArtifactRow.body)["decision"], col(ArtifactRow.body))
        stances = func.jsonb_path_query_array(body, cast("$.lessons[*].stance", JSONPATH))
        columns: tuple[Any, ...] = (ArtifactRow.run_id, ArtifactRow.era, stances)
        kinds = col(ArtifactRow.kind).in_(("memo", "decision", "board"))
        query = select(*columns).where(col(ArtifactRow.run_id).in_(run_ids), kinds)
        query = query.where(col(ArtifactRow.key).not_like("%/draft/%"))
        found: dict[tuple[RunId, str], tuple[str, ...]] = {}
        for run_id, era, used in self._session.execute(query):
            found[run_id, era] = (*found.get((run_id, era), ()), *used)
        return found

    def sittings(self, judging_id: UUID) -> tuple[Sat, ...]:
        """What every finished sitting of a judging wrote; one that was skipped or blanked to nothing is left out."""
        body = col(ArtifactRow.body)
        leaks = func.coalesce(func.jsonb_array_length(body["leaks"]), 0)
        named = (body[name].astext for name in ("pooled_layer", "condition", "model", "run", "choice"))
        columns: tuple[Any, ...] = (ArtifactRow.key, ArtifactRow.era, body["scores"], leaks, *named)
        query = select(*columns).where(ArtifactRow.run_id == judging_id, ArtifactRow.kind != "skipped")
        return tuple(
            Sat(key, era, {one["dimension"]: one["value"] for one in scores or ()}, *rest)
            for key, era, scores, *rest in self._session.execute(query.order_by(col(ArtifactRow.key)))
        )

    def leak_counts(self, run_ids: Sequence[UUID]) -> dict[tuple[RunId, str], int]:
        """How many passages the judge marked as leakage, in every judged era of these runs."""
        leaks = func.coalesce(func.jsonb_array_length(col(ArtifactRow.body)["leaks"]), 0)
        columns: tuple[Any, ...] = (ArtifactRow.run_id, ArtifactRow.era, leaks)
        query = select(*columns).where(col(ArtifactRow.run_id).in_(run_ids), col(ArtifactRow.kind).in_(REVIEWS))
        return {(run_id, era): count for run_id, era, count in self._session.execute(query)}

    def judgeable(self, run_ids: Sequence[UUID]) -> tuple[tuple[RunId, str], ...]:
        """Run and era of every decision that is in the form of the protocol: written here, not only imported."""
        kinds = col(ArtifactRow.kind).in_(("decision", "board"))
        query = select(ArtifactRow.run_id, ArtifactRow.era).where(col(ArtifactRow.run_id).in_(run_ids), kinds)
        query = query.where(col(ArtifactRow.key).not_like("%/draft/%"))
        return tuple((RunId(run_id), era) for run_id, era in self._session.execute(query))

    def readings(self, run_ids: Sequence[UUID]) -> tuple[ReadAgain, ...]:
        """The second reading of every era of these runs that has one."""
        body = col(ArtifactRow.body)
        columns: tuple[Any, ...] = (ArtifactRow.run_id, ArtifactRow.era, body["verdicts"], body["named_by"])
        query = select(*columns).where(col(ArtifactRow.run_id).in_(run_ids), ArtifactRow.kind == "second_reading")
        return tuple(
            ReadAgain(run_id, era, tuple(one["verdict"] for one in verdicts), tuple(named))
            for run_id, era, verdicts, named in self._session.execute(query)
        )

    def intervened(self, run_ids: Sequence[UUID]) -> frozenset[tuple[RunId, str | None, InterventionKind]]:
        """Run, era (None for the run as a whole) and kind of every intervention on these runs."""
        columns: tuple[Any, ...] = (InterventionRow.run_id, InterventionRow.era, InterventionRow.kind)
        query = select(*columns).where(col(InterventionRow.run_id).in_(run_ids)).distinct()
        return frozenset((run_id, era, InterventionKind(kind)) for run_id, era, kind in self._session.execute(query))


def _text(body: Any, *path: str) -> Any:
    return func.jsonb_extract_path_text(body, *path)
