"""What the fake provider does wrong, and the script that says when."""

from collections import Counter
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Fault(StrEnum):
    """One way to answer; ``answer`` is the right one."""

    ANSWER = "answer"
    RATE_LIMITED = "rate_limited"
    QUOTA = "quota"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    HANG = "hang"
    DRIP = "drip"
    CUT = "cut"
    FENCED = "fenced"
    TRUNCATED = "truncated"
    REFUSAL = "refusal"
    OUT_OF_RANGE = "out_of_range"
    UNFIT_TEXT = "unfit_text"
    HUGE = "huge"
    WRONG_USAGE = "wrong_usage"
    CUT_CONTEXT = "cut_context"
    NOT_JSON = "not_json"


FAULTS = frozenset(Fault)


class Rule(BaseModel):
    """A fault and when it happens; every condition that is given must hold.

    ``nth`` counts requests to the server from 1, ``every`` takes each n-th, ``times`` is how often the rule applies at
    most. ``retry_after`` is in seconds; ``seconds`` is how long a hang lasts or how far a drip's bytes lie apart.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    fault: Fault
    nth: tuple[int, ...] = ()
    every: Annotated[int, Field(ge=1)] | None = None
    model: str | None = None
    schema_name: str | None = None
    contains: str | None = Field(default=None, description="text that stands in the prompt")
    times: Annotated[int, Field(ge=1)] | None = None
    retry_after: Annotated[float, Field(ge=0)] = 1.0
    seconds: Annotated[float, Field(ge=0)] = 10.0


AS_ASKED = Rule(fault=Fault.ANSWER)


class Script(BaseModel):
    """Rules in order, the first that holds applies; with none the provider answers, after ``latency`` seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rules: tuple[Rule, ...] = ()
    latency: Annotated[float, Field(ge=0)] | None = None


class Director:
    """Says for each request which rule applies; counts how often each did."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._applied: Counter[int] = Counter()

    def rule_for(self, number: int, model: str, schema_name: str, prompt: str, asked_for: str | None) -> Rule:
        """The rule of a request.

        A fault asked for by header, or by the model's name as in ``any+quota``, goes before the script. An unknown
        name is no fault.
        """
        wanted = asked_for or model.rpartition("+")[2]
        if wanted in FAULTS:
            return Rule(fault=Fault(wanted))
        for index, rule in enumerate(self.script.rules):
            if self._holds(index, rule, number, model, schema_name, prompt):
                self._applied[index] += 1
                return rule
        return AS_ASKED

    def _holds(self, index: int, rule: Rule, number: int, model: str, schema_name: str, prompt: str) -> bool:
        return (
            (not rule.nth or number in rule.nth)
            and (rule.every is None or number % rule.every == 0)
            and (rule.model is None or rule.model == model)
            and (rule.schema_name is None or rule.schema_name == schema_name)
            and (rule.contains is None or rule.contains in prompt)
            and (rule.times is None or self._applied[index] < rule.times)
        )
