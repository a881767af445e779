"""The text a model wrote, found in the body of a response whichever API it came by."""

from collections.abc import Mapping
from typing import Any

from app.providers.bodies import table, tables, text_or_none
from app.providers.completion import said_in_content
from app.providers.messages import said_in_blocks
from app.providers.responses import said_in_items


def written_text(body: Mapping[str, Any]) -> str | None:
    """The text in a body of Chat Completions, Messages, Responses or the rehearsal; None if it holds none.

    Words of a refusal are no answer.
    """
    choices = tables(body.get("choices"))
    if choices:
        return said_in_content(table(choices[0].get("message")).get("content")) or None
    if isinstance(body.get("output"), list):
        return said_in_items(tables(body["output"])) or None
    if isinstance(body.get("content"), list):
        return said_in_blocks(tables(body["content"])) or None
    return text_or_none(body.get("text"))
