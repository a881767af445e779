"""What a run's exposure page says: the runs of its study it may have seen, and what was noted before."""

from dataclasses import dataclass
from uuid import UUID

from app.domain.engine.interventions import InterventionKind
from app.services.interventions_list import author_names
from app.services.unit_of_work import Reading
from app.storage.interventions import Intervention
from app.storage.runs import RunRecord
from app.storage.studies import Study


@dataclass(frozen=True, slots=True)
class ExposureView:
    """The run, its neighbours by name, and earlier notes with their authors."""

    run: RunRecord
    study: Study
    others: tuple[str, ...]
    noted: tuple[tuple[Intervention, str], ...]


def show_exposure(reading: Reading, run_id: UUID) -> ExposureView:
    """Everything the page says. Raises NotFoundError."""
    run = reading.runs.get(run_id)
    study = reading.studies.get(run.study_id)
    several = len(study.design.players) > 1
    others = (one for one in reading.runs.of_study(run.study_id) if one.id != run.id)
    made = reading.interventions.of_run(run.id) if run.interventions else ()
    names = author_names(reading)
    return ExposureView(
        run=run,
        study=study,
        others=tuple(f"{one.name}, {one.player}" if several else one.name for one in others),
        noted=tuple(
            (one, names.get(one.author_id, "unknown")) for one in made if one.kind is InterventionKind.ANNOTATE_EXPOSURE
        ),
    )
