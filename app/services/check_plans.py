"""Planning checks of a judge: what can be chosen, the judgings that follow, what they will take, and their start."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID, uuid5

from pydantic import BaseModel, Field

from app.domain.engine.estimates import JudgingEstimate, judging_estimate
from app.domain.engine.judging_sample import JudgedDecision, draw_items
from app.domain.engine.judgings import JudgedItem, JudgingPlan, Purpose
from app.domain.ids import RunId
from app.domain.protocol.budgets import Budget
from app.domain.study import StudyDesign, plan_runs
from app.domain.wording import counted
from app.library.words import ChoiceWords
from app.providers.registry import ModelEntry
from app.services.boards import StudyView, show_study
from app.services.budgets import is_priced
from app.services.errors import RefusedError
from app.services.judgings import decided_eras, name_of, start_check
from app.services.recall_questions import era_questions
from app.services.registry import UnknownModelError, model_entry, offered_models
from app.services.studies import choose_model, prices_of
from app.services.unit_of_work import Reading, Work
from app.storage.judgements import Judgements
from app.storage.studies import Study

CHECKS: Mapping[Purpose, ChoiceWords] = {
    Purpose.RETEST: ChoiceWords("Retest", "the judge judges the same packet again, as often as you say"),
    Purpose.SWAP: ChoiceWords("Family swap", "a judge of another family judges the same packet once"),
    Purpose.PADDING: ChoiceWords("Padding", "each decision is judged as it is and with words that say nothing"),
    Purpose.OUTCOME_FLIP: ChoiceWords(
        "Outcome flip", "each decision is judged twice: its company shown to have prospered, and to have failed"
    ),
    Purpose.EXACT_LAYER: ChoiceWords(
        "Exact layer", "each decision is judged as if it had chosen the layer where value pooled: H4’s calibration"
    ),
    Purpose.SELF_PREFERENCE: ChoiceWords(
        "Self-preference", "each player model judges its own decisions and the others’; needs two player models"
    ),
    Purpose.BLINDNESS: ChoiceWords("Blindness", "the judge guesses condition, model and run from the blind packet"),
    Purpose.RECALL: ChoiceWords(
        "Recall", "players and judge are asked what happened in each window, one question a call, outside any run"
    ),
}
"""The checks a page offers, with what each does."""

NUMBERS = ("repetitions", "questions", "sample", "seed")
BOUNDS = ("calls", "tokens", "cost_usd")


class CheckForm(BaseModel):
    """The page's fields. ``sample`` None takes every decision; bounds are of each check by itself."""

    checks: tuple[Purpose, ...] = ()
    judge: str = ""
    other: str = ""
    sample: Annotated[int, Field(ge=1, le=20_000)] | None = None
    repetitions: Annotated[int, Field(ge=1, le=20)] = 1
    questions: Annotated[int, Field(ge=1, le=40)] = 10
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 1
    calls: Annotated[int, Field(ge=1)] | None = None
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost_usd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @property
    def budget(self) -> Budget | None:
        """What each check may use; None while no bound is written."""
        budget = Budget(calls=self.calls, tokens=self.tokens, cost_usd=self.cost_usd)
        return budget if budget != Budget() else None


@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """A judging that would be started, and what it will take."""

    name: str
    plan: JudgingPlan
    estimate: JudgingEstimate


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """What a filled form would start, or the problems that keep it from starting; ``decisions`` can be judged."""

    page: StudyView
    models: tuple[ModelEntry, ...]
    decisions: int
    checks: tuple[PlannedCheck, ...]
    problems: dict[str, str]

    @property
    def calls(self) -> int:
        """Calls of all checks, exact without faults."""
        return sum(check.estimate.calls for check in self.checks)

    @property
    def tokens(self) -> int:
        """Tokens of all checks in and out, by estimate."""
        return sum(check.estimate.tokens_in + check.estimate.tokens_out for check in self.checks)

    @property
    def cost_usd(self) -> float | None:
        """Cost of all checks by estimate, None where a price is not known."""
        costs = [check.estimate.cost_usd for check in self.checks]
        return None if None in costs else sum(cost or 0.0 for cost in costs)


def first_check_form(study: Study) -> CheckForm:
    """The form as it opens: the study's judge, and another family for the swap where one is offered."""
    judge = study.design.judge
    others = (model.name for model in offered_models() if model.family != judge.family)
    return CheckForm(judge=judge.model, other=next(others, ""), seed=study.design.seed, sample=24)


def weigh_checks(look: Reading, study_id: UUID, form: CheckForm) -> CheckPlan:
    """What a form would start. Raises NotFoundError."""
    page = show_study(look, study_id)
    study = page.study
    decisions = judged_decisions(look, study)
    problems = dict(_problems(study.design, form))
    checks: tuple[PlannedCheck, ...] = ()
    if not problems:
        checks = tuple(
            PlannedCheck(name_of(plan), plan, judging_estimate(plan, prices_of(plan.judge)))
            for plan in _plans(study.design, form, decisions)
        )
        problems |= _budget_problems(study.design, form, checks)
        if any(not check.plan.items for check in checks):
            problems["form"] = "No decision of this study is judged yet: wait for the first era of a run to end."
    return CheckPlan(page, offered_models(), len(decisions), () if problems else checks, problems)


def start_checks(work: Work, study_id: UUID, form: CheckForm, *, sending: UUID | None = None) -> tuple[RunId, ...]:
    """Start every check of a form; one sent twice as it is, which has the same ``sending``, starts them once.

    Raises RefusedError with the first problem, NotFoundError.
    """
    planned = weigh_checks(work, study_id, form)
    if planned.problems:
        field, words = next(iter(planned.problems.items()))
        raise RefusedError(words if field == "form" else f"{field}: {words}")
    key = sending or work.new_id()
    study = planned.page.study
    plans = [check.plan for check in planned.checks]
    return tuple(start_check(work, study, plan, uuid5(key, str(place))) for place, plan in enumerate(plans))


def judged_decisions(look: Reading, study: Study) -> tuple[JudgedDecision, ...]:
    """Every decision of The Record's eras that the study's own judge has scored."""
    runs = {run.number: run for run in look.runs.of_study(study.id)}
    ids = {run.id: run.number for run in runs.values()}
    scored = {(ids[one.run_id], one.era) for one in Judgements(look.session).reviews(list(ids))}
    decided = decided_eras(look, tuple(runs.values())) & scored
    known = {one.id: {era.id for era in one.eras if era.mode.has_outcome} for one in study.design.schedules}
    planned = {run.number: known[run.schedule.id] for run in plan_runs(study.design)}
    return tuple(
        JudgedDecision(JudgedItem(run=number, era=era), runs[number].condition, runs[number].player)
        for number, era in sorted(decided)
        if era in planned.get(number, ())
    )


def _problems(design: StudyDesign, form: CheckForm) -> Iterator[tuple[str, str]]:
    if not form.checks:
        yield "checks", "Choose at least one check."
    for field in ("judge", "other"):
        wanted = field == "judge" or Purpose.SWAP in form.checks
        try:
            entry = model_entry(getattr(form, field)) if wanted else None
        except UnknownModelError:
            yield field, "Choose a registered model."
            continue
        if field == "other" and entry and entry.family == design.judge.family:
            yield "other", f"{entry.name} is of the family of {design.judge.model}, the first judge; choose another."
    if Purpose.SELF_PREFERENCE in form.checks and len(design.players) < 2:
        yield "checks", "Self-preference compares a model’s own decisions with another’s: this study has one player."
    if Purpose.RECALL in form.checks and not _asked_eras(design):
        yield "checks", "No era of this study has an outcome window on record to ask about."


def _plans(design: StudyDesign, form: CheckForm, decisions: tuple[JudgedDecision, ...]) -> Iterator[JudgingPlan]:
    items = draw_items(decisions, form.sample, seed=form.seed)
    judge, temperature = model_entry(form.judge).name, design.judge.temperature
    for purpose in (one for one in CHECKS if one in form.checks):
        shared = {"purpose": purpose, "items": items, "seed": form.seed, "budget": form.budget}
        match purpose:
            case Purpose.SWAP:
                yield JudgingPlan.model_validate({**shared, "judge": choose_model(form.other, temperature)})
            case Purpose.SELF_PREFERENCE:
                for player in design.players:
                    asked = choose_model(player.model, temperature)
                    yield JudgingPlan.model_validate({**shared, "judge": asked})
            case Purpose.RECALL:
                yield from _recalls(design, form)
            case _:
                again = 1 if purpose is Purpose.BLINDNESS else form.repetitions
                asked = choose_model(judge, temperature)
                yield JudgingPlan.model_validate({**shared, "judge": asked, "repetitions": again})


def _recalls(design: StudyDesign, form: CheckForm) -> Iterator[JudgingPlan]:
    """One plan a model; as many questions on each era as every era has, at most those wanted."""
    asked = _asked_eras(design)
    items = tuple(JudgedItem(run=run, era=era) for run, era in asked)
    for model in dict.fromkeys(choice.model for choice in (*design.players, design.judge)):
        yield JudgingPlan(
            purpose=Purpose.RECALL,
            judge=choose_model(model, 0.0),
            items=items,
            repetitions=min(form.questions, *asked.values()),
            budget=form.budget,
        )


def _asked_eras(design: StudyDesign) -> dict[tuple[int, str], int]:
    """The eras with questions on their window by the first run on their schedule, and how many; 0 for the only one."""
    several = len(design.schedules) > 1
    counts = {
        (place * design.runs_a_schedule + 1 if several else 0, era.id): len(era_questions(design, schedule, era))
        for place, schedule in enumerate(design.schedules)
        for era in schedule.eras
    }
    return {era: count for era, count in counts.items() if count}


def _budget_problems(design: StudyDesign, form: CheckForm, checks: tuple[PlannedCheck, ...]) -> dict[str, str]:
    """A bound on cost needs prices; one that the estimate is above already would stop the check."""
    found = {}
    unpriced = sorted(
        {check.plan.judge.model for check in checks if not is_priced(model_entry(check.plan.judge.model))}
    )
    bounded = form.cost_usd is not None or (design.budgets is not None and design.budgets.bounds_cost)
    if bounded and unpriced:
        found["cost_usd"] = (
            f"A cost budget needs prices, and none is known for {', '.join(unpriced)}. "
            "Give the prices on the page of models, or leave this field empty."
        )
    if form.calls is not None and any(check.estimate.calls > form.calls for check in checks):
        most = max(check.estimate.calls for check in checks)
        found["calls"] = f"A check needs {counted(most, 'call')}: write that many at least, or draw fewer decisions."
    return found
