"""Subscores that stand one column to the left: recognized by the rubric of the mode, explained, mended by choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.protocol.eras import Mode
from app.domain.protocol.rubrics import AUDITOR_DIMENSIONS, RECORD_DIMENSIONS, dimensions_of, rubric_of
from app.imports.score_files import Row, ScoreFileError, Sheet

JUDGES = {True: "The Record", False: "The Auditor"}
STANDS_UNDER: Mapping[str, str] = {
    "playbook_consistency": "hindsight_leakage",
    "plausibility": "playbook_consistency",
    "non_consensus": "plausibility",
    "layer_choice": "non_consensus",
}
"""Where the faulty published export put each of The Auditor's dimensions; groundedness stood right."""

ALL_DIMENSIONS = tuple(dict.fromkeys((*RECORD_DIMENSIONS, *AUDITOR_DIMENSIONS)))
_SHIFTED_CELLS = {*STANDS_UNDER.values(), "groundedness"}


class ShiftedScoresError(ScoreFileError):
    """Live or forecast rows hold their subscores one column to the left; nothing was read."""


def is_misplaced(row: Row, mode: Mode) -> bool:
    """Say whether the filled dimension columns are not exactly those of the mode's rubric."""
    return _filled(row) != set(dimensions_of(rubric_of(mode)))


def is_shifted(row: Row, mode: Mode) -> bool:
    """Say whether a misplaced row has the known form: The Auditor's scores one column to the left."""
    return not mode.has_outcome and _filled(row) == _SHIFTED_CELLS


def refuse_shifted(sheet: Sheet, rows: Sequence[Row]) -> ShiftedScoresError:
    """Give the error that names the shifted rows and columns and the two ways to mend them."""
    eras = ", ".join(row.get("era") for row in rows)
    moved = "; ".join(f"{name} stands under {column}" for name, column in STANDS_UNDER.items())
    lines = ", ".join(str(row.line) for row in rows)
    problem = (
        f"in the live and forecast eras {eras} the subscores stand one column to the left "
        f"({moved}; layer_choice is empty), since only The Record scores hindsight_leakage"
    )
    mend = "Correct the export, or read it again with --mend-shifted to move the four scores to the right place"
    return ShiftedScoresError(sheet.file, lines, problem, mend)


def refuse_misplaced(sheet: Sheet, row: Row, mode: Mode) -> ScoreFileError:
    """Give the error for a row whose filled columns fit neither its rubric nor the known shift."""
    wanted = dimensions_of(rubric_of(mode))
    filled = _filled(row)
    strange = [name for name in ALL_DIMENSIONS if name in filled and name not in wanted]
    empty = [name for name in wanted if name not in filled]
    parts = [f"a score stands under {', '.join(strange)}"] if strange else []
    parts += [f"{', '.join(empty)} {'is' if len(empty) == 1 else 'are'} empty"] if empty else []
    judge = JUDGES[mode.has_outcome]
    problem = f"{row.get('era')} is a {mode} era, scored by {judge}, but {' and '.join(parts)}"
    return ScoreFileError(sheet.file, row.line, problem, f"Give it exactly {', '.join(wanted)}")


def mend_shifted(row: Row) -> Row:
    """Move the four shifted subscores of a row to their columns."""
    cells = dict(row.cells)
    cells.update({name: row.cells[column] for name, column in STANDS_UNDER.items()})
    cells["hindsight_leakage"] = ""
    return Row(row.line, cells)


def _filled(row: Row) -> set[str]:
    return {name for name in ALL_DIMENSIONS if row.get(name)}
