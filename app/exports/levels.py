"""The levels that can be exported, in the order of their page, and the data dictionary."""

from collections.abc import Mapping

from app.exports.level_shapes import DIMENSIONS, Level, Shape
from app.exports.levels_of_judging import JUDGING_LEVELS
from app.exports.levels_of_runs import RUN_LEVELS

__all__ = ["DIMENSIONS", "SHAPES", "Level", "dictionary"]

SHAPES: Mapping[Level, Shape] = {level: {**RUN_LEVELS, **JUDGING_LEVELS}[level] for level in Level}


def dictionary() -> str:
    """The data dictionary in Markdown: one table a level."""
    return "\n".join(line for level, shape in SHAPES.items() for line in _table(level, shape))


def _table(level: Level, shape: Shape) -> list[str]:
    lines = [f"### {level}", "", f"One row is {shape.row}.", "", "| column | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {words} |" for name, words in shape.columns.items()]
    lines += [f"| `{name}` (JSON lines only) | {words} |" for name, words in shape.long.items()]
    return [*lines, ""]
