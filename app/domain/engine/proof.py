"""Whether what is kept of a run is what its ledger says: event by event, then the run's own sums."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose

from app.domain.engine.ledger import GENESIS, EventKind, LedgerEvent, misfit_of

MONEY_TOLERANCE = 1e-6
"""US$ that sums of floating-point numbers may be off by."""


@dataclass(frozen=True, slots=True)
class CallEvidence:
    """A call as it is kept; each ``…_sha256`` is computed anew from the text, each ``…_kept`` is the hash beside it."""

    attempt: int
    model: str
    state: str
    request_sha256: str
    request_kept: str
    templates_sha256: str
    response_sha256: str | None
    response_kept: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_estimated: int
    tokens_reserved: int
    cost_reserved: float | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class ArtifactEvidence:
    """A document as it is kept; ``sha256`` is computed anew, ``kept`` is the hash beside it."""

    key: str
    sha256: str
    kept: str


@dataclass(frozen=True, slots=True)
class InterventionEvidence:
    """An intervention as it is kept; ``sha256`` of its texts is computed anew."""

    kind: str
    author: str
    sha256: str


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """Everything kept of a run, by id; ``redacted`` are the documents whose text an intervention took out.

    ``plan_sha256`` is computed anew from a judging's plan; a run that was played has none.
    """

    number: int
    study: str
    design_sha256: str
    design_kept: str
    events: Sequence[LedgerEvent]
    head: str
    length: int
    calls: Mapping[str, CallEvidence]
    artifacts: Mapping[str, ArtifactEvidence]
    interventions: Mapping[str, InterventionEvidence]
    redacted: frozenset[str]
    sums: Mapping[str, float]
    plan_sha256: str | None = None


def misfits(run: RunEvidence) -> Iterator[str]:
    """Everything that does not fit, the first event first; nothing for a sound run."""
    broken, linked = _first_broken(run)
    # how calls ended is told last: behind a broken link it is not known
    last_ends = {} if broken else {event.body["call"]: event.seq for event in linked if _ends_a_call(event)}
    for event in linked:
        for problem in _content(event, run, last_ends):
            yield f"event {event.seq} ({event.kind}): {problem}"
    if broken:
        yield broken
    else:
        yield from _untold(run)
        yield from _wrong_sums(run)


def _first_broken(run: RunEvidence) -> tuple[str | None, Sequence[LedgerEvent]]:
    """Where the chain breaks, if it does, and the events before; what follows a broken link proves nothing."""
    previous = GENESIS
    for position, event in enumerate(run.events, start=1):
        broken = misfit_of(event, position, previous)
        if broken:
            return broken, run.events[: position - 1]
        previous = event.hash
    if previous == run.head and len(run.events) == run.length:
        return None, run.events
    missing = len(run.events) + 1
    return f"event {missing} is missing: the chain ends before the event that the run names as its last", run.events


def _ends_a_call(event: LedgerEvent) -> bool:
    return event.kind is EventKind.CALL_ENDED


def _content(event: LedgerEvent, run: RunEvidence, last_ends: Mapping[object, int]) -> Iterator[str]:
    match event.kind:
        case EventKind.RUN_PLANNED:
            yield from _planned(event, run)
        case EventKind.CALL_SENT | EventKind.CALL_ENDED:
            call = run.calls.get(str(event.body["call"]))
            if call is None:
                yield f"call {event.body['call']} is gone"
            elif event.kind is EventKind.CALL_SENT:
                yield from _sent(event, call)
            elif last_ends.get(event.body["call"]) == event.seq:
                yield from _ended(event, call)
        case EventKind.ARTIFACT_WRITTEN:
            yield from _written(event, run)
        case EventKind.INTERVENTION:
            name = str(event.body["intervention"])
            told = InterventionEvidence(*(str(event.body[field]) for field in ("kind", "author", "sha256")))
            if run.interventions.get(name) != told:
                yield f"intervention {name} is gone or was changed"
        case _:  # that an operator was needed, or the run finished, leaves nothing to compare
            pass


def _planned(event: LedgerEvent, run: RunEvidence) -> Iterator[str]:
    if event.body["design_sha256"] != run.design_sha256 or run.design_kept != run.design_sha256:
        yield "the study's design was changed after launch"
    if (event.body["study"], event.body["run"]) != (run.study, run.number):
        yield "the run was moved to another study or number"
    if event.body.get("plan_sha256") != run.plan_sha256:
        yield "the judging's plan was changed after its start"


def _sent(event: LedgerEvent, call: CallEvidence) -> Iterator[str]:
    name = event.body["call"]
    if not event.body["request_sha256"] == call.request_sha256 == call.request_kept:
        yield f"the request of call {name} was changed"
    if (event.body["attempt"], event.body["model"]) != (call.attempt, call.model):
        yield f"the attempt or model of call {name} was changed"
    if event.body.get("templates_sha256", call.templates_sha256) != call.templates_sha256:
        yield f"the prompt templates' hashes of call {name} were changed"


def _ended(event: LedgerEvent, call: CallEvidence) -> Iterator[str]:
    name = event.body["call"]
    if event.body["outcome"] != call.state:
        yield f"call {name} is kept as {call.state}, it ended as {event.body['outcome']}"
    if not event.body.get("response_sha256") == call.response_sha256 == call.response_kept:
        yield f"the response of call {name} was changed"
    for field in ("tokens_in", "tokens_out", "cost_usd"):
        if event.body.get(field, getattr(call, field)) != getattr(call, field):
            yield f"{field} of call {name} was changed"


def _written(event: LedgerEvent, run: RunEvidence) -> Iterator[str]:
    name = str(event.body["artifact"])
    artifact = run.artifacts.get(name)
    if artifact is None:
        yield f"document {event.body['step']} is gone"
    elif event.body["sha256"] != artifact.kept or event.body["step"] != artifact.key:
        yield f"the hash or place of document {event.body['step']} was changed"
    elif artifact.sha256 != artifact.kept and name not in run.redacted:
        yield f"document {artifact.key} was changed"


def _untold(run: RunEvidence) -> Iterator[str]:
    """What is kept and no event tells of."""
    for noun, kept, kind, field in (
        ("call", run.calls, EventKind.CALL_SENT, "call"),
        ("document", run.artifacts, EventKind.ARTIFACT_WRITTEN, "artifact"),
        ("intervention", run.interventions, EventKind.INTERVENTION, "intervention"),
    ):
        told = {event.body[field] for event in run.events if event.kind is kind}
        yield from (f"no event tells of {noun} {name}" for name in kept if name not in told)


def _wrong_sums(run: RunEvidence) -> Iterator[str]:
    for name, wanted in _sums(run).items():
        if not isclose(run.sums[name], wanted, rel_tol=0.0, abs_tol=MONEY_TOLERANCE):
            yield f"the run's {name} is {run.sums[name]:g}, what is kept adds up to {wanted:g}"


def _sums(run: RunEvidence) -> dict[str, float]:
    calls = run.calls.values()
    open_calls = [call for call in calls if call.state == "sent"]
    ended = [call for call in calls if call.state != "sent"]
    unpriced = [call for call in ended if call.cost_usd is None]
    return {
        "steps_done": len(run.artifacts),
        "calls_made": len(run.calls),
        "calls_lost": sum(call.state == "lost" for call in calls),
        "tokens_in": sum(map(_tokens_in, ended)),
        "tokens_out": _added(ended, lambda call: call.tokens_out),
        "cost_usd": _added(ended, lambda call: call.cost_usd),
        "cost_unknown": len(unpriced),
        "cost_presumed": _added(unpriced, lambda call: call.cost_reserved),
        "tokens_reserved": _added(open_calls, lambda call: call.tokens_reserved),
        "cost_reserved": _added(open_calls, lambda call: call.cost_reserved),
        "interventions": len(run.interventions),
    }


def _tokens_in(call: CallEvidence) -> int:
    """What the provider said, else the estimate; a failed call took none."""
    if call.tokens_in is not None:
        return call.tokens_in
    return 0 if call.state == "failed" else call.tokens_estimated


def _added(calls: Sequence[CallEvidence], amount: Callable[[CallEvidence], float | None]) -> float:
    return sum(amount(call) or 0 for call in calls)
