"""From a provider's word to the record: an artifact and the next step, another try, a wait, or an operator's turn."""

import random
from dataclasses import dataclass, replace
from datetime import timedelta

from app.domain.engine.answers import AnswerError, read_answer
from app.domain.engine.ledger import EventKind, body_hash, canonical
from app.domain.protocol.artifacts import Artifact
from app.providers.chat import ChatAnswer, ChatError, StopReason, Usage
from app.services.claiming import Performance, ask_operator, prepare_call
from app.services.limits import free_slot
from app.services.locked_run import LockedRun
from app.services.masked_texts import masked_text_told, masks_told
from app.services.moving import Origin, move_on, write_artifact
from app.services.pauses import PAUSED_SECONDS, pause_account
from app.services.registry import cost_of
from app.services.run_states import run_state
from app.services.unit_of_work import Work
from app.settings import get_settings
from app.storage.steps import Claim

MAX_TRIES = 2
"""Answers asked for before an operator is: the second is asked with what was wrong with the first."""

LONGEST_WAIT = timedelta(minutes=5)

_JITTER = random.SystemRandom()


def read_performance(performance: Performance, answer: ChatAnswer) -> Artifact:
    """The artifact in an answer. Raises AnswerError; a truncated or refused answer never becomes one."""
    if answer.stop is StopReason.TRUNCATED:
        raise AnswerError("the answer was cut off at its token limit; give the same content in fewer words")
    if answer.stop is StopReason.REFUSED:
        raise AnswerError("the model refused to answer")
    return read_answer(answer.text, performance.form, performance.given)


def record_artifact(
    work: Work, performance: Performance, answer: ChatAnswer, artifact: Artifact, claim: Claim | None
) -> Performance | None:
    """Write the artifact, owe what it unlocks, and with a claim take the first of that: its call is journaled here."""
    run = LockedRun(work, performance.lease.run_id, performance.seen)
    if performance.seen is not None:
        work.steps.leave_surely(performance.lease, "done", done_at=work.now, problem=None)
    elif not work.steps.leave(performance.lease, "done", done_at=work.now, problem=None):
        _discard(work, run, performance, answer)
        return None
    _end_call(work, run, performance, _ended(performance, "answered", answer))
    head, step = run.head, performance.step
    # before the artifact is written: what is read here is kept, and this transaction may yet fail
    before = run_state(work, head.id, head.study_id, head.number, head.steps_done)
    write_artifact(work, run, performance.lease.step_id, step, artifact, Origin(call_id=performance.call_id))
    moved = move_on(work, run, before.with_artifact(step.key, artifact), step.key, claim)
    following = None
    if moved.claimed:
        following = prepare_call(work, run, moved.state, *moved.claimed)
    _free_slot(work, performance, following)
    run.write()
    return following and following.left(run)


def record_misfit(work: Work, performance: Performance, answer: ChatAnswer, problem: str) -> Performance | None:
    """An answer that does not fit: asked for once more with the error, then the step needs an operator."""
    run = LockedRun(work, performance.lease.run_id)
    lease = performance.lease
    tries = lease.tries + 1
    if tries >= MAX_TRIES:
        held = work.steps.leave(lease, "needs_operator", tries=tries, problem=problem)
    else:
        held = work.steps.leave(lease, "claimed", tries=tries, problem=problem, attempts=lease.attempts + 1)
    if not held:
        _discard(work, run, performance, answer)
        return None
    _end_call(work, run, performance, _ended(performance, "refused", answer, error=problem))
    again = None
    if tries >= MAX_TRIES:
        ask_operator(run, performance.step, problem)
    else:
        retried = replace(lease, tries=tries, problem=problem, attempts=lease.attempts + 1)
        again = prepare_call(work, run, performance.state, performance.step, retried)
    _free_slot(work, performance, again)
    run.write()
    return again


def record_failure(work: Work, performance: Performance, failure: ChatError) -> None:
    """A call without an answer: the step waits in the database and is tried again, or needs an operator.

    An exhausted quota is nobody's failure: it pauses the account for every study, and the step waits for that to end.
    """
    run = LockedRun(work, performance.lease.run_id)
    lease = performance.lease
    failures = lease.failures + 1
    gives_up = not failure.quota and (failure.final or failures >= get_settings().call_failures)
    if failure.quota:
        pause_account(work, performance.entry, failure.reason)
        held = _wait_for_account(work, performance)
    elif gives_up:
        held = work.steps.leave(lease, "needs_operator", failures=failures, problem=failure.reason)
    else:
        due = work.now + _wait(failure, failures)
        # what was wrong with an answer is kept: the model is told it when it is asked again
        problem = lease.problem if lease.tries else failure.reason
        held = work.steps.leave(lease, "ready", failures=failures, problem=problem, not_before=due, sent_at=work.now)
    if not held:
        if _is_recorded(work, performance):
            return
        _uncount_lost(work, run, performance)
    response = canonical(failure.response_body) if failure.response_body else None
    end = _End("failed", response, failure.usage or Usage(), failure.reason, was_billed=_was_billed(failure))
    _end_call(work, run, performance, end)
    if gives_up and held:
        ask_operator(run, performance.step, failure.reason)
    _free_slot(work, performance, None)
    run.write()


def _was_billed(failure: ChatError) -> bool:
    """Whether a call without an answer cost something; where nobody knows, its reserved cost stays counted."""
    return failure.may_be_billed or (failure.usage is not None and failure.usage.tokens_in is not None)


def _wait_for_account(work: Work, performance: Performance) -> bool:
    due = work.now + timedelta(seconds=PAUSED_SECONDS)
    waits = {"not_before": due, "sent_at": work.now, "waits_for": performance.entry.name}
    return work.steps.leave(performance.lease, "ready", **waits)


def _free_slot(work: Work, performance: Performance, following: Performance | None) -> None:
    """The slot of an ended call goes to whoever waits longest, unless the thread's next call took it."""
    if following is None or following.entry.name != performance.entry.name:
        free_slot(work, performance.entry)


def _wait(failure: ChatError, failures: int) -> timedelta:
    """The provider's own word, else twice as long each time; with jitter, under a ceiling."""
    asked = failure.retry_after if failure.retry_after is not None else 2.0 ** (failures - 1)
    return min(timedelta(seconds=asked * _JITTER.uniform(1.0, 1.25)), max(LONGEST_WAIT, timedelta(seconds=asked)))


def _discard(work: Work, run: LockedRun, performance: Performance, answer: ChatAnswer) -> None:
    """An answer that came after its lease was lost: kept and counted, never the result."""
    end = _ended(performance, "discarded", answer, error="the answer came after the step's lease was lost")
    if _is_recorded(work, performance):
        return
    _uncount_lost(work, run, performance)
    _end_call(work, run, performance, end)
    run.write()


def _is_recorded(work: Work, performance: Performance) -> bool:
    """Whether an earlier try to record this call was committed after all, though the database seemed away."""
    return work.calls.get(performance.call_id).state not in {"sent", "lost"}


def _uncount_lost(work: Work, run: LockedRun, performance: Performance) -> None:
    """Take back what upkeep counted for a call it took for lost: its end is known now."""
    if work.calls.get(performance.call_id).state == "lost":
        run.add(tokens_in=-performance.tokens_estimated, cost_unknown=-1, calls_lost=-1)
        run.hold(performance.reserved.tokens, performance.reserved.cost_usd, presumed=True)


@dataclass(frozen=True, slots=True)
class _End:
    """How a call ended."""

    state: str
    response: str | None
    usage: Usage
    error: str | None
    model_reported: str | None = None
    stop: str | None = None
    was_billed: bool = True


def _ended(performance: Performance, state: str, answer: ChatAnswer, error: str | None = None) -> _End:
    return _End(state, canonical(answer.response_body), answer.usage, error, answer.model_reported, answer.stop.value)


def _end_call(work: Work, run: LockedRun, performance: Performance, end: _End) -> None:
    answered = end.state != "failed"
    cost = cost_of(performance.entry, end.usage) if end.was_billed else 0.0
    response_hash = body_hash(end.response) if end.response is not None else None
    usage = {name: getattr(end.usage, name) for name in Usage.__dataclass_fields__}
    work.calls.end(
        performance.call_id,
        end.state,
        work.now,
        response=end.response,
        response_hash=response_hash,
        error=end.error,
        model_reported=end.model_reported,
        stop=end.stop,
        cost_usd=cost,
        **usage,
    )
    told = {"call": str(performance.call_id), "step": performance.step.key, "outcome": end.state}
    counted = {"tokens_in": end.usage.tokens_in, "tokens_out": end.usage.tokens_out, "cost_usd": cost}
    masked = masked_text_told(masks_told(work, run.head), end.response)
    run.tell(EventKind.CALL_ENDED, {**told, **counted, "response_sha256": response_hash, **masked})
    tokens_in = end.usage.tokens_in
    if tokens_in is None and answered:
        tokens_in = performance.tokens_estimated
    run.add(tokens_in=tokens_in, tokens_out=end.usage.tokens_out, cost_usd=cost, cost_unknown=int(cost is None))
    run.release(performance.reserved.tokens, performance.reserved.cost_usd, presumed=cost is None)
