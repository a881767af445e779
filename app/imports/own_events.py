"""Events that a user adds after models' training cutoffs, from a CSV file, and the eras set among them, from lines."""

import re
from collections.abc import Collection, Sequence
from datetime import date

from app.domain.naming import unseen_problem
from app.domain.protocol.eras import MAX_EVENTS, Era, Mode
from app.domain.world.events import Event, Fate, last_day
from app.imports.score_files import Row, ScoreFileError, read_sheet

LARGEST_EVENTS = 180_000
NEEDED = ("date", "domain", "event", "source")
OPTIONAL = ("fate",)
LONGEST = 600
SEPARATOR = re.compile(r"\s*[,;\t]\s*|\s+(?:to|until)\s+")
EXAMPLE = "2026-02-01, 2026-08-01, Spring 2026"


class OwnEventsError(ValueError):
    """Added eras or events that cannot be taken; ``field`` is eras or events, the message names row and mend."""

    def __init__(self, field: str, words: str) -> None:
        self.field = field
        super().__init__(words)


def read_own_events(
    content: bytes, *, domains: Collection[str], known: Collection[tuple[str, str]], today: date
) -> tuple[Event, ...]:
    """The events of a CSV file with the columns date, domain, event, source and, if wished, fate.

    ``domains`` are those of the record, ``known`` the dates and texts that are on record already. Raises
    OwnEventsError for the first row that does not fit.
    """
    if len(content) > LARGEST_EVENTS:
        raise _problem(f"the file is larger than {LARGEST_EVENTS // 1_000} KB", "Leave out what no era needs")
    if content.count(b"\n", 0, len(content.strip())) == 0:
        raise _problem("there is no event", f"Write a header with {', '.join(NEEDED)}, and a line for each event")
    try:
        sheet = read_sheet(content, "events")
    except ScoreFileError as error:
        raise _problem(f"line {error.line}: {error.problem}" if error.line else error.problem, error.mend) from error
    _check_columns(sheet.columns)
    if len(sheet.rows) > MAX_EVENTS:
        raise _problem(f"there are {len(sheet.rows)} events", f"At most {MAX_EVENTS} are allowed; leave some out")
    seen: dict[tuple[str, str], int] = {}
    events = []
    for number, row in enumerate(sheet.rows, start=1):
        event = _event(row, number, domains, today)
        place = event.on, event.text
        if place in seen:
            raise _row_problem(row, "event", f"repeats line {seen[place]}", "Delete one of the two")
        if place in known:
            raise _row_problem(row, "event", "is on record already", "Delete the line")
        seen[place] = row.line
        events.append(event)
    return tuple(events)


def read_own_eras(text: str) -> tuple[Era, ...]:
    """Eras from lines of start, end and title, in order of time. Raises OwnEventsError."""
    eras: list[Era] = []
    for number, line in enumerate(text.splitlines(), start=1):
        parts = SEPARATOR.split(line.strip(), maxsplit=2)
        if not line.strip():
            continue
        if len(parts) < 2:
            raise OwnEventsError("eras", f"line {number}: write start, end and title, such as “{EXAMPLE}”")
        start, end = (_day(part, number) for part in parts[:2])
        if end <= start:
            raise OwnEventsError("eras", f"line {number}: the end {end} must lie after the start {start}")
        if eras and start < eras[-1].end:
            raise OwnEventsError("eras", f"line {number}: the start {start} lies before the end of the era above it")
        title = parts[2] if len(parts) > 2 else ""
        if problem := unseen_problem(title):
            raise OwnEventsError("eras", f"line {number}: {problem}")
        eras.append(Era(id=f"P{len(eras) + 1}", start=start, end=end, mode=Mode.POST_CUTOFF, title=title[:80]))
    if not eras:
        raise OwnEventsError("eras", f"write at least one era, such as “{EXAMPLE}”")
    return tuple(eras)


def _day(text: str, number: int) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise OwnEventsError("eras", f"line {number}: “{text[:40]}” is no day; write it as YYYY-MM-DD") from None


def _check_columns(columns: Sequence[str]) -> None:
    missing = [name for name in NEEDED if name not in columns]
    if missing:
        raise _problem(f"line 1: column missing: {', '.join(missing)}", "Add it to the header")
    strange = [name for name in columns if name not in {*NEEDED, *OPTIONAL}]
    if strange:
        allowed = ", ".join((*NEEDED, *OPTIONAL))
        raise _problem(f"line 1: column {strange[0] or 'without a name'} is unknown", f"The columns are {allowed}")


def _event(row: Row, number: int, domains: Collection[str], today: date) -> Event:
    for column in NEEDED:
        if not row.get(column):
            raise _row_problem(row, column, "is empty", "Write it")
        if len(row.get(column)) > LONGEST:
            raise _row_problem(row, column, f"has more than {LONGEST} characters", "Shorten it")
    try:
        last = last_day(row.get("date"))
    except ValueError:
        raise _row_problem(
            row, "date", f"“{row.get('date')[:40]}” is no date", "Write YYYY, YYYY-MM or YYYY-MM-DD"
        ) from None
    if last > today:
        raise _row_problem(
            row, "date", f"{row.get('date')} is not over on {today}", "Add the event when it has happened"
        )
    if row.get("domain") not in domains:
        words = f"“{row.get('domain')[:40]}” is no domain of the record"
        raise _row_problem(row, "domain", words, f"Write one of {', '.join(sorted(domains))}")
    fate = row.get("fate") or Fate.UNRESOLVED
    if fate not in set(Fate):
        raise _row_problem(row, "fate", f"“{fate[:40]}” is no fate", f"Write one of {', '.join(Fate)}, or nothing")
    return Event(
        id=f"own-{number:03d}",
        on=row.get("date"),
        domain=row.get("domain"),
        text=row.get("event"),
        source=row.get("source"),
        fate=Fate(fate),
        confidence="user",
    )


def _problem(problem: str, mend: str) -> OwnEventsError:
    return OwnEventsError("events", f"{problem}. {mend}.")


def _row_problem(row: Row, column: str, problem: str, mend: str) -> OwnEventsError:
    return _problem(f"line {row.line}, {column}: {problem}", mend)
