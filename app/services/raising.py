"""Raising a budget that was reached: an intervention in every run it lets go on."""

from uuid import UUID

from app.domain.engine.budgets import lowered
from app.domain.engine.interventions import InterventionKind
from app.domain.protocol.budgets import Budget
from app.services.budgets import RUN, STUDY
from app.services.interventions import begin_anew
from app.services.locked_run import LockedRun
from app.services.marks import InterventionRefusedError, Wish, leave_mark
from app.services.unit_of_work import Work

OPEN = ("running", "paused")


def raise_run_budget(work: Work, run_id: UUID, wish: Wish, budget: Budget, seen: Budget) -> None:
    """Put a higher budget in the place of the one that was seen; what it stopped goes on.

    Raises InterventionRefusedError if a bound is lower than before or new, the run has ended, or somebody else raised
    the budget meanwhile.
    """
    run = LockedRun(work, run_id)
    if run.head.state not in OPEN:
        raise InterventionRefusedError(f"The run is {run.head.state} by now. Nothing was changed.")
    before, _ = work.runs.budget(run.head.id)
    _require_raise(before, budget, seen)
    run.set(budget=budget.model_dump(mode="json"))
    _go_on(work, run, wish, RUN, before, budget)


def raise_study_budget(work: Work, study_id: UUID, wish: Wish, budget: Budget, seen: Budget) -> None:
    """Put a higher budget in the place of the one that was seen; every run that goes on is marked and goes on.

    Raises InterventionRefusedError if a bound is lower than before or new, or somebody else raised it meanwhile.
    """
    study = work.studies.get(study_id)
    runs = [LockedRun(work, run.id) for run in work.runs.every(study_id) if run.state in OPEN]
    before, _ = work.studies.lock_budget(study.id)
    _require_raise(before, budget, seen)
    work.studies.set_budget(study.id, budget)
    for run in runs:
        if run.head.state in OPEN:
            _go_on(work, run, wish, STUDY, before, budget)


def raise_for_step(work: Work, step_id: UUID, wish: Wish, budget: Budget, seen: Budget) -> None:
    """Raise the budget that stopped a step, ``seen`` being the one that was to be raised.

    Raises InterventionRefusedError if none stops it (any more), or for what the two above refuse.
    """
    record = work.steps.get(step_id)
    run = work.runs.get(record.run_id)
    if record.state != "needs_operator" or record.stopped_by is None:
        raise InterventionRefusedError("No budget stops this step by now: somebody mended it. Nothing was changed.")
    if record.stopped_by == RUN:
        raise_run_budget(work, run.id, wish, budget, seen)
    else:
        raise_study_budget(work, run.study_id, wish, budget, seen)


def _require_raise(before: Budget, after: Budget, seen: Budget) -> None:
    if before != seen:
        raise InterventionRefusedError(
            f"Somebody raised this budget since you opened the page: it is {before.words} now. Nothing was changed. "
            "Send this again if you still want it."
        )
    names = lowered(before, after)
    if names:
        raise InterventionRefusedError(f"{', '.join(names)}: a budget can only be raised, or a bound be dropped.")
    if before == after:
        raise InterventionRefusedError("The budget is that already. Nothing was changed.")


def _go_on(work: Work, run: LockedRun, wish: Wish, scope: str, before: Budget, after: Budget) -> None:
    changes = {name: {"scope": scope, "budget": one.model_dump(mode="json")} for name, one in _pair(before, after)}
    leave_mark(work, run, InterventionKind.RAISE_BUDGET, wish, None, before=changes["before"], after=changes["after"])
    for record in work.steps.stopped((run.head.id,), scope):
        begin_anew(work, record)
    run.write()


def _pair(before: Budget, after: Budget) -> tuple[tuple[str, Budget], tuple[str, Budget]]:
    return ("before", before), ("after", after)
