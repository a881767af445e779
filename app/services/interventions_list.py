"""Interventions of all runs in one list, with names in place of ids."""

from dataclasses import dataclass
from uuid import UUID

from app.services.listing import Listing, listing
from app.services.unit_of_work import Reading
from app.storage.interventions import Intervention
from app.storage.overviews import RunPlace

SIZE = 30


@dataclass(frozen=True, slots=True)
class InterventionLine:
    """One intervention with the name of its author and the place of its run."""

    made: Intervention
    author: str
    place: RunPlace


def show_interventions(
    reading: Reading, *, kind: str = "", study_id: UUID | None = None, page: int = 1
) -> Listing[InterventionLine]:
    """Interventions from the last on, of one kind or study where asked."""
    total = reading.overviews.count_interventions(kind=kind, study_id=study_id)
    made = reading.overviews.interventions(kind=kind, study_id=study_id, limit=SIZE, offset=(page - 1) * SIZE)
    places = reading.overviews.places({one.run_id for one in made})
    names = author_names(reading)
    lines = [InterventionLine(one, names.get(one.author_id, "unknown"), places[one.run_id]) for one in made]
    return listing(lines, page=page, size=SIZE, total=total)


def author_names(reading: Reading) -> dict[UUID | None, str]:
    """The name of every person by id."""
    return {user.id: user.name for user in reading.users.all()}
