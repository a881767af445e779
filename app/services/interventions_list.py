"""Interventions of all runs in one list, with names in place of ids."""

from dataclasses import dataclass
from uuid import UUID

from app.domain.engine.differences import FieldPair, compare_documents
from app.domain.wording import counted
from app.services.listing import Listing, listing
from app.services.unit_of_work import Reading
from app.storage.interventions import Intervention
from app.storage.overviews import RunPlace

SIZE = 30
RUNS_OFFERED = 200


@dataclass(frozen=True, slots=True)
class InterventionLine:
    """One intervention with its author's name, the place of its run, and what stood before beside what stands after."""

    made: Intervention
    author: str
    place: RunPlace
    fields: tuple[FieldPair, ...]


def show_interventions(
    reading: Reading, *, kind: str = "", study_id: UUID | None = None, run_id: UUID | None = None, page: int = 1
) -> Listing[InterventionLine]:
    """Interventions from the last on, of one kind, study or run where asked."""
    total = reading.overviews.count_interventions(kind=kind, study_id=study_id, run_id=run_id)
    made = reading.overviews.interventions(
        kind=kind, study_id=study_id, run_id=run_id, limit=SIZE, offset=(page - 1) * SIZE
    )
    places = reading.overviews.places({one.run_id for one in made})
    names = author_names(reading)
    lines = [
        InterventionLine(one, names.get(one.author_id, "unknown"), places[one.run_id], _changes(one)) for one in made
    ]
    return listing(lines, page=page, size=SIZE, total=total)


def intervened_runs(reading: Reading) -> tuple[RunPlace, ...]:
    """Runs that carry interventions, to choose one, the one touched last first."""
    ids = reading.overviews.intervened_runs(limit=RUNS_OFFERED)
    places = reading.overviews.places(set(ids))
    return tuple(places[run_id] for run_id in ids)


def _changes(made: Intervention) -> tuple[FieldPair, ...]:
    """What stood before and after, field by field."""
    after = dict(made.after or {})
    if "masked" in after:
        after["masked"] = f"{counted(len(after['masked']), 'text')}, each kept by its hash"
    return compare_documents(made.before or {}, after)


def author_names(reading: Reading) -> dict[UUID | None, str]:
    """The name of every person by id."""
    return {user.id: user.name for user in reading.users.all()}
