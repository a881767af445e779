"""What people wrote about a panel's items, read without quotations of what was redacted in the runs they come from."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from app.domain.engine.quotations import Prints
from app.domain.engine.redaction import masked_json
from app.domain.rating.answers import LONGEST_NOTE
from app.services.unit_of_work import Reading

Row = Mapping[str, Any]

WORDS: Mapping[str, tuple[str, ...]] = {
    "panel_amendments": ("before", "after", "reason"),
    "raters": ("remarks",),
    "assignments": ("draft",),
    "ratings": ("answer", "skip_note"),
    "adjudications": ("reason",),
}
"""The columns of a panel's tables that hold people's own words."""


def prints_about(look: Reading, source_ids: Iterable[str]) -> Prints:
    """What recognizes everything that was taken out of the studies a panel drew from; empty for nearly all."""
    return look.redactions.prints_of_studies(_studies(source_ids))


def masked_words(value: Any, prints: Prints) -> Any:
    """A text, or a JSON value with texts in it; a mask makes no note longer than a rater could have written it."""
    if not prints:
        return value
    masked = masked_json(value, prints)
    if isinstance(masked, dict) and isinstance(masked.get("note"), str):
        return {**masked, "note": masked["note"][:LONGEST_NOTE]}
    return masked


def masked_row(table: str, row: Row, prints: Prints) -> Row:
    """A row of one of a panel's tables as it may leave the house."""
    return {**row, **{name: masked_words(row[name], prints) for name in WORDS.get(table, ())}}


def _studies(source_ids: Iterable[str]) -> tuple[UUID, ...]:
    found = []
    for one in source_ids:
        try:
            found.append(UUID(one))
        except ValueError:  # a folder or a table, from which nothing can be redacted
            continue
    return tuple(found)
