"""Whether a table of ratings seems to lie on its side."""

from __future__ import annotations

from app.imports.rating_columns import Columns, looks_like_raters
from app.imports.rating_tables import Collected

FEWEST_COLUMNS = 6
TIMES = 2


def question_about(layout: str, collected: Collected, columns: Columns) -> str | None:
    """Ask when rows look like raters: they are named so, or columns are many, far more than rows, and not so named."""
    items, raters = len(collected.items), len(collected.raters)
    named = columns.headed and looks_like_raters(collected.raters)
    rows_named = columns.rows_are_raters or (columns.headed and looks_like_raters(collected.items))
    lopsided = raters >= FEWEST_COLUMNS and raters >= TIMES * items
    if named or not (rows_named or lopsided):
        return None
    side = "columns" if layout == "wide" else "names in the rater column"
    return (
        f"There are {raters} {side} and only {items} items: this looks as if raters and items had changed places. "
        "Are the rows raters and the columns items?"
    )
