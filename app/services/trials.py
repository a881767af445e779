"""Trying a model: one small call outside any study, and what came back, without its key."""

import time
from dataclasses import dataclass

from app.domain.engine.inputs import Role, StepInput, StepKind, Wanted
from app.domain.ids import StepKey
from app.library.reader import layers, roster, schedules
from app.providers.chat import Chat, ChatError, ChatRequest, Usage, ask
from app.providers.registry import ModelEntry, voice
from app.providers.wire import Deadlines
from app.services.errors import RefusedError
from app.services.registry import cost_of, model_entry
from app.settings import SettingsProblem, provider_key

DEADLINES = Deadlines(connect=5.0, read=45.0, total=60.0)
MOST_TOKENS = 1_000
SHOWN_CHARACTERS = 2_000
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one call: a text with why it stopped, or the problem; ``key_is_set`` None where none is needed."""

    model: str
    key_variable: str | None
    key_is_set: bool | None
    problem: str | None
    text: str
    stop: str | None
    model_reported: str | None
    usage: Usage
    cost_usd: float | None
    seconds: float


def try_model(name: str) -> Trial:
    """Send one small call now. Raises RefusedError for a rehearsal model, UnknownModelError for none.

    Nothing is kept, and it counts in no study. A key that the endpoint should repeat is blotted out.
    """
    entry = model_entry(name)
    if entry.is_rehearsal:
        raise RefusedError(f"{name} answers in process; the rehearsal study shows what it says.")
    try:
        key = provider_key(entry.key_variable) if entry.key_variable else None
    except SettingsProblem as problem:
        raise RefusedError(str(problem)) from problem
    return _asked(entry, key, voice(entry, key=key, deadlines=DEADLINES))


def _asked(entry: ModelEntry, key: str | None, chat: Chat) -> Trial:
    began = time.monotonic()
    text, stop, reported, usage, problem = "", None, None, Usage(), None
    try:
        answer = ask(chat, _request(entry))
        text, stop, reported, usage = answer.text, answer.stop.value, answer.model_reported, answer.usage
    except ChatError as failure:
        problem, usage = failure.reason, failure.usage or Usage()
    return Trial(
        model=entry.name,
        key_variable=entry.key_variable,
        key_is_set=None if entry.key_variable is None else key is not None,
        problem=_blotted(problem, key) if problem else None,
        text=_blotted(text, key)[:SHOWN_CHARACTERS],
        stop=stop,
        model_reported=_blotted(reported, key) if reported else None,
        usage=usage,
        cost_usd=cost_of(entry, usage),
        seconds=time.monotonic() - began,
    )


def _request(entry: ModelEntry) -> ChatRequest:
    step = StepInput(
        key=StepKey("try"),
        kind=StepKind.MEMO,
        role=Role.PLAYER,
        era=schedules()[0].eras[0],
        layers=layers(),
        roster=roster(),
        wanted=Wanted(),
    )
    return ChatRequest(
        model=entry.wire_model,
        system="You are being tried out. Answer in one short sentence.",
        prompt="Which model are you, and are you ready?",
        schema_name="trial",
        schema=SCHEMA,
        temperature=1.0 if entry.features.temperature else None,
        max_tokens=MOST_TOKENS,
        step=step,
        seed="try",
    )


def _blotted(text: str, key: str | None) -> str:
    return text.replace(key, "[key]") if key else text
