"""An account that ran out pauses all models behind it, for every study, until somebody resumes one of them."""

from dataclasses import dataclass
from datetime import datetime

from app.domain.ids import UserId
from app.jobs import Job
from app.providers.registry import ModelEntry
from app.services.errors import RefusedError
from app.services.limits import NotNowError
from app.services.locked_run import LockedRun
from app.services.registry import model_entry, registered_models
from app.services.unit_of_work import Reading, Work
from app.storage.pauses import Pause

PAUSED_SECONDS = 600.0
"""How often a waiting step looks again by itself; resuming wakes it at once."""

MOST_WOKEN = 10_000


@dataclass(frozen=True, slots=True)
class PausedAccount:
    """One pause: the models behind the account, the provider's reason, and how many steps wait for them."""

    model: str
    models: tuple[str, ...]
    reason: str
    paused_at: datetime
    steps_waiting: int


def pauses(look: Reading) -> tuple[PausedAccount, ...]:
    """Every account paused now, the longest first."""
    return tuple(
        PausedAccount(one.model, _models(one), one.reason, one.paused_at, look.steps.waiting_for(_models(one)))
        for one in look.pauses.current()
    )


def pause_account(work: Work, entry: ModelEntry, reason: str) -> None:
    """Pause the account behind a model, whose quota or spending limit is exhausted."""
    work.pauses.begin(work.new_id(), Pause(account_of(entry), entry.name, reason, work.now))


def resume_model(work: Work, name: str, by: UserId | None = None) -> int:
    """End the pause of the account behind a model; gives how many waiting steps were woken.

    Raises RefusedError if it is not paused.
    """
    paused = next((one for one in work.pauses.current() if name in _models(one)), None)
    if paused is None or not work.pauses.end(paused.account, work.now, by):
        raise RefusedError(f"{name} is not paused, or somebody resumed it. Nothing was changed.")
    woken = work.steps.wake(_models(paused), limit=MOST_WOKEN)
    for step_id in woken:
        work.enqueue(Job.PERFORM_STEP, step_id)
    return len(woken)


def refuse_paused(work: Work, run: LockedRun, name: str) -> None:
    """Raise NotNowError if the account behind a model is paused; looks only where anything is."""
    if not run.head.has_pauses:
        return
    account = account_of(model_entry(name))
    if any(pause.account == account for pause in work.pauses.current()):
        raise NotNowError(PAUSED_SECONDS, name)


def account_of(entry: ModelEntry) -> str:
    """Who is billed: models of one endpoint and key run out together."""
    return " ".join(part for part in (entry.provider, entry.endpoint, entry.key_variable) if part)


def _models(pause: Pause) -> tuple[str, ...]:
    behind = {entry.name for entry in registered_models() if account_of(entry) == pause.account}
    return tuple(sorted(behind | {pause.model}))
