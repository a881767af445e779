"""From a request and its rule to the reply that goes out, right or wrong."""

import json
from dataclasses import replace
from typing import Any

from app.providers.fake_server.answers import answer_to
from app.providers.fake_server.dialects import STATUS, Answered, Asked, Dialect, Ending, Trouble
from app.providers.fake_server.faults import Fault, Rule
from app.providers.fake_server.listening import Manner, Reply

CHARACTERS_PER_TOKEN = 4
HUGE_BYTES = 5 * 1024 * 1024
CUT_TOKENS = 2_048
REFUSAL = "I cannot help with that."
TROUBLES = {
    Fault.RATE_LIMITED: (Trouble.RATE_LIMITED, "Rate limit reached. Try again later."),
    Fault.QUOTA: (Trouble.QUOTA, "You exceeded your current quota, please check your plan and billing details."),
    Fault.OVERLOADED: (Trouble.OVERLOADED, "Overloaded"),
    Fault.SERVER_ERROR: (Trouble.SERVER_ERROR, "The server had an error while processing your request."),
}
MANNERS = {Fault.HANG: Manner.HANG, Fault.DRIP: Manner.DRIP, Fault.CUT: Manner.CUT}


def reply_to(dialect: Dialect, asked: Asked, rule: Rule, number: int) -> Reply:
    """The reply to one request by its rule."""
    if rule.fault in TROUBLES:
        trouble, message = TROUBLES[rule.fault]
        headers = {"retry-after": f"{rule.retry_after:g}"} if trouble is Trouble.RATE_LIMITED else {}
        return trouble_reply(dialect, trouble, message, headers)
    if rule.fault is Fault.NOT_JSON:
        return Reply(status=200, body=b"<html><body>Bad gateway</body></html>")
    answered = _answered(asked, number, rule.fault)
    if rule.fault is not Fault.ANSWER:
        answered = _spoiled(answered, asked, rule.fault)
    body = json.dumps(dialect.answer(asked, answered)).encode()
    return Reply(status=200, body=body, manner=MANNERS.get(rule.fault, Manner.WHOLE), seconds=rule.seconds)


def trouble_reply(dialect: Dialect, trouble: Trouble, message: str, headers: dict[str, str] | None = None) -> Reply:
    """An error in the API's own form."""
    body = json.dumps(dialect.error(trouble, message)).encode()
    return Reply(status=STATUS[trouble], body=body, headers=headers or {})


def _answered(asked: Asked, number: int, fault: Fault) -> Answered:
    is_out = fault is Fault.OUT_OF_RANGE
    text = answer_to(asked.schema, asked.prompt, out_of_range=is_out) if asked.schema else "Well received."
    return Answered(
        number=number,
        text=text,
        ending=Ending.WHOLE,
        tokens_in=-(-len(asked.prompt) // CHARACTERS_PER_TOKEN),
        tokens_out=-(-len(text) // CHARACTERS_PER_TOKEN),
    )


def _spoiled(answered: Answered, asked: Asked, fault: Fault) -> Answered:
    """The answer with what the fault does to it."""
    text = answered.text
    changes: dict[Fault, dict[str, Any]] = {
        Fault.FENCED: {"text": f"Here is the answer:\n\n```json\n{text}\n```\n"},
        Fault.TRUNCATED: {"text": text[: len(text) * 2 // 3], "ending": Ending.TRUNCATED},
        Fault.REFUSAL: {"text": REFUSAL, "ending": Ending.REFUSED},
        Fault.UNFIT_TEXT: {"text": text.replace("for request", "for\\u0000request\ud800")},
        Fault.WRONG_USAGE: {"tokens_in": 999_999_999, "tokens_out": -5},
        Fault.CUT_CONTEXT: {"tokens_in": min(len(asked.prompt) // 10, CUT_TOKENS)},
    }
    if fault is Fault.HUGE:
        return replace(answered, text=text + " " * HUGE_BYTES)
    return replace(answered, **changes.get(fault, {}))
