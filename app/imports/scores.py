"""Score tables: the published unified and per-run layouts (wide or long) become scored eras, or a clear refusal."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from app.domain.protocol.eras import Mode
from app.domain.protocol.rubrics import dimensions_of, rubric_of
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.scoring.totals import mechanical_total
from app.imports.score_files import LARGEST, Row, ScoreFileError, Sheet, canonical_name, read_sheet
from app.imports.shifted_scores import is_misplaced, is_shifted, mend_shifted, refuse_misplaced, refuse_shifted

LONG_COLUMNS = tuple(column for i in range(1, 6) for column in (f"sub{i}_name", f"sub{i}"))
YES = frozenset({"1", "yes", "true"})
NO = frozenset({"", "0", "no", "false"})
MODES = ", ".join(Mode)
_NUMBER_IN_ERA = re.compile(r"\D*0*([1-9]\d?)$")


class Layout(StrEnum):
    """How a score table is laid out."""

    UNIFIED = "unified"
    WIDE = "wide"
    LONG = "long"


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scored eras of one file, how it was laid out, what a reader has to know about it, and each run's schedule.

    ``schedules`` names the schedule of a run where the file does, as our own exports do; "" where it does not.
    """

    layout: Layout
    eras: tuple[ScoredEra, ...]
    notes: tuple[str, ...]
    schedules: Mapping[str, str] = field(default_factory=dict)


def read_scores(path: Path, *, run: str | None = None, mend: bool = False) -> ScoreTable:
    """Read a score table from disk; `run` names the run where the file does not, else its file name does.

    Raises ScoreFileError, also for a file that cannot be opened; ShiftedScoresError unless `mend` was chosen.
    """
    try:
        with path.open("rb") as source:
            content = source.read(LARGEST + 1)
    except OSError as error:
        raise ScoreFileError(
            str(path), None, f"cannot be read ({error.strerror})", "Give the path of a CSV file"
        ) from error
    return parse_scores(content, path.name, run=run, mend=mend)


def parse_scores(content: bytes, file: str, *, run: str | None = None, mend: bool = False) -> ScoreTable:
    """Read a score table from bytes, for uploads; see read_scores."""
    sheet = read_sheet(content, file)
    layout = _layout_of(sheet)
    sheet.require(("era", "mode", "company"), "every layout has era, mode and company")
    modes = [_mode_of(row, file) for row in sheet.rows]
    notes: list[str] = []
    if layout is Layout.LONG:
        rows = [_spread(row, mode, file) for row, mode in zip(sheet.rows, modes, strict=True)]
    else:
        rows = _rows_in_place(sheet, modes, notes, mend=mend)
    runs = [_run_of(row, sheet, run) for row in rows]
    places = _places(rows, runs, file)
    eras = [
        _scored_era(row, mode, name, place, file)
        for row, mode, name, place in zip(rows, modes, runs, places, strict=True)
    ]
    notes += _notes_on_totals(eras)
    return ScoreTable(layout, tuple(eras), tuple(notes), _schedules(rows, runs, file))


def _layout_of(sheet: Sheet) -> Layout:
    if "sub1_name" in sheet.columns:
        sheet.require(LONG_COLUMNS, "the long layout has five pairs of name and score")
        return Layout.LONG
    return Layout.UNIFIED if "run" in sheet.columns else Layout.WIDE


def _mode_of(row: Row, file: str) -> Mode:
    try:
        return Mode(row.get("mode").casefold())
    except ValueError as error:
        raise ScoreFileError(file, row.line, f"mode '{row.get('mode')}' is unknown", f"Use one of {MODES}") from error


def _spread(row: Row, mode: Mode, file: str) -> Row:
    scores: dict[str, str] = {}
    for i in range(1, 6):
        name = canonical_name(row.get(f"sub{i}_name"))
        if name in scores:
            raise ScoreFileError(file, row.line, f"{name} is scored twice", "Name each of the five dimensions once")
        scores[name] = row.get(f"sub{i}")
    wanted = dimensions_of(rubric_of(mode))
    strangers = [name or "a score without a name" for name in scores if name not in wanted]
    if strangers:
        problem = f"{', '.join(strangers)} does not belong to the rubric of a {mode} era"
        raise ScoreFileError(file, row.line, problem, f"Use exactly {', '.join(wanted)}")
    return Row(row.line, {**row.cells, **scores})


def _rows_in_place(sheet: Sheet, modes: Sequence[Mode], notes: list[str], *, mend: bool) -> list[Row]:
    for mode in dict.fromkeys(modes):
        sheet.require(dimensions_of(rubric_of(mode)), f"a {mode} era is scored on them")
    paired = list(zip(sheet.rows, modes, strict=True))
    shifted = [row for row, mode in paired if is_shifted(row, mode)]
    for row, mode in paired:
        if is_misplaced(row, mode) and not is_shifted(row, mode):
            raise refuse_misplaced(sheet, row, mode)
    if shifted and not mend:
        raise refuse_shifted(sheet, shifted)
    if shifted:
        eras = ", ".join(f"{row.get('era')} (line {row.line})" for row in shifted)
        notes.append(f"Mended by choice: four subscores moved one column to the right in {eras}.")
    return [mend_shifted(row) if is_shifted(row, mode) else row for row, mode in paired]


def _run_of(row: Row, sheet: Sheet, run: str | None) -> str:
    if "run" in sheet.columns:
        if not row.get("run"):
            raise ScoreFileError(sheet.file, row.line, "run is empty", "Name the run of every era")
        return row.get("run")
    return run or re.sub(r"-scores(\.\w+)?$", "", Path(sheet.file).stem)


def _schedules(rows: Sequence[Row], runs: Sequence[str], file: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for row, run in zip(rows, runs, strict=True):
        schedule = row.get("schedule")
        if found.setdefault(run, schedule) != schedule:
            problem = f"{run} is on schedule '{schedule}' here and on '{found[run]}' above"
            raise ScoreFileError(file, row.line, problem, "Give each run a name of its own; it has one schedule")
    return found


def _places(rows: Sequence[Row], runs: Sequence[str], file: str) -> list[int]:
    """Place k of each era in its run: the number in its id (1-99) where all ids have their own, else order of rows."""
    seen: dict[tuple[str, str], int] = {}
    ids: dict[str, list[str]] = {}
    for row, run in zip(rows, runs, strict=True):
        era = row.get("era")
        if not era:
            raise ScoreFileError(file, row.line, "era is empty", "Give every line its era, such as E1")
        if (run, era) in seen:
            problem = f"era {era} of {run} is already on line {seen[run, era]}"
            raise ScoreFileError(file, row.line, problem, "Keep one line per run and era")
        seen[run, era] = row.line
        ids.setdefault(run, []).append(era)
    places = {run: _places_in_run(eras) for run, eras in ids.items()}
    return [places[run][row.get("era")] for row, run in zip(rows, runs, strict=True)]


def _places_in_run(eras: Sequence[str]) -> Mapping[str, int]:
    numbers = [int(found[1]) for era in eras if (found := _NUMBER_IN_ERA.match(era))]
    if len(set(numbers)) == len(eras):
        return dict(zip(eras, numbers, strict=True))
    return {era: place for place, era in enumerate(eras, start=1)}


def _scored_era(row: Row, mode: Mode, run: str, place: int, file: str) -> ScoredEra:
    if not row.get("company"):
        raise ScoreFileError(file, row.line, "company is empty", "Name the company of every era; pivots need it")
    era = ScoredEra(
        run=run,
        era=row.get("era"),
        index=place,
        mode=mode,
        company=row.get("company"),
        subscores={name: _subscore(row, name, file) for name in dimensions_of(rubric_of(mode))},
        typed_total=_total(row, file),
        intervened=_intervened(row, file),
    )
    stated = row.get("subscore_sum_x2")
    if stated and stated != f"{mechanical_total(era):.0f}":
        problem = f"subscore_sum_x2 is {stated}, but the five subscores give {mechanical_total(era):.0f}"
        raise ScoreFileError(file, row.line, problem, "Correct the subscore or the sum")
    return era


def _subscore(row: Row, name: str, file: str) -> int:
    text = row.get(name)
    if not re.fullmatch(r"\d{1,2}", text, re.ASCII) or int(text) > 10:
        problem = f"{name} is '{text}'" if text else f"{name} is empty"
        raise ScoreFileError(file, row.line, problem, "A subscore is a whole number from 0 to 10")
    return int(text)


def _total(row: Row, file: str) -> float | None:
    text = row.get("total")
    if not text:
        return None
    try:
        total = float(text)
    except ValueError:
        total = math.nan
    if not 0 <= total <= 100:
        raise ScoreFileError(file, row.line, f"total is '{text}'", "A total is a number from 0 to 100, or empty")
    return total


def _intervened(row: Row, file: str) -> bool:
    text = row.get("intervened").casefold()
    if text not in YES | NO:
        raise ScoreFileError(file, row.line, f"intervened is '{text}'", "Write yes or no")
    return text in YES


def _notes_on_totals(eras: Sequence[ScoredEra]) -> list[str]:
    without = sum(era.typed_total is None for era in eras)
    if without == 0:
        return []
    return [f"{without} of {len(eras)} eras have no typed total; mechanical totals stand in where a run lacks one."]
