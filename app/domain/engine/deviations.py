"""What a study did otherwise than its design says, found by comparing the design with its runs, calls and steps."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from app.domain.engine.inputs import Role
from app.domain.engine.interventions import InterventionKind
from app.domain.engine.judgings import FIRST_JUDGING, JudgingPlan, design_judgings
from app.domain.engine.steps import plan_steps
from app.domain.study import ModelChoice, PlannedRun, StudyDesign, plan_runs
from app.domain.wording import counted


class DeviationKind(StrEnum):
    """What can differ from a design, in the order in which it is listed."""

    DESIGN = "design"
    RUN_MISSING = "run_missing"
    RUN_ADDED = "run_added"
    JUDGING_MISSING = "judging_missing"
    BY_HAND = "by_hand"
    SKIPPED = "skipped"
    REDACTED = "redacted"
    SETTING = "setting"
    TEMPLATE = "template"
    VERSION = "version"
    RETRIED = "retried"
    CALL = "call"


@dataclass(frozen=True, slots=True)
class RunFact:
    """A run there is."""

    id: UUID
    number: int
    condition: str
    replicate: int
    player: str
    state: str
    label: str
    schedule: str = ""


@dataclass(frozen=True, slots=True)
class JudgingFact:
    """A judging there is: one that the design asks for, or a check."""

    id: UUID
    number: int
    state: str
    label: str
    plan: JudgingPlan


@dataclass(frozen=True, slots=True)
class CallFact:
    """A call that was made, with what it was asked by and what answered."""

    id: UUID
    run: UUID
    step: str
    state: str
    model_asked: str
    model_reported: str | None
    settings: Mapping[str, Any]
    template_hashes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class InterventionFact:
    """An intervention on a step or, where ``step`` is None, on a run."""

    run: UUID
    step: str | None
    kind: InterventionKind
    reason: str


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a study's rows say; ``design_holds`` is whether the stored design still gives the hash of its launch."""

    design_holds: bool
    runs: Sequence[RunFact]
    calls: Sequence[CallFact]
    interventions: Sequence[InterventionFact]
    judgings: Sequence[JudgingFact] = ()


@dataclass(frozen=True, slots=True)
class Deviation:
    """One difference; ``run`` and ``step`` say where, where it has a place."""

    kind: DeviationKind
    words: str
    run: UUID | None = None
    label: str = ""
    step: str | None = None


_OF_STEPS: Mapping[InterventionKind, tuple[DeviationKind, str]] = {
    InterventionKind.WRITE_BY_HAND: (DeviationKind.BY_HAND, "written by hand"),
    InterventionKind.SKIP: (DeviationKind.SKIPPED, "skipped"),
    InterventionKind.REDACT: (DeviationKind.REDACTED, "text taken out"),
    InterventionKind.RETRY_CHANGED: (DeviationKind.SETTING, "retried with changed settings"),
    InterventionKind.RETRY: (DeviationKind.RETRIED, "retried by an operator"),
}
_DATED = re.compile(r"[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3})")
_ENDED = {"refused": "did not fit", "failed": "failed", "lost": "was lost", "discarded": "came too late"}


def find_deviations(design: StudyDesign, facts: Facts) -> tuple[Deviation, ...]:
    """Every deviation, one a step at most, in the order of their kinds, then of runs and steps."""
    runs = {run.id: run for run in facts.runs}
    found = [*_of_design(facts), *_of_runs(design, facts.runs), *_of_judgings(design, facts)]
    found += _of_steps(design, facts, runs)
    found += [*_of_templates(facts.calls), *_of_versions(design, facts)]
    kinds = list(DeviationKind)
    numbers = {run.id: run.number for run in facts.runs} | {one.id: one.number for one in facts.judgings}
    return tuple(
        sorted(
            found, key=lambda one: (kinds.index(one.kind), numbers.get(one.run, 0) if one.run else 0, one.step or "")
        )
    )


def _of_design(facts: Facts) -> Iterable[Deviation]:
    if not facts.design_holds:
        yield Deviation(
            DeviationKind.DESIGN, "The stored design no longer gives the hash of its launch: it was changed afterwards."
        )


def _of_runs(design: StudyDesign, runs: Sequence[RunFact]) -> Iterable[Deviation]:
    planned = {run.number: run for run in plan_runs(design)}
    there = {run.number: run for run in runs}
    for number, plan in planned.items():
        if number not in there:
            words = f"{plan.name} with {plan.player.model} is in the design and there is no such run."
            yield Deviation(DeviationKind.RUN_MISSING, words, label=plan.name)
    for run in runs:
        expected = planned.get(run.number)
        if expected is None or not _is_planned(run, expected):
            words = f"{run.condition}, replicate {run.replicate}, with {run.player} is not in the design."
            yield Deviation(DeviationKind.RUN_ADDED, words, run.id, run.label)
        elif run.state == "cancelled":
            yield Deviation(DeviationKind.RUN_MISSING, "The run was cancelled before its end.", run.id, run.label)


def _of_judgings(design: StudyDesign, facts: Facts) -> Iterable[Deviation]:
    """Judgings of the design that are missing, once nothing keeps them from being there, and decisions left out."""
    there = {judging.number: judging for judging in facts.judgings}
    due = bool(facts.runs) and all(run.state in {"finished", "cancelled"} for run in facts.runs)
    for number, plan in enumerate(design_judgings(design), start=FIRST_JUDGING):
        name = design.further_judges[number - FIRST_JUDGING].name
        judging = there.get(number)
        if judging is None:
            if due:
                words = f"Judging again by {name} is in the design and has not begun."
                yield Deviation(DeviationKind.JUDGING_MISSING, words, label=name)
            continue
        if judging.state == "cancelled":
            words = "The judging was cancelled before its end."
            yield Deviation(DeviationKind.JUDGING_MISSING, words, judging.id, judging.label)
        left_out = len(plan.items) - len(judging.plan.items)
        if left_out:
            words = f"Not judged again: {left_out} of {counted(len(plan.items), 'decision')}; there was none to judge."
            yield Deviation(DeviationKind.JUDGING_MISSING, words, judging.id, judging.label)


def _is_planned(run: RunFact, plan: PlannedRun) -> bool:
    return (run.condition, run.replicate, run.player, run.schedule or plan.schedule.id) == (
        plan.condition, plan.replicate, plan.player.model, plan.schedule.id
    )  # fmt: skip


def _of_steps(design: StudyDesign, facts: Facts, runs: Mapping[UUID, RunFact]) -> Iterable[Deviation]:
    """One entry for each step that was not simply asked once: what people did, what was changed, and failed calls."""
    done: defaultdict[tuple[UUID, str], list[InterventionFact]] = defaultdict(list)
    for one in facts.interventions:
        if one.step is not None and one.kind in _OF_STEPS:
            done[one.run, one.step].append(one)
    calls: defaultdict[tuple[UUID, str], list[CallFact]] = defaultdict(list)
    for call in facts.calls:
        calls[call.run, call.step].append(call)
    roles = _roles(design)
    judgings = {judging.id: judging for judging in facts.judgings}
    for run_id, step in {**done, **calls}:
        run = runs.get(run_id)
        judging = judgings.get(run_id)
        role = roles.get((run.condition, run.schedule), {}).get(step) if run else None
        made = calls[run_id, step]
        found = [(*_OF_STEPS[one.kind], one.reason) for one in done[run_id, step]]
        expected = judging.plan.judge if judging else _choice(design, run, role) if run and role else None
        changed = _changed(expected, made)
        kinds = [kind for kind, _, _ in found] + ([DeviationKind.SETTING] if changed else [])
        ended = Counter(_ENDED[call.state] for call in made if call.state in _ENDED)
        if not kinds and not ended:
            continue
        words = [f"{what} ({reason})" for _, what, reason in found] + ([changed] if changed else [])
        words += [f"{count} {'call' if count == 1 else 'calls'} {end}" for end, count in ended.items()]
        order = list(DeviationKind)
        kind = min(kinds, key=order.index, default=DeviationKind.CALL)
        place = run or judging
        yield Deviation(kind, _sentence(words), run_id, place.label if place else "", step)


def _roles(design: StudyDesign) -> Mapping[tuple[str, str], Mapping[str, Role]]:
    """Who answers each step, by condition, schedule and key; a run that names no schedule is on the first."""
    roles: dict[tuple[str, str], Mapping[str, Role]] = {
        (str(name), schedule.id): {step.key: step.role for step in plan_steps(design, name, schedule)}
        for schedule in design.schedules
        for name in design.conditions
    }
    return roles | {(str(name), ""): roles[str(name), design.schedules[0].id] for name in design.conditions}


def _changed(expected: ModelChoice | None, calls: Sequence[CallFact]) -> str:
    if expected is None:
        return ""
    models = sorted({call.model_asked for call in calls} - {expected.model})
    temperatures = {call.settings.get("temperature") for call in calls if call.model_asked == expected.model}
    others = sorted(map(str, temperatures - {expected.temperature}))
    parts = [f"asked of {', '.join(models)}, the design says {expected.model}"] if models else []
    parts += [f"temperature {', '.join(others)}, the design says {expected.temperature}"] if others else []
    return "; ".join(parts)


def _choice(design: StudyDesign, run: RunFact, role: Role) -> ModelChoice | None:
    if role is Role.PLAYER:
        return next((player for player in design.players if player.model == run.player), None)
    return design.judge if role is Role.JUDGE else design.author


def _of_templates(calls: Sequence[CallFact]) -> Iterable[Deviation]:
    versions: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for call in calls:
        for name, digest in call.template_hashes.items():
            versions[name][digest] += 1
    for name, counts in sorted(versions.items()):
        if len(counts) > 1:
            told = ", ".join(f"{digest[:12]} in {counted(count, 'call')}" for digest, count in counts.items())
            yield Deviation(DeviationKind.TEMPLATE, f"The prompt template {name} changed during the study: {told}.")


def _of_versions(design: StudyDesign, facts: Facts) -> Iterable[Deviation]:
    """Models that answered as another version than the design fixes, or as several where it fixes none."""
    answered: defaultdict[str, defaultdict[str, list[UUID]]] = defaultdict(lambda: defaultdict(list))
    for call in facts.calls:
        if call.model_reported:
            answered[call.model_asked][call.model_reported].append(call.run)
    labels = {run.id: run.label for run in facts.runs} | {one.id: one.label for one in facts.judgings}
    fixed = _fixed_versions(design, facts.judgings)
    for model, versions in sorted(answered.items()):
        version = fixed.get(model)
        strange = {name: runs for name, runs in versions.items() if not is_version(name, version)}
        if not strange and len(versions) == 1:
            continue
        told = ", ".join(_answered_as(name, runs) for name, runs in sorted((strange or versions).items()))
        says = f"; the design fixes {version}" if version else ""
        places = {run for runs in (strange or versions).values() for run in runs}
        run = places.pop() if len(places) == 1 else None
        yield Deviation(
            DeviationKind.VERSION, f"{model} answered as {told}{says}.", run, labels.get(run, "") if run else model
        )


def is_version(reported: str, fixed: str | None) -> bool:
    """Whether a model asked for as ``fixed`` may say that it is ``reported``: the same, or a dated version of it.

    Providers resolve ``m-5`` or ``m-5-latest`` to ``m-5-2026-08-01`` or ``m-5-20260801``. Without a fixed one, any may.
    """
    if fixed is None or reported == fixed:
        return True
    return bool(_DATED.fullmatch(reported.removeprefix(fixed.removesuffix("-latest"))))


def _fixed_versions(design: StudyDesign, judgings: Sequence[JudgingFact]) -> Mapping[str, str]:
    further = (one.judge for one in design.further_judges)
    checks = (one.plan.judge for one in judgings)
    choices = (*checks, *further, design.author, design.judge, *design.players)
    return {choice.model: choice.version for choice in choices if choice.version}


def _answered_as(version: str, runs: Sequence[UUID]) -> str:
    calls, among = len(runs), len(set(runs))
    return f"{version} in {counted(calls, 'call')} of {counted(among, 'run')}"


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."
