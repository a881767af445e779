"""What the three APIs share: what was asked, what is answered, and the schema in a prompt."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

QUERY = "what is done today"
"""The query of every fake web search."""
_IN_PROMPT = re.compile(r"```json schema\n(.*?)\n```", re.DOTALL)


class Ending(StrEnum):
    """How an answer ends."""

    WHOLE = "whole"
    TRUNCATED = "truncated"
    REFUSED = "refused"


class Trouble(StrEnum):
    """An error response."""

    RATE_LIMITED = "rate_limited"
    QUOTA = "quota"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    BAD_REQUEST = "bad_request"


STATUS = {
    Trouble.RATE_LIMITED: 429,
    Trouble.QUOTA: 429,
    Trouble.OVERLOADED: 529,
    Trouble.SERVER_ERROR: 500,
    Trouble.BAD_REQUEST: 400,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, whichever API it came by."""

    model: str
    prompt: str
    schema: Mapping[str, Any] | None
    schema_name: str
    searches: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer, for whichever API."""

    number: int
    text: str
    ending: Ending
    tokens_in: int
    tokens_out: int


class Dialect(Protocol):
    """One API."""

    def read(self, body: Mapping[str, Any]) -> Asked:
        """What a request asks. Raises KeyError, TypeError or ValueError if it is malformed."""
        ...

    def answer(self, asked: Asked, answered: Answered) -> Mapping[str, Any]:
        """The body of an answer."""
        ...

    def error(self, trouble: Trouble, message: str) -> Mapping[str, Any]:
        """The body of an error."""
        ...


def schema_in(prompt: str) -> Mapping[str, Any] | None:
    """The last schema that is written into a prompt, or None."""
    found = _IN_PROMPT.findall(prompt)
    schema = json.loads(found[-1]) if found else None
    return schema if isinstance(schema, dict) else None


def words_of(content: Any) -> str:
    """The text of a content that is a string or a list of parts."""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or ())
