"""Tables of items to rate, CSV or JSONL: text and strata columns, names to mask, and consensus values for training."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.rating.answers import WHOLE_NUMBER

MOST_ROWS = 5_000
MOST_COLUMNS = 500
LARGEST = 20 * 2**20
KEYS = ("key", "item", "id")
UNITS = ("unit", "run", "cluster")
TEXT, OUTCOME, CONSENSUS, REASON, JUDGE = "text", "outcome", "consensus:", "reason:", "judge:"
NAMES = "names"
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class ItemTableError(ValueError):
    """A table cannot be read; the message names line, column and mend."""


@dataclass(frozen=True, slots=True)
class TableItem:
    """One row: ``texts`` are (title, text, is outcome) in column order; ``consensus`` and ``judge`` by dimension."""

    key: str
    unit: str
    texts: tuple[tuple[str, str, bool], ...]
    strata: dict[str, str]
    names: tuple[str, ...] = ()
    consensus: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    judge: dict[str, int] = field(default_factory=dict)


def read_items(content: bytes, file_name: str) -> tuple[TableItem, ...]:
    """Read a table by its file's ending: .jsonl (or .ndjson), else CSV with a header line.

    Columns: ``key``, ``unit`` (what belongs together; each item by itself if there is none), ``text`` or
    ``text:Title`` (several), ``outcome`` or ``outcome:Title`` (opens after the first scores), ``names`` (to mask,
    separated by ;), ``consensus:<dimension>``, ``reason:<dimension>``, ``judge:<dimension>``; every other column is a
    stratum. Raises ItemTableError.
    """
    if len(content) > LARGEST:
        raise ItemTableError(f"{file_name}: larger than {LARGEST // 2**20} MB; split the table")
    try:
        text = content.decode("utf-8-sig").replace("\0", "")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ItemTableError(f"{file_name}, line {line}: not UTF-8 text; save the file as UTF-8") from error
    is_lines = file_name.lower().endswith((".jsonl", ".ndjson"))
    rows = list(_json_lines(text, file_name) if is_lines else _csv_lines(text, file_name))
    if not rows:
        raise ItemTableError(f"{file_name}: no items in it; give a header line and one item a line")
    if len(rows) > MOST_ROWS:
        raise ItemTableError(f"{file_name}: {len(rows):,} items are more than {MOST_ROWS:,}; split the table")
    items = []
    lines: dict[str, int] = {}
    for line, row in rows:
        place = f"{file_name}, line {line}"
        item = _item(row, place)
        if (earlier := lines.setdefault(item.key, line)) != line:
            raise ItemTableError(f"{place}: the key {item.key} stands in line {earlier} too; give each item its own")
        items.append(item)
    return tuple(items)


def _csv_lines(text: str, file_name: str) -> Iterable[tuple[int, Mapping[str, str]]]:
    """Each row with the line on which it begins: a quoted cell may go on over several."""
    csv.field_size_limit(LARGEST)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] | None = None
    begins = 1
    try:
        for cells in reader:
            if header is None:
                header = _header(cells, file_name)
            elif cells:
                if len(cells) != len(header):
                    raise ItemTableError(
                        f"{file_name}, line {begins}: {len(cells)} cells where the header has {len(header)}; "
                        "quote cells with commas"
                    )
                yield begins, dict(zip(header, cells, strict=True))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise ItemTableError(
            f"{file_name}, line {begins}: not a CSV table from here on ({error}); "
            "close every quotation mark and double those inside a cell"
        ) from error


def _header(cells: Sequence[str], file_name: str) -> list[str]:
    names = [cell.strip() for cell in cells]
    if len(names) > MOST_COLUMNS:
        raise ItemTableError(
            f"{file_name}, line 1: {len(names):,} columns are more than {MOST_COLUMNS:,}; leave some out"
        )
    twice = next((name for name, count in Counter(names).items() if name and count > 1), None)
    if twice:
        raise ItemTableError(f"{file_name}, line 1: two columns are named {twice}; give each a name of its own")
    return names


def _json_lines(text: str, file_name: str) -> Iterable[tuple[int, Mapping[str, str]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{file_name}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ItemTableError(f"{place}: not JSON ({error}); write one object a line") from error
        if not isinstance(row, dict):
            raise ItemTableError(f"{place}: not an object; write one object a line")
        cells = {_cell(name): _cell(value) for name, value in row.items() if value is not None}
        if unfit := next((name for name, text in cells.items() if LONE_SURROGATE.search(name + text)), None):
            shown = unfit.encode(errors="replace").decode()
            raise ItemTableError(f"{place}, column {shown}: half a character (a lone surrogate); write the whole one")
        yield number, cells


def _cell(value: object) -> str:
    text = ";".join(str(one) for one in value) if isinstance(value, list) else str(value)
    return text.replace("\0", "")


def _item(row: Mapping[str, str], place: str) -> TableItem:
    key = _first(row, KEYS)
    texts = tuple(
        (_title(name), text.replace("\r\n", "\n"), name.partition(":")[0] == OUTCOME)
        for name, text in row.items()
        if name.partition(":")[0] in {TEXT, OUTCOME} and text.strip()
    )
    if not key:
        raise ItemTableError(f"{place}: no key; give every item a name in the column key")
    if not any(not is_outcome for _, _, is_outcome in texts):
        raise ItemTableError(f"{place}: no text; put what raters read into the column text or text:Title")
    return TableItem(
        key=key,
        unit=_first(row, UNITS) or key,
        texts=texts,
        strata={name: value.strip() or "none" for name, value in row.items() if _is_stratum(name)},
        names=tuple(name.strip() for name in row.get(NAMES, "").split(";") if name.strip()),
        consensus=_numbers(row, CONSENSUS, place),
        reasons=_parts(row, REASON),
        judge=_numbers(row, JUDGE, place),
    )


def _first(row: Mapping[str, str], names: Sequence[str]) -> str:
    return next((row[name].strip() for name in names if row.get(name, "").strip()), "")


def _title(name: str) -> str:
    kind, _, title = name.partition(":")
    return title.strip() or ("What happened" if kind == OUTCOME else "Text")


def _is_stratum(name: str) -> bool:
    special = {*KEYS, *UNITS, NAMES, TEXT, OUTCOME}
    return (
        bool(name)
        and name not in special
        and not name.startswith((f"{TEXT}:", f"{OUTCOME}:", CONSENSUS, REASON, JUDGE))
    )


def _parts(row: Mapping[str, str], start: str) -> dict[str, str]:
    return {name.removeprefix(start).strip(): text.strip() for name, text in row.items() if name.startswith(start)}


def _numbers(row: Mapping[str, str], start: str, place: str) -> dict[str, int]:
    found = {}
    for name, text in _parts(row, start).items():
        if not text:
            continue
        if not WHOLE_NUMBER.fullmatch(text):
            raise ItemTableError(f"{place}, column {start}{name}: {text[:20]} is no whole number")
        found[name] = int(text)
    return found
