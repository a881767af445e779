"""A study's runs as results take them: judged eras with companies, layer distances and the mark of interventions."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from app.domain.engine.interventions import InterventionKind
from app.domain.ids import RunId
from app.domain.protocol.artifacts import Verdict
from app.domain.protocol.eras import Schedule
from app.domain.protocol.fictional import true_profits
from app.domain.protocol.layers import LayerDistance
from app.domain.scoring.captures import NamedLayer, layer_distance, pooled_layers
from app.domain.scoring.run_values import JudgedRun
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.study import StudyDesign
from app.services.unit_of_work import Reading
from app.services.worlds import library_of, world_of
from app.storage.findings import Place
from app.storage.judgements import Decided, Judgement, Judgements, ReadAgain
from app.storage.runs import RunRecord

Row = TypeVar("Row", Judgement, Decided, ReadAgain)

HARMLESS = frozenset(
    {
        InterventionKind.PAUSE,
        InterventionKind.RESUME,
        InterventionKind.RAISE_BUDGET,
        InterventionKind.IMPORT,
        InterventionKind.ANNOTATE,
    }
)
"""Interventions that change no document: they are listed, but the sensitivity analysis keeps their runs."""


@dataclass(frozen=True, slots=True)
class StudiedRun:
    """A run with everything its results need; ``complete`` says that every era of its schedule is judged."""

    record: RunRecord
    label: str
    judged: JudgedRun
    complete: bool
    decided: Mapping[str, Decided]
    readings: Mapping[str, ReadAgain]
    marks: frozenset[tuple[str | None, InterventionKind]]

    @property
    def touched(self) -> frozenset[str]:
        """The eras whose own documents a person changed."""
        return touched_eras(self.marks)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The second readings' verdicts on dissents, eras in order."""
        return tuple(Verdict(one) for reading in self.readings.values() for one in reading.verdicts)

    @property
    def named(self) -> tuple[NamedLayer, ...]:
        """Whether a thesis named the pooled layer, beside how far the chosen one lay, in every era read again."""
        distances = self.judged.distances
        return tuple(
            NamedLayer(bool(one.named_by), distances[era]) for era, one in self.readings.items() if era in distances
        )


def changed_places(reading: Reading, run_ids: Iterable[UUID]) -> frozenset[Place]:
    """Run and era, None for the run as a whole, of every intervention on these runs that changed something."""
    marks = Judgements(reading.session).intervened(list(run_ids))
    return frozenset((run_id, era) for run_id, era, kind in marks if kind not in HARMLESS)


def is_changed(places: frozenset[Place], run_id: UUID, era: str) -> bool:
    """Whether such places hold an era of a run, by itself or with the run as a whole."""
    return bool({(run_id, None), (run_id, era)} & places)


def touched_eras(marks: Iterable[tuple[str | None, InterventionKind]]) -> frozenset[str]:
    """The eras among a run's marks in which a document was changed."""
    return frozenset(era for era, kind in marks if era is not None and kind not in HARMLESS)


def studied_runs(
    reading: Reading, design: StudyDesign, records: Sequence[RunRecord], *, reviews: Iterable[Judgement] | None = None
) -> tuple[StudiedRun, ...]:
    """Runs of one study with their judged eras, from four queries whatever their number.

    ``reviews`` are those of another judge, in the place of all of the first judge's.
    """
    ids = [record.id for record in records]
    if not ids:
        return ()
    store = Judgements(reading.session)
    found = _Found(
        reviews=_by_run(store.reviews(ids) if reviews is None else reviews),
        decided=_by_run(store.decisions(ids)),
        readings=_by_run(store.readings(ids)),
        marks=defaultdict(set),
    )
    for run_id, era, kind in store.intervened(ids):
        found.marks[run_id].add((era, kind))
    several = len({record.player for record in records}) > 1
    return tuple(_studied(design.schedule_of(one.schedule), one, found, several=several) for one in records)


@dataclass(frozen=True, slots=True)
class _Found:
    reviews: Mapping[RunId, Mapping[str, Judgement]]
    decided: Mapping[RunId, Mapping[str, Decided]]
    readings: Mapping[RunId, Mapping[str, ReadAgain]]
    marks: defaultdict[RunId, set[tuple[str | None, InterventionKind]]]


def _by_run(rows: Iterable[Row]) -> Mapping[RunId, Mapping[str, Row]]:
    found: dict[RunId, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        found[row.run_id][row.era] = row
    return found


def _studied(schedule: Schedule, record: RunRecord, found: _Found, *, several: bool) -> StudiedRun:
    label = f"{record.name} · {record.player}" if several else record.name
    reviews, decided = found.reviews.get(record.id, {}), found.decided.get(record.id, {})
    readings = found.readings.get(record.id, {})
    marks = frozenset(found.marks.get(record.id, ()))
    touched = touched_eras(marks)
    eras: list[ScoredEra] = []
    distances: dict[str, LayerDistance] = {}
    for index, era in enumerate(schedule.eras, start=1):
        review, decision = reviews.get(era.id), decided.get(era.id)
        if review is None:
            continue
        company = decision.company if decision else ""
        scores, by_hand = review.scores, era.id in touched
        eras.append(ScoredEra(label, era.id, index, era.mode, company, scores, review.typed_total, intervened=by_hand))
        distance = _distance(schedule, decision.layer if decision else None, _pooled(schedule, review))
        if distance is not None:
            distances[era.id] = distance
    judged = JudgedRun(
        run=label,
        condition=record.condition,
        replicate=record.replicate,
        player=record.player,
        eras=tuple(eras),
        distances=distances,
        schedule=schedule.id,
        intervened=any(era is None and kind not in HARMLESS for era, kind in marks),
    )
    return StudiedRun(
        record=record,
        label=label,
        judged=judged,
        complete=len(eras) == len(schedule.eras),
        decided=decided,
        readings=readings,
        marks=marks,
    )


def _pooled(schedule: Schedule, review: Judgement) -> frozenset[str]:
    """Where value pooled in an era: by the market's truth in an invented world, by the judge's label in history."""
    if schedule.is_fictional:
        return pooled_layers(true_profits(world_of(schedule), review.era))
    return frozenset({review.pooled_layer} if review.pooled_layer else ())


def _distance(schedule: Schedule, chosen: str | None, pooled: Collection[str]) -> LayerDistance | None:
    graph = library_of(schedule).layers
    if chosen not in graph.ids or not pooled or not set(pooled) <= set(graph.ids):
        return None
    return layer_distance(chosen, pooled, graph)
