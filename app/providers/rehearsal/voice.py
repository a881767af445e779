"""The rehearsal voice behind the chat door: it answers with the artifact its step wants, as JSON text."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from app.domain.engine.inputs import StepInput, StepKind
from app.providers.chat import ChatAnswer, ChatRequest, ExactRequest, StopReason, Usage
from app.providers.rehearsal.attacks import write_attack
from app.providers.rehearsal.briefings import write_briefing
from app.providers.rehearsal.decisions import write_board, write_decision
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.guesses import write_choice, write_guess
from app.providers.rehearsal.memos import write_memo
from app.providers.rehearsal.readings import write_reading
from app.providers.rehearsal.reviews import write_review
from app.providers.rehearsal.temperaments import Temperament, temperament_of
from app.providers.rehearsal.voices import write_critique, write_note, write_reply

CHARACTERS_PER_TOKEN = 4
Writer = Callable[[StepInput, Temperament, Draws], BaseModel]
WRITERS: Mapping[StepKind, Writer] = {
    StepKind.BRIEFING: write_briefing,
    StepKind.MEMO: write_memo,
    StepKind.NOTE: write_note,
    StepKind.ATTACK: write_attack,
    StepKind.REPLY: write_reply,
    StepKind.DRAFT: write_decision,
    StepKind.CRITIQUE: write_critique,
    StepKind.DECISION: write_decision,
    StepKind.BOARD: write_board,
    StepKind.REVIEW: write_review,
    StepKind.READING: write_reading,
    StepKind.GUESS: write_guess,
    StepKind.RECALL: write_choice,
}


class Rehearsal:
    """A Chat without a provider; ``pace_seconds`` is how long each answer takes, 0 for none."""

    def __init__(self, *, pace_seconds: float = 0.0) -> None:
        self._pace_seconds = pace_seconds

    def wire_request(self, request: ChatRequest) -> Mapping[str, Any]:
        """What stands in the journal: the texts of the request, as a provider would have got them."""
        return {
            "model": request.model,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.prompt},
            ],
            "schema_name": request.schema_name,
            "rehearsal": True,
        }

    def answer(self, request: ChatRequest, exact: ExactRequest) -> ChatAnswer:
        """The artifact as JSON; the same for the same seed, step and model."""
        if self._pace_seconds > 0:
            time.sleep(self._pace_seconds)  # noqa: TID251 - the pace is what the voice imitates; nothing is waited for
        step = request.step
        draws = Draws(request.seed, step.key, request.model)
        text = WRITERS[step.kind](step, temperament_of(request.model), draws).model_dump_json()
        usage = Usage(
            tokens_in=_tokens(request.system) + _tokens(request.prompt),
            tokens_out=_tokens(text),
            tokens_cached=0,
            tokens_reasoning=0,
        )
        return ChatAnswer(
            text=text,
            stop=StopReason.COMPLETE,
            usage=usage,
            model_reported=request.model,
            response_body={"rehearsal": True, "text": text},
        )


def _tokens(text: str) -> int:
    """An estimate: a token for every four characters, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)
