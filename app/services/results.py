"""A study's Results: figures, measures of every run, hypotheses; on one scale of scores at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.protocol.analysis import Incomplete, Treatment
from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Schedule
from app.domain.protocol.rubrics import RubricId
from app.domain.scoring.captures import frontier_capture, named_but_adjoining
from app.domain.scoring.dissents import DissentSummary, summarize_dissents
from app.domain.scoring.gaps import GapSummary, summarize_gaps
from app.domain.scoring.lessons import caution_index
from app.domain.scoring.measures import Measure, mean_of
from app.domain.scoring.pivots import PivotCount, count_adjoining_pivots
from app.domain.scoring.run_measures import RunMeasures, measure_run
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.scoring.totals import aggregation_rule, mechanical_total, total_without_playbook
from app.domain.study import StudyDesign
from app.exports.figures import Figure, FigureName
from app.services.boards import StudyView, show_study
from app.services.check_results import Calibration, calibrations_of
from app.services.drawings import Drawing, DrawnRun
from app.services.errors import NotFoundError
from app.services.figures import figure_of, figures_of
from app.services.hypothesis_lines import Judged, hypothesis_table
from app.services.judged_runs import StudiedRun, studied_runs
from app.services.playbook_lines import PlaybookLine, playbook_lines
from app.services.remembered import Remembered
from app.services.scales import Scale, Total, scales_of, schedules_on, totals_on
from app.services.similarities import SimilarityLine, similarity_lines
from app.services.treatments import Touched, chosen_treatment, touched_by, treated, treatment_words
from app.services.unit_of_work import Reading
from app.storage.studies import Study

_BESIDE: Remembered[tuple[tuple[PlaybookLine, ...], tuple[SimilarityLine, ...]]] = Remembered(64)
"""What reads every decision of a study whole, by study, schedule and treatment."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run's measures on one scale; ``record`` is None for The Auditor, whose rubric defines fewer."""

    run: StudiedRun
    eras: tuple[ScoredEra, ...]
    typed: Measure
    mechanical: Measure
    difference: Measure
    rule: str | None
    without_playbook: Measure | None
    record: RunMeasures | None
    pivots: PivotCount
    capture: Measure
    adjoining: Measure
    dissents: DissentSummary
    caution: Measure


@dataclass(frozen=True, slots=True)
class ResultsView:
    """Everything the Results tab says."""

    page: StudyView
    scales: tuple[Scale, ...]
    scale: Scale
    schedules: tuple[Schedule, ...]
    schedule: Schedule
    totals: tuple[Total, ...]
    total: Total
    figures: tuple[Figure, ...]
    lines: tuple[RunLine, ...]
    gaps: GapSummary | None
    judged: Judged | None
    complete: int
    any_judged: bool
    treatment: Treatment
    touched: Touched
    similarity: tuple[SimilarityLine, ...]
    playbooks: tuple[PlaybookLine, ...]
    calibrations: tuple[Calibration, ...]

    @property
    def address(self) -> dict[str, str]:
        """What is shown, as its address says it."""
        return {
            "scale": self.scale,
            "total": self.total,
            "schedule": self.schedule.id,
            "interventions": self.treatment,
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """What a reader asks to see; empty words stand for the first there is."""

    scale: str = ""
    total: str = ""
    schedule: str = ""
    interventions: str = ""

    def treatment(self, design: StudyDesign) -> Treatment:
        """What becomes of what carries an intervention: as asked for, else as the design's main analysis has it."""
        return chosen_treatment(self.interventions, design)


def show_results(reading: Reading, study_id: UUID, choice: Choice) -> ResultsView:
    """The Results tab of a study. Raises NotFoundError."""
    page = show_study(reading, study_id)
    return results_of(reading, page, _runs(reading, page.study), choice)


def results_of(reading: Reading, page: StudyView, every: Sequence[StudiedRun], choice: Choice) -> ResultsView:
    """The results of all runs of a study as a reader asks to see them."""
    treatment = choice.treatment(page.study.design)
    drawing = _drawing(page.study, every, choice)
    runs, scale = treated(every, treatment), drawing.scale
    eras = [era for run in drawing.runs for era in run.eras]
    on_schedule = _on_schedule(runs, drawing.schedule)
    lines = tuple(line for run in on_schedule if (line := _line(run, scale)).eras)
    beside = _BESIDE.get(
        (page.study.id, drawing.schedule.id, treatment),
        page.sums,
        lambda: (
            playbook_lines(reading, on_schedule, drawing.schedule),
            similarity_lines(reading, on_schedule, drawing.schedule),
        ),
    )
    return ResultsView(
        page=page,
        scales=scales_of(page.study.design.eras),
        scale=scale,
        schedules=schedules_on(page.study.design, scale),
        schedule=drawing.schedule,
        totals=totals_on(scale, eras),
        total=drawing.total,
        figures=figures_of(drawing),
        lines=lines,
        gaps=summarize_gaps(eras) if eras and scale.rubric is RubricId.RECORD else None,
        judged=_judged(page.study, every, treatment) if eras and scale is not Scale.AUDITOR else None,
        complete=sum(run.complete for run in every),
        any_judged=any(run.judged.eras for run in every),
        treatment=treatment,
        touched=touched_by(_on_schedule(every, drawing.schedule), scale),
        calibrations=calibrations_of(reading, page.study, treatment) if scale.rubric is RubricId.RECORD else (),
        playbooks=beside[0],
        similarity=beside[1],
    )


def show_figure(reading: Reading, study_id: UUID, name: str, choice: Choice) -> Figure:
    """One figure of a study. Raises NotFoundError for a figure that there is not or that has no numbers."""
    study = reading.studies.get(study_id)
    drawing = _drawing(study, _runs(reading, study), choice)
    found = figure_of(drawing, FigureName(name)) if name in set(FigureName) else None
    if found is None:
        raise NotFoundError("figure", name)
    return found


def _runs(reading: Reading, study: Study) -> tuple[StudiedRun, ...]:
    return studied_runs(reading, study.design, reading.runs.of_study(study.id))


def _drawing(study: Study, every: Sequence[StudiedRun], choice: Choice) -> Drawing:
    scales = scales_of(study.design.eras)
    scale = Scale(choice.scale) if choice.scale in set(scales) else scales[0]
    held = schedules_on(study.design, scale)
    schedule = next((one for one in held if one.id == choice.schedule), held[0])
    runs = _on_schedule(every, schedule)
    treatment = choice.treatment(study.design)
    drawn = tuple(
        DrawnRun(
            label=run.label,
            panel=run.record.condition.replace("_", " "),
            player=run.record.player,
            eras=_on(scale, run.judged.eras),
            distances=run.judged.distances,
            intervened=run.judged.intervened,
        )
        for run in treated(runs, treatment)
    )
    offered = totals_on(scale, [era for run in drawn for era in run.eras])
    without = Total.WITHOUT_PLAYBOOK in offered and Condition.NO_PLAYBOOK in study.design.conditions
    first = Total.WITHOUT_PLAYBOOK if without else offered[0]
    total = Total(choice.total) if choice.total in set(offered) else first
    eras = tuple(era.id for era in schedule.eras if scale.holds(era.mode))
    title = schedule.title if len(study.design.schedules) > 1 else ""
    kept = tuple(run for run in drawn if run.eras)
    words = treatment_words(touched_by(runs, scale), treatment)
    return Drawing(kept, scale, total, eras, study.rehearsal, schedule, title, words)


def _on_schedule(runs: Sequence[StudiedRun], schedule: Schedule) -> tuple[StudiedRun, ...]:
    return tuple(run for run in runs if run.judged.schedule == schedule.id)


def _on(scale: Scale, eras: Sequence[ScoredEra]) -> tuple[ScoredEra, ...]:
    return tuple(era for era in eras if scale.holds(era.mode))


def _judged(study: Study, runs: Sequence[StudiedRun], treatment: Treatment) -> Judged:
    plan = study.design.analysis
    incomplete = [run.label for run in runs if not run.complete]
    if plan.incomplete is Incomplete.KEEP:
        return hypothesis_table([run.judged for run in runs], (), plan, treatment)
    return hypothesis_table([run.judged for run in runs if run.complete], incomplete, plan, treatment)


def _line(run: StudiedRun, scale: Scale) -> RunLine:
    eras = _on(scale, run.judged.eras)
    typed = [era.typed_total for era in eras if era.typed_total is not None]
    differences = [era.typed_total - mechanical_total(era) for era in eras if era.typed_total is not None]
    record = scale.rubric is RubricId.RECORD
    mode = scale.mode
    deferred = [one.deferred for era, one in run.decided.items() if one.deferred is not None]
    return RunLine(
        run=run,
        eras=eras,
        typed=mean_of(typed, "typed total"),
        mechanical=mean_of([mechanical_total(era) for era in eras], "era"),
        difference=mean_of(differences, "typed total"),
        rule=aggregation_rule(eras),
        without_playbook=None if record else mean_of([total_without_playbook(era) for era in eras], "era"),
        record=measure_run(run.label, run.judged.eras, mode) if mode else None,
        pivots=count_adjoining_pivots((era.index, era.company) for era in run.judged.eras),
        capture=frontier_capture([run.judged.distances[e.era] for e in eras if e.era in run.judged.distances]).capture,
        adjoining=named_but_adjoining(run.named),
        dissents=summarize_dissents(run.verdicts),
        caution=caution_index(deferred),
    )
