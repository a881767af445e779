"""A study's judgings on pages: their list, judges side by side, and one judging with its sittings and results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.engine.judgings import JudgingPlan, Purpose
from app.domain.ids import StepKey
from app.domain.protocol.analysis import Incomplete, Treatment
from app.domain.protocol.eras import Schedule
from app.domain.protocol.rubrics import STANDARD_ANCHORS, AnchorSet, RubricId
from app.domain.scoring.gaps import gap_of
from app.domain.scoring.measures import Measure, mean_of
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.scoring.totals import controlled_total, mechanical_total
from app.library.reader import anchor_set
from app.services.boards import StudyView, show_study
from app.services.check_results import CheckFound, ResultLine, check_found, fiction_found, judged_again
from app.services.errors import NotFoundError
from app.services.hypothesis_lines import HypothesisLine, hypothesis_table
from app.services.interventions_list import author_names
from app.services.judged_runs import StudiedRun, changed_places, is_changed, studied_runs
from app.services.judgings import OwedJudging, owed_judgings
from app.services.listing import Listing, listing
from app.services.scales import Scale, scales_of, schedules_on
from app.services.treatments import Touched, chosen_treatment, touched_in, treated
from app.services.unit_of_work import Reading
from app.storage.interventions import Intervention
from app.storage.judgements import Judgements, Sat
from app.storage.runs import JUDGING, RunRecord
from app.storage.steps import StepRecord
from app.storage.studies import Study

SITTINGS_SHOWN = 25


@dataclass(frozen=True, slots=True)
class JudgingLine:
    """A judging with its plan and, for a check, what it found as far as it is."""

    run: RunRecord
    plan: JudgingPlan
    found: CheckFound | None = None


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge under one set of anchors on one scale: how many eras of how many runs, and the means of its scores."""

    judge: str
    anchors: str
    run: RunRecord | None
    runs: int
    eras: int
    controlled: Measure
    mechanical: Measure
    gap: Measure
    hindsight: Measure


@dataclass(frozen=True, slots=True)
class JudgeTable:
    """The judges of a study on one scale of scores and one schedule, the first judge first."""

    scale: Scale
    schedule: Schedule
    rows: tuple[JudgeRow, ...]


@dataclass(frozen=True, slots=True)
class FindingLine:
    """One comparison of one hypothesis under every judge, in the order of the judges."""

    hypothesis: str
    claim: str
    comparison: str
    units: str
    by_judge: tuple[HypothesisLine | None, ...]


@dataclass(frozen=True, slots=True)
class JudgingsView:
    """Everything the Judges tab says."""

    page: StudyView
    owed: tuple[OwedJudging, ...]
    further: tuple[JudgingLine, ...]
    checks: tuple[JudgingLine, ...]
    tables: tuple[JudgeTable, ...]
    judges: tuple[str, ...]
    findings: tuple[FindingLine, ...]
    treatment: Treatment
    touched: Touched


@dataclass(frozen=True, slots=True)
class SittingLine:
    """One sitting: what it judged, how it stands, what it gave in a word, and whether what it judged is marked."""

    era: str
    run: RunRecord | None
    variant: str
    repetition: int
    step: StepRecord | None
    words: str
    marked: bool


@dataclass(frozen=True, slots=True)
class JudgingView:
    """Everything a judging's page says."""

    run: RunRecord
    study: Study
    plan: JudgingPlan
    anchors: AnchorSet
    found: CheckFound
    stuck: tuple[StepRecord, ...]
    sittings: Listing[SittingLine]
    interventions: tuple[tuple[Intervention, str], ...]
    treatment: Treatment
    touched: Touched


_JudgedBy = tuple[str, str, RunRecord | None, tuple[StudiedRun, ...]]


def is_judging(reading: Reading, run_id: UUID) -> bool:
    """Whether an id is a judging's. Raises NotFoundError."""
    return reading.runs.get(run_id).kind == JUDGING


def show_judgings(reading: Reading, study_id: UUID, interventions: str = "") -> JudgingsView:
    """The Judges tab of a study, with one treatment of interventions, else its design's. Raises NotFoundError."""
    page = show_study(reading, study_id)
    study = page.study
    lines = [JudgingLine(run, _plan(run)) for run in reading.runs.judgings(study.id)]
    further = tuple(line for line in lines if line.plan.purpose is Purpose.FURTHER)
    runs = reading.runs.of_study(study.id)
    first = studied_runs(reading, study.design, runs)
    treatment = chosen_treatment(interventions, study.design)
    judged: list[_JudgedBy] = [(study.design.judge.model, STANDARD_ANCHORS, None, first)]
    for line in further:
        sat = Judgements(reading.session).sittings(line.run.id)
        reviews = judged_again(line.plan, sat, runs)
        again = studied_runs(reading, study.design, runs, reviews=reviews)
        judged.append((line.plan.judge.model, line.plan.anchors, line.run, again))
    shown = [(*one[:3], treated(one[3], treatment)) for one in judged]
    scales = scales_of(study.design.eras)
    return JudgingsView(
        page=page,
        owed=owed_judgings(reading, study),
        further=further,
        checks=_with_results(reading, study, lines, treatment),
        tables=tuple(_table(scale, one, shown) for scale in scales for one in schedules_on(study.design, scale)),
        judges=tuple(f"{model}, {anchors}" for model, anchors, _, _ in judged),
        findings=_findings(study, [one[3] for one in judged], treatment) if further else (),
        treatment=treatment,
        touched=touched_in(first),
    )


def show_checks(
    reading: Reading, study: Study, treatment: Treatment
) -> tuple[tuple[JudgingLine, ...], ResultLine | None]:
    """What checks of the judge found, for the Audit tab: each with its lines; and judged leakage where none can be."""
    lines = [JudgingLine(run, _plan(run)) for run in reading.runs.judgings(study.id)]
    runs = reading.runs.of_study(study.id)
    return _with_results(reading, study, lines, treatment), fiction_found(reading, study, runs, treatment)


def show_judging(reading: Reading, run_id: UUID, *, page: int = 1, interventions: str = "") -> JudgingView:
    """One judging, with one treatment of interventions, else its design's.

    Raises NotFoundError, also for a run that is none.
    """
    run = reading.runs.get(run_id)
    if run.kind != JUDGING:
        raise NotFoundError("judging", run_id)
    study, plan = reading.studies.get(run.study_id), _plan(run)
    steps = {step.key: step for step in reading.steps.of_run(run.id)}
    made = reading.interventions.of_run(run.id) if run.interventions else ()
    names = author_names(reading) if made else {}
    treatment = chosen_treatment(interventions, study.design)
    return JudgingView(
        run=run,
        study=study,
        plan=plan,
        anchors=anchor_set(plan.anchors),
        found=check_found(reading, study, run, plan, treatment),
        stuck=tuple(step for step in steps.values() if step.state == "needs_operator"),
        sittings=_sittings(reading, run, plan, steps, page),
        interventions=tuple((one, names.get(one.author_id, "unknown")) for one in made),
        treatment=treatment,
        touched=_touched(reading, study, plan),
    )


def _plan(run: RunRecord) -> JudgingPlan:
    return JudgingPlan.model_validate(run.plan)


def _touched(reading: Reading, study: Study, plan: JudgingPlan) -> Touched:
    """Which of the decisions that a judging judges carry an intervention; none where it asks what a model remembers."""
    if plan.purpose is Purpose.RECALL:
        return Touched()
    places = {(item.run, item.era) for item in plan.items}
    judged = {number for number, _ in places}
    runs = [run for run in reading.runs.of_study(study.id) if run.number in judged]
    return touched_in(studied_runs(reading, study.design, runs), places)


def _with_results(
    reading: Reading, study: Study, lines: Sequence[JudgingLine], treatment: Treatment
) -> tuple[JudgingLine, ...]:
    """The checks among judgings, the last started first."""
    checks = [line for line in lines if line.plan.purpose is not Purpose.FURTHER]
    return tuple(
        JudgingLine(line.run, line.plan, check_found(reading, study, line.run, line.plan, treatment))
        for line in reversed(checks)
    )


def _table(scale: Scale, schedule: Schedule, judged: Sequence[_JudgedBy]) -> JudgeTable:
    """Scores of two scales or schedules are never pooled: a table for each."""
    rows = (
        _row(scale, model, anchors, run, [one for one in runs if one.judged.schedule == schedule.id])
        for model, anchors, run, runs in judged
    )
    return JudgeTable(scale, schedule, tuple(rows))


def _row(scale: Scale, judge: str, anchors: str, run: RunRecord | None, runs: Sequence[StudiedRun]) -> JudgeRow:
    eras = [era for one in runs for era in one.judged.eras if scale.holds(era.mode)]
    record = [era for era in eras if era.rubric is RubricId.RECORD]
    controlled = [total.value for total in map(controlled_total, record) if total.value is not None]
    return JudgeRow(
        judge=judge,
        anchors=anchors,
        run=run,
        runs=sum(any(scale.holds(era.mode) for era in one.judged.eras) for one in runs),
        eras=len(eras),
        controlled=mean_of(controlled, "era on The Record's rubric"),
        mechanical=mean_of([mechanical_total(era) for era in eras], "era"),
        gap=mean_of([float(gap_of(era)) for era in record], "era on The Record's rubric"),
        hindsight=mean_of([_hindsight(era) for era in record], "era on The Record's rubric"),
    )


def _hindsight(era: ScoredEra) -> float:
    return float(era.subscores["hindsight_leakage"])


def _findings(study: Study, by_judge: Sequence[Sequence[StudiedRun]], treatment: Treatment) -> tuple[FindingLine, ...]:
    """The study's hypotheses under every judge: the declared analysis, with nothing but the scores exchanged."""
    tables = [_hypotheses(study, runs, treatment) for runs in by_judge]
    found = []
    for place, line in enumerate(tables[0]):
        own = [_same(table, line, place) for table in tables]
        found.append(FindingLine(line.hypothesis, line.claim, line.comparison, line.units, tuple(own)))
    return tuple(found)


def _hypotheses(study: Study, runs: Sequence[StudiedRun], treatment: Treatment) -> tuple[HypothesisLine, ...]:
    plan = study.design.analysis
    kept = [run.judged for run in runs if run.complete or plan.incomplete is Incomplete.KEEP]
    return hypothesis_table(kept, (), plan, treatment).lines


def _same(table: Sequence[HypothesisLine], line: HypothesisLine, place: int) -> HypothesisLine | None:
    """The same comparison in another table: at the same place, or wherever it stands."""
    around = [table[place], *table] if place < len(table) else table
    same = (one for one in around if (one.hypothesis, one.comparison) == (line.hypothesis, line.comparison))
    return next(same, None)


def _sittings(
    reading: Reading, run: RunRecord, plan: JudgingPlan, steps: Mapping[StepKey, StepRecord], page: int
) -> Listing[SittingLine]:
    runs = {one.number: one for one in reading.runs.of_study(run.study_id)}
    sat = {one.key: one for one in Judgements(reading.session).sittings(run.id)}
    wanted = list(plan.sittings.values())[(page - 1) * SITTINGS_SHOWN : page * SITTINGS_SHOWN]
    changed = changed_places(reading, [one.id for one in runs.values()])
    lines = tuple(
        SittingLine(
            sitting.step.era,
            None if plan.purpose is Purpose.RECALL else runs.get(sitting.run),
            sitting.variant,
            sitting.repetition,
            steps.get(sitting.step.key),
            _words(sat.get(sitting.step.key)),
            sitting.run in runs and is_changed(changed, runs[sitting.run].id, sitting.step.era),
        )
        for sitting in wanted
    )
    return listing(lines, page=page, size=SITTINGS_SHOWN, total=plan.calls)


def _words(sat: Sat | None) -> str:
    """What a sitting gave, in a word."""
    if sat is None:
        return ""
    if sat.scores:
        leaks = f", {sat.leaks} marked" if sat.leaks else ""
        return f"T̃ {2 * sum(sat.scores.values())}: {' '.join(str(value) for value in sat.scores.values())}{leaks}"
    if sat.choice:
        return sat.choice
    return " · ".join(name or "cannot tell" for name in (sat.condition, sat.model, sat.run))
