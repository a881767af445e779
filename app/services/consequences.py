"""What an intervention on a stuck step would change, said before it is made."""

from dataclasses import dataclass

from app.domain.engine.interventions import InterventionKind, skip_problem
from app.domain.protocol.budgets import Budget
from app.domain.protocol.presets import Preset
from app.services.claiming import choice_of
from app.services.interventions import StuckStep
from app.services.judged_runs import HARMLESS
from app.services.seats import seat_title
from app.services.unit_of_work import Reading
from app.storage.runs import RunRecord, Used

MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class ReachedBudget:
    """The budget that stopped a step: ``scope`` is run or study; what it is now and what was used of it."""

    scope: str
    budget: Budget
    used: Used
    hours: float
    waiting: int


@dataclass(frozen=True, slots=True)
class Consequences:
    """What each way of mending a step would change; ``skip_problem`` says why it may not be skipped, if it may not."""

    model: str
    temperature: float | None
    retry: tuple[str, ...]
    changed: tuple[str, ...]
    skip: tuple[str, ...]
    skip_problem: str | None
    by_hand: tuple[str, ...]
    reached: ReachedBudget | None


def consequences_of(look: Reading, stuck: StuckStep, run: RunRecord) -> Consequences:
    """Everything a step's page says before somebody intervenes."""
    asked = choice_of(stuck.step, stuck.state)
    again = f"{_calls_made(stuck.record.attempts)} {{}} is asked again, from the first try."
    later = _later(stuck)
    other = (
        "Only this step is asked of the other model; its calls say so. The design stays as it was launched.",
        *(_family_words(stuck)),
    )
    return Consequences(
        model=asked.model,
        temperature=asked.temperature,
        retry=(again.format(asked.model), mark_words(stuck.record.era, InterventionKind.RETRY)),
        changed=(
            again.format("The model you choose"), *other, mark_words(stuck.record.era, InterventionKind.RETRY_CHANGED)
        ),
        skip=(
            f"No {stuck.step.kind} of {seat_title(stuck.step, stuck.state)} will exist. A mark stands in its place.",
            f"What comes after is given what is there: {later}.",
            mark_words(stuck.record.era, InterventionKind.SKIP),
        ),
        skip_problem=skip_problem(stuck.step, stuck.state),
        by_hand=(
            f"The document is yours and names you. It is given to: {later}.",
            mark_words(stuck.record.era, InterventionKind.WRITE_BY_HAND),
        ),
        reached=_reached(look, stuck, run),
    )  # fmt: skip


def mark_words(era: str, kind: InterventionKind) -> str:
    """Where an intervention's mark stands, and which results leave the era out."""
    where = f"The mark stays on {era}, the run and every table, figure and export, for ever."
    if kind in HARMLESS:
        return f"{where} It changes no document, so results without interventions keep the era."
    return f"{where} Results without interventions leave {era} out."


def _calls_made(attempts: int) -> str:
    if not attempts:
        return "No call was made for this step yet."
    if attempts == 1:
        return "The call made for this step stays in the ledger and in the cost."
    return f"The {attempts} calls made for this step stay in the ledger and in the cost."


def _later(stuck: StuckStep) -> str:
    keys = [step.key for step in stuck.state.plan]
    plan = stuck.state.plan[keys.index(stuck.step.key) + 1 :]
    names = [
        f"{step.kind} ({seat_title(step, stuck.state)})"
        for step in plan
        if step.era == stuck.step.era and step.key not in stuck.state.artifacts and step.kind is not stuck.step.kind
    ]
    named = list(dict.fromkeys(names))
    if not named:
        return "the eras after this one"
    more = len(named) - MOST_NAMED
    return ", ".join(named[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "") + ", and the eras after this one"


def _family_words(stuck: StuckStep) -> tuple[str, ...]:
    design = stuck.state.design
    if design.preset is not Preset.CONTROLLED or (design.same_family_reason or "").strip():
        return ()
    return ("Judge and players must be of different families here too.",)


def _reached(look: Reading, stuck: StuckStep, run: RunRecord) -> ReachedBudget | None:
    scope = stuck.record.stopped_by
    if scope is None:
        return None
    budget, used = look.runs.budget(run.id) if scope == "run" else look.studies.budget(run.study_id)
    runs = (run.id,) if scope == "run" else tuple(one.id for one in look.runs.every(run.study_id))
    waiting = len(look.steps.stopped(runs, scope))
    return ReachedBudget(scope, budget, used, (look.now - used.since).total_seconds() / 3600, waiting)
