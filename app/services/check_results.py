"""What a judging found: the statistics of its check as lines with n, estimate and interval, or the reason why not."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.audit.captures import UNRECALLABLE
from app.domain.audit.judge_checks import (
    Judged,
    outcome_flips,
    paddings,
    retests,
    self_preferences,
    swaps,
)
from app.domain.audit.judges import Blindness, Guess, JudgedFiction, blindness, false_positives
from app.domain.audit.recall import score_recall
from app.domain.audit.shifts import Shift
from app.domain.engine.judging_material import arms_of
from app.domain.engine.judgings import JudgingPlan, Purpose, Sitting, schedule_asked
from app.domain.inference.intervals import Interval
from app.domain.protocol.analysis import Treatment
from app.domain.protocol.eras import Mode
from app.domain.protocol.rubrics import RECORD_DIMENSIONS
from app.domain.scoring.calibration import calibrate_gap
from app.domain.scoring.measures import Measure
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.study import PlannedRun, StudyDesign, plan_runs
from app.domain.wording import counted, written
from app.services.judged_runs import changed_places, is_changed
from app.services.recall_questions import era_questions
from app.services.unit_of_work import Reading
from app.storage.findings import Place
from app.storage.judgements import Judgement, Judgements, Sat
from app.storage.runs import RunRecord
from app.storage.studies import Study

POINTS, SUBSCORE = "points of 100", "points of 10"


@dataclass(frozen=True, slots=True)
class ResultLine:
    """One statistic: what it is of, on how many, its value or why it has none, its interval or why not, and p."""

    name: str
    of: str
    unit: str
    value: Measure
    interval: Interval | None = None
    p_value: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CheckFound:
    """The lines of one check, the first of them its main one; ``question`` says what they answer."""

    question: str
    lines: tuple[ResultLine, ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """One judging of planted decisions, with its judge and a line for each mode of eras."""

    run: RunRecord
    judge: str
    lines: tuple[ResultLine, ...]


QUESTIONS: Mapping[Purpose, str] = {
    Purpose.FURTHER: "Compared with the first judge on the same decisions; scores of the two are never averaged.",
    Purpose.RETEST: "How far do judgements of one decision by one judge lie apart?",
    Purpose.SWAP: "How much more does the first judge give than a judge of another family?",
    Purpose.PADDING: "How much do words without content add?",
    Purpose.SELF_PREFERENCE: "How much more than another judge does a model give its own decisions, beyond others’?",
    Purpose.OUTCOME_FLIP: "How much does it add to the same decision that its company was shown to have prospered?",
    Purpose.EXACT_LAYER: "Is there a gap where a decision chose the layer in which the first judge saw value pool?",
    Purpose.BLINDNESS: "Can a reader of the blind packet tell what was hidden?",
    Purpose.RECALL: "What does the model remember of each window, asked outside any run?",
}


def check_found(
    look: Reading, study: Study, judging: RunRecord, plan: JudgingPlan, treatment: Treatment = Treatment.KEEP
) -> CheckFound:
    """The statistics of a judging as far as it is, with a treatment of decisions that carry an intervention."""
    sat = Judgements(look.session).sittings(judging.id)
    lines = _LINES[plan.purpose](_Source(look, study, plan, sat, treatment))
    return CheckFound(QUESTIONS[plan.purpose], tuple(lines))


def calibrations_of(look: Reading, study: Study, treatment: Treatment = Treatment.KEEP) -> tuple[Calibration, ...]:
    """H4's calibrations, in the order in which they were started."""
    plans = [(run, JudgingPlan.model_validate(run.plan)) for run in look.runs.judgings(study.id)]
    return tuple(
        Calibration(run, plan.judge.model, check_found(look, study, run, plan, treatment).lines)
        for run, plan in plans
        if plan.purpose is Purpose.EXACT_LAYER
    )


def fiction_found(
    look: Reading, study: Study, runs: Sequence[RunRecord], treatment: Treatment = Treatment.KEEP
) -> ResultLine | None:
    """Judged leakage where none is possible, on fictional and post-cutoff eras, by the first judge; else None."""
    design = study.design
    places = {(one.id, era.id) for one in design.schedules for era in one.eras if era.mode in UNRECALLABLE}
    if not places or not runs:
        return None
    on = {run.id: design.schedule_of(run.schedule).id for run in runs}
    store, names = Judgements(look.session), {run.id: run.name for run in runs}
    leaks, out = store.leak_counts(list(names)), _left_out(look, names, treatment)
    eras = [
        JudgedFiction(names[one.run_id], one.scores["hindsight_leakage"], leaks[one.run_id, one.era])
        for one in store.reviews(list(names))
        if (on[one.run_id], one.era) in places and "hindsight_leakage" in one.scores
        if not is_changed(out, one.run_id, one.era)
    ]
    found = false_positives(eras)
    less = "" if found.shortfall.value is None else f"mean hindsight subscore {10 - found.shortfall.value:.2f} of 10"
    return ResultLine(
        "eras with a passage marked", counted(found.eras, "era"), "share", found.marked, found.interval, note=less
    )


@dataclass(frozen=True)
class _Source:
    """A judging with what the first judge said of the same decisions, and how those with an intervention are taken."""

    look: Reading
    study: Study
    plan: JudgingPlan
    sat: Sequence[Sat]
    treatment: Treatment

    @property
    def design(self) -> StudyDesign:
        return self.study.design

    @property
    def seed(self) -> int:
        return self.plan.seed or self.design.analysis.seed

    def planned(self) -> Mapping[int, PlannedRun]:
        return {run.number: run for run in plan_runs(self.design)}

    def first(self) -> list[Judged]:
        """What the first judge gave, in The Record's eras."""
        planned = self.planned()
        numbers = {run.id: run.number for run in self.look.runs.of_study(self.study.id) if run.number in planned}
        out = _left_out(self.look, numbers, self.treatment)
        reviews = Judgements(self.look.session).reviews(list(numbers))
        return [
            Judged(_label(planned[numbers[one.run_id]]), one.era, planned[numbers[one.run_id]].player.model, one.scores)
            for one in reviews
            if set(one.scores) == set(RECORD_DIMENSIONS) and not is_changed(out, one.run_id, one.era)
        ]

    def sittings(self) -> Iterator[tuple[Sat, Sitting, PlannedRun]]:
        """What this judging gave to each decision that is taken, with its place in the plan and the run it judged."""
        planned, sittings = self.planned(), self.plan.sittings
        ids = {run.number: run.id for run in self.look.runs.of_study(self.study.id)}
        out = _left_out(self.look, ids.values(), self.treatment)
        for one in self.sat:
            sitting = sittings.get(one.key)
            if sitting is None or sitting.run not in planned:
                continue
            if sitting.run not in ids or not is_changed(out, ids[sitting.run], one.era):
                yield one, sitting, planned[sitting.run]

    def again(self) -> list[Judged]:
        """What this judging gave, in The Record's eras."""
        return [
            Judged(_label(run), one.era, run.player.model, one.scores, sitting.variant)
            for one, sitting, run in self.sittings()
            if set(one.scores) == set(RECORD_DIMENSIONS)
        ]

    def eras_by_mode(self) -> Mapping[Mode, list[ScoredEra]]:
        """What this judging gave, by mode, as eras that are scored; repetitions stand beside each other."""
        found = defaultdict[Mode, list[ScoredEra]](list)
        for one, _, run in self.sittings():
            if set(one.scores) == set(RECORD_DIMENSIONS):
                mode = run.schedule.era(one.era).mode
                found[mode].append(ScoredEra(_label(run), one.era, len(found[mode]) + 1, mode, "", one.scores, None))
        return found


def _left_out(look: Reading, run_ids: Iterable[UUID], treatment: Treatment) -> frozenset[Place]:
    """The places among these runs whose decisions a treatment of interventions leaves out."""
    return changed_places(look, run_ids) if treatment is Treatment.LEAVE_OUT else frozenset()


def judged_again(plan: JudgingPlan, sat: Iterable[Sat], runs: Iterable[RunRecord]) -> list[Judgement]:
    """A judging's reviews as if they were those of the runs it judged: the first repetition of each."""
    ids = {run.number: run.id for run in runs}
    found = []
    for one in sat:
        sitting = plan.sittings.get(one.key)
        if sitting is not None and sitting.run in ids and sitting.repetition == 1 and one.scores:
            found.append(Judgement(ids[sitting.run], one.era, one.scores, None, one.pooled_layer))
    return found


def _label(run: PlannedRun) -> str:
    return f"{run.name} · {run.player.model}"


def _unit(measure: str) -> str:
    return SUBSCORE if measure in RECORD_DIMENSIONS else POINTS


def _retest(source: _Source) -> Iterable[ResultLine]:
    for name, found in retests(source.first(), source.again()).items():
        of = f"{counted(found.decisions, 'decision')}, {counted(found.judgements, 'judgement')}"
        repeatability = found.repeatability.value
        equal = found.exact.value
        note = "" if repeatability is None else f"two judgements stay within {repeatability:.1f} in 95 of 100 cases"
        note += "" if equal is None else f"; {100 * equal:.0f} % of pairs are equal"
        yield ResultLine(f"{name}: SD within a decision", of, _unit(name), found.within_sd, note=note)


def _swap(source: _Source) -> Iterable[ResultLine]:
    for name, found in swaps(source.first(), source.again(), seed=source.seed).items():
        r = found.correlation
        note = f"r = {written(r.value)}" if r.value is not None else f"r: {r.reason}"
        yield _shift(f"{name}: first judge − {source.plan.judge.model}", name, found.shift, note)


def _padding(source: _Source) -> Iterable[ResultLine]:
    for name, found in paddings(source.again(), seed=source.seed).items():
        yield _shift(f"{name}: padded − as it was", name, found)


def _outcome(source: _Source) -> Iterable[ResultLine]:
    for name, found in outcome_flips(source.again(), seed=source.seed).items():
        yield _shift(f"{name}: shown a success − shown a failure", name, found)


def _shift(words: str, measure: str, found: Shift, note: str = "") -> ResultLine:
    of = f"{counted(found.pairs, 'pair')} in {counted(found.mean.n, 'run')}"
    spread = "" if found.sd.value is None else f"SD over runs {found.sd.value:.2f}"
    notes = "; ".join(part for part in (spread, note) if part)
    return ResultLine(words, of, _unit(measure), found.mean, found.interval, found.p_value, notes)


def _exact(source: _Source) -> Iterable[ResultLine]:
    """H4's calibration, one line a mode: raw levels of two modes are never pooled."""
    margin = source.design.analysis.gap_margin
    for mode, planted in source.eras_by_mode().items():
        found = calibrate_gap(planted, margin=margin)
        test = found.near_zero
        inside = f"p of two one-sided tests within ±{margin:g}, the margin fixed before launch"
        yield ResultLine(
            f"gap of planted decisions, {mode.value.replace('_', '-')} eras",
            f"{counted(len(planted), 'decision')} in {counted(found.mean.n, 'run')}",
            "score points",
            found.mean,
            Interval(test.interval, "90 %, t over runs", None if test.interval else "fewer than six runs"),
            test.p_value,
            inside if test.reason is None else test.reason,
        )


def _preference(source: _Source) -> Iterable[ResultLine]:
    judge = source.plan.judge.model
    for name, found in self_preferences(source.first(), source.again(), judge=judge, seed=source.seed).items():
        of = f"{found.own.n} own, {found.others.n} others’ runs"
        yield ResultLine(
            f"{name}: own − others’, over the first judge",
            of,
            _unit(name),
            found.preference,
            p_value=found.test.p_value,
            note="p one-sided: own texts are preferred",
        )


def _blindness(source: _Source) -> Iterable[ResultLine]:
    arms, sat = arms_of(source.design, plan_runs(source.design)), list(source.sittings())
    several = len(source.design.players) > 1
    for what, names in (("condition", arms.conditions), ("model", arms.models), ("run", arms.runs)):
        if not names:
            reason = "there is one only" if what != "run" else "there is one only, or there are too many to list"
            yield ResultLine(f"right about the {what}", "not asked", "share", Measure(None, reason=reason))
            continue
        guesses = []
        for one, _, run in sat:
            truth = {
                "condition": str(run.condition),
                "model": run.player.model,
                "run": _label(run) if several else run.name,
            }[what]
            guesses.append(Guess(_label(run), truth, getattr(one, what)))
        found = blindness(guesses, names)
        chance = "" if found.chance is None else f"chance {found.chance:.3f}"
        constant = "" if found.best_constant is None else f"always naming the most frequent {found.best_constant:.3f}"
        note = "; ".join(part for part in (chance, constant, "p one-sided against chance") if part)
        yield ResultLine(
            f"right about the {what}",
            f"{found.guesses} guesses",
            "share",
            found.right,
            p_value=found.p_value,
            note=note,
        )
        if what != "run":
            yield from _bang(found)


def _bang(found: Blindness) -> Iterable[ResultLine]:
    for arm, index in found.indices.items():
        value = Measure(index.value, index.n, index.reason if index.value is None else None)
        interval = Interval(index.ci95, index.method, None if index.ci95 else index.reason or "none is computed")
        yield ResultLine(f"Bang’s index, {arm}", f"{index.n} guesses", "−1 to 1", value, interval)


def _recall(source: _Source) -> Iterable[ResultLine]:
    answers: dict[tuple[int, str], dict[int, str]] = defaultdict(dict)
    for one in source.sat:
        sitting = source.plan.sittings[one.key]
        answers[sitting.run, one.era][sitting.repetition] = one.choice or ""
    for item in source.plan.items:
        if (item.run, item.era) not in answers:
            continue
        schedule = schedule_asked(source.design, item.run)
        asked = era_questions(source.design, schedule, schedule.era(item.era))
        given = {asked[number - 1].id: choice for number, choice in answers[item.run, item.era].items()}
        found = score_recall([question for question in asked if question.id in given], given)
        yield ResultLine(
            f"{item.era}{f' of {schedule.title}' if item.run else ''}: right answers",
            counted(found.asked, "question"),
            "share",
            found.share,
            p_value=found.p_value,
            note="chance 0.25; p one-sided",
        )


_LINES = {
    Purpose.FURTHER: _swap,
    Purpose.RETEST: _retest,
    Purpose.SWAP: _swap,
    Purpose.PADDING: _padding,
    Purpose.SELF_PREFERENCE: _preference,
    Purpose.OUTCOME_FLIP: _outcome,
    Purpose.EXACT_LAYER: _exact,
    Purpose.BLINDNESS: _blindness,
    Purpose.RECALL: _recall,
}
