"""A call's page: the exact request and response, readable, with everything that is known of it."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.domain.engine.sources import documents_given, lessons_from
from app.providers.answered import written_text
from app.providers.searches import WebSearches, web_searches
from app.services.run_states import settled_state
from app.services.step_inputs import material_of
from app.services.unit_of_work import Reading
from app.storage.calls import CallRecord
from app.storage.runs import JUDGING, RunRecord
from app.storage.steps import StepRecord
from app.storage.studies import Study

SHOWN_CHARACTERS = 60_000


@dataclass(frozen=True, slots=True)
class Text:
    """A long text: the part that is shown, and its whole length in characters."""

    shown: str
    length: int

    @property
    def is_cut(self) -> bool:
        """Whether more was kept than is shown."""
        return self.length > len(self.shown)


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """What a prompt was made from: documents of the run by step key, the reviews behind its Playbook, and the rest."""

    documents: tuple[str, ...]
    lessons: int
    reviews: tuple[str, ...]
    known: int
    outcomes: int


@dataclass(frozen=True, slots=True)
class CallView:
    """One attempt with its step, run and study; ``messages`` are the readable parts of the request."""

    call: CallRecord
    step: StepRecord
    run: RunRecord
    study: Study
    attempts: tuple[CallRecord, ...]
    messages: tuple[tuple[str, Text], ...]
    answer: Text | None
    request: Text
    response: Text | None
    seconds: float | None
    searches: WebSearches | None
    others: tuple[RunRecord, ...]
    made_from: MadeFrom


def show_call(reading: Reading, call_id: UUID) -> CallView:
    """One call. Raises NotFoundError."""
    call = reading.calls.get(call_id)
    request, response = reading.calls.texts(call_id)
    run = reading.runs.get(call.run_id)
    answer = answer_in(response)
    step = reading.steps.get(call.step_id)
    return CallView(
        call=call,
        step=step,
        run=run,
        study=reading.studies.get(run.study_id),
        attempts=reading.calls.of_step(call.step_id),
        messages=tuple((role, cut(text)) for role, text in _messages(request)),
        answer=cut(readable(answer)) if answer else None,
        request=cut(request),
        response=cut(response) if response is not None else None,
        seconds=(call.ended_at - call.started_at).total_seconds() if call.ended_at else None,
        searches=searches_in(call, response),
        others=tuple(one for one in reading.runs.of_study(run.study_id) if one.id != run.id),
        made_from=_made_from(reading, run, step, call),
    )


def _made_from(reading: Reading, run: RunRecord, step: StepRecord, call: CallRecord) -> MadeFrom:
    """Told from the step's material, made anew from the run; a sitting of a judging names what it judges by itself."""
    if run.kind == JUDGING:
        return MadeFrom(call.sources, 0, (), 0, 0)
    state = settled_state(reading, run)
    planned = next(one for one in state.plan if one.key == step.key)
    given = material_of(reading, run.study_id, state, planned)
    return MadeFrom(
        documents=documents_given(given, state),
        lessons=len(given.playbook.lessons) if given.playbook else 0,
        reviews=lessons_from(given, state),
        known=len(given.known) + len(given.next_known),
        outcomes=len(given.outcomes),
    )


def answer_in(response: str | None) -> str | None:
    """The text a model wrote, from the body of a response of any API; None where there is none."""
    body = _loaded(response)
    return written_text(body) if isinstance(body, dict) else None


def readable(answer: str) -> str:
    """JSON laid out for reading; anything else as it is."""
    found = _loaded(answer)
    return answer if found is None else json.dumps(found, indent=2, ensure_ascii=False)


def cut(text: str) -> Text:
    """The part of a text that a page shows."""
    return Text(text[:SHOWN_CHARACTERS], len(text))


def _messages(request: str) -> list[tuple[str, str]]:
    body = _loaded(request)
    if not isinstance(body, dict):
        return []
    names = ("system", "instructions", "prompt", "input")
    found = [(name, body[name]) for name in names if isinstance(body.get(name), str)]
    sent = (message for message in body.get("messages") or [] if isinstance(message, dict))
    found += [(str(one.get("role", "message")), one["content"]) for one in sent if isinstance(one.get("content"), str)]
    return found


def searches_in(call: CallRecord, response: str | None) -> WebSearches | None:
    """What a call looked up on the web; None for one that could not."""
    if not call.settings.get("web_search"):
        return None
    body = _loaded(response)
    return web_searches(body) if isinstance(body, dict) else None


def _loaded(text: str | None) -> Any:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
