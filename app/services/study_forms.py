"""A study as the launch page asks for it: what can be chosen, what is chosen at first, and the design it makes."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError, field_validator

from app.domain.engine.estimates import StudyEstimate
from app.domain.naming import Name
from app.domain.protocol.analysis import Hypothesis, Incomplete, Treatment
from app.domain.protocol.budgets import Budget, Budgets
from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Schedule
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.domain.protocol.rubrics import STANDARD_ANCHORS
from app.domain.scoring.hypotheses import CLAIMS
from app.domain.study import FurtherJudge, ModelChoice, StudyDesign
from app.domain.wording import counted
from app.library.reader import UnknownScheduleError, anchor_sets, schedules
from app.library.words import ChoiceWords, words_for
from app.providers.registry import ModelEntry
from app.services.budgets import UnpricedBudgetError, refuse_unpriced
from app.services.designs import DetectableLine, detectable_lines
from app.services.launch_problems import launch_notes, launch_problems
from app.services.own_schedules import LARGEST_EVENTS, OwnEventsError, own_schedule
from app.services.registry import UnknownModelError, offered_models
from app.services.studies import choose_model, estimate_study, field_problems
from app.services.worlds import find_schedule
from app.settings import get_settings

FICTIONAL_CHOICE = "fictional"
OWN_FIELDS = ("own_title", "own_eras", "own_events")
INVENTED = "six invented eras in each world, one schedule a seed"
SEPARATORS = re.compile(r"[,;\s]+")
SEED_DIGITS = 9


@dataclass(frozen=True, slots=True)
class ScheduleChoice:
    """A schedule as the launch page offers it, with what it is in a few words."""

    id: str
    title: str
    eras: int
    about: str


BUDGET_SCOPES = ("study", "run")
BUDGET_FIELDS = frozenset(f"{scope}_{name}" for scope in BUDGET_SCOPES for name in Budget.model_fields)

Calls = Annotated[int, Field(ge=1)] | None
Amount = Annotated[float, Field(gt=0, allow_inf_nan=False)] | None


class StudyForm(BaseModel):
    """The launch page's fields; ``design_from`` says what does not fit together."""

    name: Annotated[Name, Field(max_length=120)] = ""
    preset: Preset = Preset.CONTROLLED
    schedules: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = (Condition.FULL,)
    repetitions: Annotated[int, Field(ge=1, le=100)] = 1
    players: tuple[str, ...] = ()
    judge: str = ""
    author: str = ""
    further_judges: tuple[str, ...] = ()
    further_anchors: tuple[str, ...] = ()
    same_family_reason: Annotated[str, Field(max_length=1_000)] = ""
    mapping: Mapping = Mapping.DEPARTMENT
    briefings: Briefings = Briefings.DRAWN
    briefing_facts: Annotated[int, Field(ge=8, le=60)] = 22
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 1.0
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 1
    own_title: Annotated[Name, Field(max_length=120)] = ""
    own_eras: Annotated[str, Field(max_length=4_000)] = ""
    own_events: Annotated[str, Field(max_length=LARGEST_EVENTS)] = ""
    world_seeds: Annotated[str, Field(max_length=200)] = "1"
    pace_seconds: Annotated[float, Field(ge=0, le=60)] = 0.0
    hypotheses: tuple[Hypothesis, ...] = tuple(Hypothesis)
    leakage_margin: Annotated[float, Field(gt=0, le=10)] = 1.0
    gap_margin: Annotated[float, Field(gt=0, le=10)] = 0.5
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    interventions: Treatment = Treatment.KEEP
    incomplete: Incomplete = Incomplete.LEAVE_OUT
    analysis_seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 1
    resamples: Annotated[int, Field(ge=999, le=999_999)] = 99_999
    study_calls: Calls = None
    study_tokens: Calls = None
    study_cost_usd: Amount = None
    study_hours: Amount = None
    run_calls: Calls = None
    run_tokens: Calls = None
    run_cost_usd: Amount = None
    run_hours: Amount = None

    @field_validator("world_seeds")
    @classmethod
    def _are_seeds(cls, text: str) -> str:
        seeds = SEPARATORS.split(text.strip(", \n\t"))
        if not all(seed.isdecimal() and len(seed) <= SEED_DIGITS for seed in seeds):
            raise ValueError("write whole numbers from 0 to 999999999 with commas between, one for each world")
        return ", ".join(dict.fromkeys(str(int(seed)) for seed in seeds))

    @property
    def scheduled(self) -> tuple[str, ...]:
        """The names of the schedules; each fictional one is named by its world's seed."""
        names: list[str] = []
        for one in self.schedules:
            seeds = SEPARATORS.split(self.world_seeds)
            names += [f"{FICTIONAL_CHOICE}-{seed}" for seed in seeds] if one == FICTIONAL_CHOICE else [one]
        return tuple(names)

    @property
    def budgets(self) -> Budgets | None:
        """What the study and each of its runs may use; None while no bound is written."""
        study, run = (
            Budget(**{name: getattr(self, f"{scope}_{name}") for name in Budget.model_fields})
            for scope in BUDGET_SCOPES
        )
        return Budgets(study=study, run=run) if (study, run) != (Budget(), Budget()) else None

    @property
    def analysis(self) -> dict[str, Any]:
        """The fields that say how the study will be analysed, by their names in the plan."""
        same = ("hypotheses", "leakage_margin", "gap_margin", "alpha", "interventions", "incomplete", "resamples")
        return {name: getattr(self, name) for name in same} | {"seed": self.analysis_seed}


@dataclass(frozen=True, slots=True)
class Choices:
    """What the launch page offers, each with its words."""

    presets: tuple[tuple[Preset, ChoiceWords], ...]
    schedules: tuple[ScheduleChoice, ...]
    conditions: tuple[tuple[Condition, ChoiceWords], ...]
    briefings: tuple[tuple[Briefings, ChoiceWords], ...]
    mappings: tuple[tuple[Mapping, ChoiceWords], ...]
    models: tuple[ModelEntry, ...]
    anchors: tuple[tuple[str, ChoiceWords], ...]
    hypotheses: tuple[tuple[Hypothesis, ChoiceWords], ...]
    treatments: tuple[tuple[Treatment, ChoiceWords], ...]
    exclusions: tuple[tuple[Incomplete, ChoiceWords], ...]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A filled form with the design and estimate it makes, or the problems that keep it from making one."""

    design: StudyDesign | None
    estimate: StudyEstimate | None
    problems: dict[str, str]
    notes: tuple[str, ...] = ()

    @property
    def detectable(self) -> tuple[DetectableLine, ...]:
        """The smallest effects the design can find; none while there is no design."""
        return detectable_lines(self.design) if self.design else ()


def choices() -> Choices:
    """Everything that can be chosen."""
    return Choices(
        presets=tuple((one, words_for(one)) for one in Preset),
        schedules=_schedule_choices(),
        conditions=tuple((one, words_for(one)) for one in Condition),
        briefings=tuple((one, words_for(one)) for one in Briefings),
        mappings=tuple((one, words_for(one)) for one in Mapping),
        hypotheses=tuple((one, ChoiceWords(str(one), CLAIMS[one])) for one in Hypothesis),
        treatments=tuple((one, words_for(one)) for one in Treatment),
        exclusions=tuple((one, words_for(one)) for one in Incomplete),
        models=offered_models(),
        anchors=tuple(
            (one.id, ChoiceWords(one.title, one.about)) for one in anchor_sets().values() if one.id != STANDARD_ANCHORS
        ),
    )


def first_form(source: str, offered: Choices) -> StudyForm:
    """The form as it opens; ``rehearsal`` fills it so that it can be launched at once."""
    schedule_id = next((one.id for one in offered.schedules if one.eras == 9), offered.schedules[0].id)
    by_role = {name: _first(offered.models, name) for name in ("steady", "strict", "author")}
    rehearsed = source == "rehearsal"
    return StudyForm(
        name="Rehearsal study" if rehearsed else "",
        schedules=(schedule_id,),
        players=(by_role["steady"],),
        judge=by_role["strict"],
        author=by_role["author"],
        repetitions=1 if rehearsed else 5,
        pace_seconds=get_settings().rehearsal_pace if rehearsed else 0.0,
    )


def weigh(form: StudyForm, *, must_be_named: bool = True) -> Weighed:
    """The design a form makes, and what it will take, which does not hang on its name."""
    if not must_be_named and not form.name.strip():
        form = form.model_copy(update={"name": "unnamed"})
    try:
        design = design_from(form)
        unfit = launch_problems(design)
        if unfit:
            return Weighed(None, None, _by_field(unfit))
        refuse_unpriced(design)
        estimate = estimate_study(design)
        return Weighed(design, estimate, {}, (*launch_notes(design), *_budget_notes(form, estimate)))
    except UnpricedBudgetError as error:
        words = str(error).removeprefix("budgets: ").replace("leave cost_usd out", "leave this field empty")
        return Weighed(None, None, {f"{scope}_cost_usd": words for scope in _cost_bounds(form)})
    except ValidationError as error:
        return Weighed(None, None, {_field(item.field): item.message for item in field_problems(error)})
    except OwnEventsError as error:
        return Weighed(None, None, {f"own_{error.field}": str(error)})
    except (UnknownModelError, UnknownScheduleError) as error:
        return Weighed(None, None, {"schedules" if isinstance(error, UnknownScheduleError) else "form": _words(error)})


def _by_field(problems: Sequence[tuple[str, str]]) -> dict[str, str]:
    """All that is wrong with a field in one text."""
    return {field: "; ".join(words for other, words in problems if other == field) for field, _ in problems}


def design_from(form: StudyForm) -> StudyDesign:
    """The frozen design. Raises ValidationError, UnknownModelError, UnknownScheduleError or OwnEventsError."""
    made_of = {"schedules", "world_seeds", *OWN_FIELDS, "players", "judge", "author", "temperature"}
    made_of |= {"further_judges", "further_anchors"}
    apart = {*made_of, *form.analysis, "analysis_seed", *BUDGET_FIELDS}
    values: dict[str, Any] = form.model_dump(exclude=apart) | {"seed": form.seed}
    chosen = {role: choose_model(getattr(form, role), form.temperature) for role in ("judge", "author")}
    players: tuple[ModelChoice, ...] = tuple(choose_model(name, form.temperature) for name in form.players)
    reason = form.same_family_reason.strip() or None
    whole = {
        **values,
        **chosen,
        "players": players,
        "further_judges": tuple(_further(form, chosen["judge"])),
        "schedules": (*map(find_schedule, form.scheduled), *_own(form)),
        "same_family_reason": reason,
        "budgets": form.budgets,
    }
    whole["analysis"] = form.analysis
    return StudyDesign.model_validate(whole)


def _further(form: StudyForm, judge: ModelChoice) -> Iterator[FurtherJudge]:
    """Each further judge under the standard anchors, then the first judge under each other set."""
    for name in form.further_judges:
        yield FurtherJudge(judge=choose_model(name, form.temperature))
    for anchors in form.further_anchors:
        yield FurtherJudge(judge=judge, anchors=anchors)


def _own(form: StudyForm) -> tuple[Schedule, ...]:
    """The schedule of post-cutoff eras, where any is written. Raises OwnEventsError."""
    if not form.own_eras.strip() and not form.own_events.strip():
        return ()
    return (own_schedule(form.own_title, form.own_eras, form.own_events, datetime.now(UTC).date()),)


def _cost_bounds(form: StudyForm) -> tuple[str, ...]:
    return tuple(scope for scope in BUDGET_SCOPES if getattr(form, f"{scope}_cost_usd") is not None)


def _budget_notes(form: StudyForm, estimate: StudyEstimate) -> tuple[str, ...]:
    """Bounds that the estimate is above already: runs would stop and ask for an operator."""
    wanted: dict[str, tuple[float | None, Callable[[float], str]]] = {
        "calls": (estimate.calls, lambda amount: counted(round(amount), "call")),
        "tokens": (estimate.tokens_in + estimate.tokens_out, lambda amount: counted(round(amount), "token")),
        "cost_usd": (estimate.cost_usd, "US${:,.2f}".format),
    }
    of_runs = (estimate.calls - estimate.calls_again) / max(1, estimate.calls)
    found = []
    for name, (amount, written) in wanted.items():
        for scope, share in (("study", 1.0), ("run", of_runs / max(1, estimate.runs))):
            bound = getattr(form, f"{scope}_{name}")
            if bound is not None and amount is not None and amount * share > bound:
                whose = "The study needs" if scope == "study" else "A run needs, on average,"
                need = written(amount * share)
                found.append(f"{whose} about {need}, more than its budget: it will stop and ask for an operator.")
    return tuple(found)


def _schedule_choices() -> tuple[ScheduleChoice, ...]:
    real = (ScheduleChoice(one.id, one.title, len(one.eras), _modes(one)) for one in schedules())
    return (*real, ScheduleChoice(FICTIONAL_CHOICE, "Fictional histories", 6, INVENTED))


def _modes(schedule: Schedule) -> str:
    """How many eras of which mode, such as ``eras: 6 training, 1 live, 2 forecast``."""
    counted = Counter(era.mode.value.replace("_", "-") for era in schedule.eras)
    return f"eras: {', '.join(f'{count} {mode}' for mode, count in counted.items())}"


def _first(models: tuple[ModelEntry, ...], wire_model: str) -> str:
    found = (one.name for one in models if one.provider == "rehearsal" and one.wire_model == wire_model)
    return next(found, models[0].name if models else "")


def _field(name: str) -> str:
    return "form" if name == "design" else name.removeprefix("analysis.").split(".", maxsplit=1)[0]


def _words(error: Exception) -> str:
    return str(error.args[0])
