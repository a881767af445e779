"""A study's Audit tab: rates by probe, condition and era, selection, layers against the truth, the judge."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.domain.audit.captures import CaptureContrast
from app.domain.audit.findings import FindingFilter, Probe, Shown, rate_of
from app.domain.audit.layer_truth import LayerAccuracy, layer_accuracy
from app.domain.protocol.analysis import Treatment
from app.domain.protocol.eras import Schedule
from app.domain.scoring.measures import Measure
from app.domain.study import StudyDesign
from app.services.boards import StudyView, show_study
from app.services.check_results import ResultLine
from app.services.judged_runs import StudiedRun, is_changed, studied_runs
from app.services.judging_pages import JudgingLine, show_checks
from app.services.layer_cases import capture_contrasts, layer_cases
from app.services.probe_quality import ProbeQuality, probe_qualities
from app.services.probes import TEXT_PROBES, probe_versions
from app.services.selections import (
    SelectionLean,
    SelectionLine,
    SelectionSum,
    selection_leans,
    selection_line,
    selection_sums,
)
from app.services.treatments import Touched, chosen_treatment, touched_in, touched_places, treated
from app.services.unit_of_work import Reading
from app.storage.findings import CountSum


@dataclass(frozen=True, slots=True)
class RateCell:
    """Hits per 1,000 words of some documents; ``by_people`` of the hits were decided by a person."""

    rate: Measure
    hits: int
    words: int
    documents: int
    by_people: int
    waiting: int


@dataclass(frozen=True, slots=True)
class ProbeTable:
    """One probe's rates, a row a condition: its eras in order (None where nothing was read), then all."""

    probe: Probe
    version: str
    quality: ProbeQuality
    rows: tuple[tuple[str, tuple[RateCell | None, ...], RateCell], ...]
    whole: RateCell


@dataclass(frozen=True, slots=True)
class AuditView:
    """Everything the Audit tab says; ``worlds`` are told one by one."""

    page: StudyView
    audited_at: datetime | None
    documents: int
    sums: tuple[CountSum, ...]
    hits: int
    words: int
    waiting: int
    decided: int
    selections: tuple[SelectionLine, ...]
    selection_sums: tuple[SelectionSum, ...]
    leans: tuple[SelectionLean, ...]
    layers: LayerAccuracy | None
    worlds: tuple[tuple[str, LayerAccuracy], ...]
    captures: tuple[CaptureContrast, ...]
    checks: tuple[JudgingLine, ...]
    fiction: ResultLine | None
    treatment: Treatment
    touched: Touched

    @property
    def tables(self) -> tuple[ProbeTable, ...]:
        """The rates of every probe on the schedule that is shown."""
        return self.tables_on(self.page.schedule)

    def tables_on(self, schedule: Schedule) -> tuple[ProbeTable, ...]:
        """The rates of every probe on one schedule of the study."""
        return tuple(_table(probe, self.page.study.design, schedule, self.sums) for probe in TEXT_PROBES)


def show_audit(reading: Reading, study_id: UUID, schedule: str = "", interventions: str = "") -> AuditView:
    """The Audit tab of a study, its rates on one schedule, the first if none is named. Raises NotFoundError.

    ``interventions`` names a treatment of what carries one; the design's main analysis has its own.
    """
    page = show_study(reading, study_id, schedule=schedule)
    design = page.study.design
    every = studied_runs(reading, design, reading.runs.of_study(study_id))
    return audit_of(reading, page, every, chosen_treatment(interventions, design))


def audit_of(reading: Reading, page: StudyView, every: Sequence[StudiedRun], treatment: Treatment) -> AuditView:
    """The audit of all runs of a study with one treatment of interventions."""
    study_id, design, versions = page.study.id, page.study.design, probe_versions().items()
    runs, out = treated(every, treatment), touched_places(every) if treatment is Treatment.LEAVE_OUT else frozenset()
    sums = reading.findings.sums(study_id, versions, but=out)
    audited_at, documents = reading.findings.last_count(study_id, but=out)
    whole = tuple(rate_cell([one for one in sums if one.probe == probe.name]) for probe in TEXT_PROBES)
    selected = (selection_line(page.study, *row) for row in reading.findings.selections(study_id, versions))
    selections = tuple(one for one in selected if not is_changed(out, one.run_id, one.era))
    cases = layer_cases(reading, design, runs)
    checks, fiction = show_checks(reading, page.study, treatment)
    return AuditView(
        page=page,
        audited_at=audited_at,
        documents=documents,
        sums=sums,
        hits=sum(cell.hits for cell in whole),
        words=max(cell.words for cell in whole),
        waiting=sum(cell.waiting for cell in whole),
        decided=reading.findings.count(study_id, versions, FindingFilter(Shown.DECIDED), but=out),
        selections=selections,
        selection_sums=selection_sums(selections),
        leans=selection_leans(design, selections),
        layers=layer_accuracy([case for own in cases.values() for case in own]) if cases else None,
        worlds=tuple((title, layer_accuracy(own)) for title, own in cases.items()),
        captures=capture_contrasts(design, runs),
        checks=checks,
        fiction=fiction,
        treatment=treatment,
        touched=touched_in(every),
    )


def _table(probe: Probe, design: StudyDesign, schedule: Schedule, sums: Iterable[CountSum]) -> ProbeTable:
    own = [one for one in sums if one.probe == probe.name and design.schedule_of(one.schedule) == schedule]
    rows = []
    for condition in design.conditions:
        here = [one for one in own if one.condition == condition]
        cells = tuple(_cell_at(here, era.id) for era in schedule.eras)
        if here:
            rows.append((str(condition), cells, rate_cell(here)))
    version = probe_versions()[probe.name]
    return ProbeTable(probe, version, probe_qualities()[probe.name], tuple(rows), rate_cell(own))


def _cell_at(sums: Sequence[CountSum], era: str) -> RateCell | None:
    here = [one for one in sums if one.era == era]
    return rate_cell(here) if here else None


def rate_cell(sums: Sequence[CountSum]) -> RateCell:
    """Counts of one probe as one rate."""
    by_people = sum(one.by_people for one in sums)
    hits, words = sum(one.hits for one in sums) + by_people, sum(one.words for one in sums)
    documents, waiting = sum(one.documents for one in sums), sum(one.waiting for one in sums)
    return RateCell(rate_of(hits, words), hits, words, documents, by_people, waiting)
