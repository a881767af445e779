"""The launch page filled from a study there is: the whole of its design, or its post-cutoff eras with their events."""

import csv
import io
from uuid import UUID

from app.domain.protocol.budgets import Budget
from app.domain.protocol.eras import Schedule
from app.domain.protocol.rubrics import STANDARD_ANCHORS
from app.domain.study import StudyDesign
from app.library.reader import schedules
from app.services.study_forms import BUDGET_SCOPES, FICTIONAL_CHOICE, StudyForm
from app.services.unit_of_work import Reading
from app.services.worlds import FICTIONAL

EVENT_COLUMNS = ("date", "domain", "event", "source", "fate")
OFFERED = 12
"""Earlier studies whose events the launch page offers, the last launched first."""


def copied_form(reading: Reading, study_id: UUID) -> StudyForm:
    """The form that launches the same study again, with a name of its own. Raises NotFoundError.

    A form holds one schedule of post-cutoff eras: of several, it has the first. Schedules that neither the library nor
    a seed makes are left out; the study file holds those.
    """
    design = reading.studies.get(study_id).design
    analysis = design.analysis.model_dump(include=set(StudyForm.model_fields) - {"seed"})
    same = design.model_dump(include={"preset", "mapping", "briefings", "briefing_facts", "seed", "pace_seconds"})
    return StudyForm(
        **same,
        **analysis,
        **_events_of(design),
        **_bounds(design),
        **_schedules(design),
        analysis_seed=design.analysis.seed,
        name=f"{design.name} again"[:120],
        conditions=design.conditions,
        repetitions=design.repetitions,
        players=tuple(player.model for player in design.players),
        judge=design.judge.model,
        author=design.author.model,
        temperature=design.judge.temperature,
        further_judges=tuple(one.judge.model for one in design.further_judges if one.anchors == STANDARD_ANCHORS),
        further_anchors=tuple(one.anchors for one in design.further_judges if one.anchors != STANDARD_ANCHORS),
        same_family_reason=design.same_family_reason or "",
    )


def with_events_of(reading: Reading, study_id: UUID, form: StudyForm) -> StudyForm:
    """A form with the post-cutoff eras and events of a study. Raises NotFoundError."""
    return form.model_copy(update=_events_of(reading.studies.get(study_id).design))


def studies_with_events(reading: Reading) -> tuple[tuple[UUID, str], ...]:
    """Studies whose designs hold events of their own, by id and name."""
    return reading.studies.with_events(limit=OFFERED)


def _events_of(design: StudyDesign) -> dict[str, str]:
    own = next((schedule for schedule in design.schedules if schedule.events), None)
    if own is None:
        return {}
    lines = (f"{era.start}, {era.end}, {era.title}".rstrip(", ") for era in own.eras)
    return {"own_title": own.title, "own_eras": "\n".join(lines), "own_events": _as_csv(own)}


def _as_csv(schedule: Schedule) -> str:
    """The events to the letter, for the launch page to read back: an export's apostrophes would enter the design."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow(EVENT_COLUMNS)
    lines.writerows((one.on, one.domain, one.text, one.source, one.fate) for one in schedule.events)
    return written.getvalue()


def _schedules(design: StudyDesign) -> dict[str, tuple[str, ...] | str]:
    known = {one.id for one in schedules()}
    chosen = [one.id for one in design.schedules if one.id in known]
    seeds = [one.id.rsplit("-", 1)[-1] for one in design.schedules if FICTIONAL.fullmatch(one.id)]
    if not seeds:
        return {"schedules": tuple(chosen)}
    return {"schedules": (*chosen, FICTIONAL_CHOICE), "world_seeds": ", ".join(seeds)}


def _bounds(design: StudyDesign) -> dict[str, float | None]:
    if design.budgets is None:
        return {}
    held = {scope: getattr(design.budgets, scope) for scope in BUDGET_SCOPES}
    return {f"{scope}_{name}": getattr(one, name) for scope, one in held.items() for name in Budget.model_fields}
