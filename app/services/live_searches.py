"""What the judge of a live era looked up on the web, or that it could look up nothing."""

from dataclasses import dataclass
from uuid import UUID

from app.domain.engine.inputs import StepKind
from app.domain.engine.steps import step_key
from app.domain.ids import CallId
from app.domain.protocol.eras import Era, Mode
from app.services.call_pages import searches_in
from app.services.unit_of_work import Reading
from app.storage.calls import CallRecord


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The review's call; ``could`` says whether it could search at all, the counts what it looked for and found."""

    call_id: CallId
    could: bool
    queries: int = 0
    pages: int = 0


def could_not_search(reading: Reading, run_id: UUID, era: Era) -> bool:
    """Whether a live era's review was answered by a call that had no web search; its long answer is not read."""
    call = _answering_call(reading, run_id, era)
    return call is not None and not call.settings.get("web_search")


def looked_up(reading: Reading, run_id: UUID, era: Era) -> LookedUp | None:
    """What the call that answered a live era's review looked up; None without one, as for a review by hand."""
    call = _answering_call(reading, run_id, era)
    if call is None:
        return None
    if not call.settings.get("web_search"):
        return LookedUp(call.id, could=False)
    found = searches_in(call, reading.calls.texts(call.id)[1])
    return LookedUp(call.id, True, len(found.queries), len(found.pages)) if found else LookedUp(call.id, could=True)


def _answering_call(reading: Reading, run_id: UUID, era: Era) -> CallRecord | None:
    if era.mode is not Mode.LIVE:
        return None
    calls = reading.calls.of_key(run_id, step_key(era.id, StepKind.REVIEW))
    return next((call for call in reversed(calls) if call.state == "answered"), None)
