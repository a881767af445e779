"""The date probe: dates after the era began that are stated as fact; the company's own plans do not count."""

import re
from collections.abc import Iterable, Iterator
from datetime import date

from app.domain.audit.findings import Finding, FindingState, Probe, ProbeCount, count_of, finding_at
from app.domain.audit.tenses import tells_past
from app.domain.audit.texts import TextField, sentence_around

DATES = Probe(
    name="dates",
    version="2",
    false_hits=0.32,
    basis="5 false hits in 15,539 words of published Run 001 (E1, E2, E3, E6: own plans without a first person), "
    "before the words for plans were widened with them; since then none there",
)

HORIZON_YEARS = 80
"""Years after the start beyond which a number is not read as a year."""

PLAN_FIELDS = re.compile(
    r"^(?:plan|stop_criteria|thresholds|deferral|capital_need|organization)\b|\.(?:threshold|by|gate)$"
)
"""Fields that hold the company's own plans: a date there is a plan unless the sentence tells the past."""

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|"
    r"Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_YEAR = r"(?P<year>[1-9]\d{3})"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(
    rf"\b(?:(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?(?P<month>{_MONTH})(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?\s+(?:of\s+)?{_YEAR}\b"
    rf"|(?P<iso>[1-9]\d{{3}}-(?:0[1-9]|1[0-2])(?:-\d{{2}})?)\b"
    rf"|(?:in|by|since|until|till|from|during|after|before|of|through|between|to|mid|early|late|fiscal|FY|"
    rf"Q[1-4]|H[12]|spring|summer|autumn|fall|winter|year|end|and|the)[\s-]+(?P<alone>[1-9]\d{{3}})s?\b(?!-\d\d\b))"
    rf"|\((?P<bracket>[1-9]\d{{3}})\)"
    rf"|^(?P<first>[1-9]\d{{3}})(?=:|\s+(?:was|saw|brought)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_A_YEAR = re.compile(
    r"[\s-]*(?:%|percent|per cent|units?|customers?|clients?|users?|sites?|seats?|hosts?|machines?|dollars?|people|"
    r"employees|members|hours?|pages?|words?|bits?|bytes?|[kmg]b\b|hz|mhz|dpi|lines?|miles?|feet|copies|subscribers?|"
    r"terminals?|stores?|firms?|banks?|suppliers?|documents?|records?|more|or more|accounts?|offices?)",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:we|our|us|ours|I|my|revisit|opening|paying|at least \d+|fewer than \d+|"
    r"the company|this company|the board|the team|founders?|milestones?|targets?|budgets?|goals?|"
    r"stop|gate|runway|break-?even|pilot|deadline|ship|hire|raise|sign|launch ours)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:may|might|could|would|should|if|unless|expect\w*|forecast\w*|project(?:s|ed|ion|ions)|predict\w*|scenario\w*|"
    r"assum\w*|estimat\w*|likely|probabl\w*|perhaps|possibl\w*|plan(?:s|ned)?|due|scheduled|intend\w*|aim\w*|hope\w*|"
    r"analysts?|promis\w*|propos\w*|bet|guess|suppose|imagine|want|believe|think|sees?|deadline|mandat\w*|expires?|"
    r"matur\w*|until|no later than|draft|call\w* for)\b",
    re.IGNORECASE,
)
_WILL = re.compile(r"\b(?:will|shall|going to|is to|are to)\b", re.IGNORECASE)


def find_late_dates(
    fields: Iterable[TextField], *, start: date, briefing: Iterable[TextField] = (), company: Iterable[str] = ()
) -> ProbeCount:
    """Find explicit dates after ``start`` that are stated as fact.

    By sentence: hedged or about the company's own future (first person, ``company`` names, a plan's field) is no
    finding; a bare ``will`` about the world, or a past tense in a plan or beside a hedge, is a review item; all else
    is a hit. A year that the briefing itself names is known and skipped.
    """
    kept = tuple(fields)
    known = {year for field in briefing for year in _years_named(field.text)}
    names = tuple(name.lower() for name in company if name)
    found = [finding for field in kept for finding in _in_field(field, start, known, names)]
    return count_of(DATES, kept, found)


def _in_field(field: TextField, start: date, known: set[int], names: tuple[str, ...]) -> Iterator[Finding]:
    for match in _DATE.finditer(field.text):
        year, month = _read(match)
        late = (year, month or 0) > (start.year, start.month if month else 0)
        if not late or year > start.year + HORIZON_YEARS or year in known or _is_count(match, field.text):
            continue
        first, last = sentence_around(field.text, *match.span())
        judged = _judged(field, field.text[first:last], names, _trimmed(match)[0] - first)
        if judged:
            state, why = judged
            yield finding_at(DATES, field, _trimmed(match), _about(year, month), state, why)


def _judged(field: TextField, sentence: str, names: tuple[str, ...], date_at: int) -> tuple[FindingState, str] | None:
    if PLAN_FIELDS.search(field.path):
        told = tells_past(sentence, date_at, but=_HEDGED, plan=True)
        return (FindingState.REVIEW, "a past tense in the company's own plan") if told else None
    if _OWN.search(sentence) or any(name in sentence.lower() for name in names):
        return None
    if _HEDGED.search(sentence):
        told = not _WILL.search(sentence) and tells_past(sentence, date_at, but=_HEDGED)
        return (FindingState.REVIEW, "a past tense beside a hedge") if told else None
    if _WILL.search(sentence):
        return FindingState.REVIEW, "a later date said to come, without a hedge"
    return FindingState.HIT, "a date after the era began, stated as fact"


def _read(match: re.Match[str]) -> tuple[int, int | None]:
    """Year and month, None where only a year is written; a decade counts from its first year."""
    if match["iso"]:
        return int(match["iso"][:4]), int(match["iso"][5:7])
    if match["month"]:
        return int(match["year"]), _MONTHS.index(match["month"][:3].lower()) + 1
    return int(match["alone"] or match["bracket"] or match["first"]), None


def _is_count(match: re.Match[str], text: str) -> bool:
    """Whether a lone number counts things, such as 2000 customers."""
    return match["alone"] is not None and bool(_NOT_A_YEAR.match(text, match.end()))


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    """The span of the date itself, without the word before it or brackets around it."""
    for group in ("alone", "bracket", "first"):
        if match[group]:
            return match.span(group)
    return match.span()


def _about(year: int, month: int | None) -> str:
    return f"{year:04d}-{month:02d}" if month else f"{year:04d}"


def _years_named(text: str) -> Iterator[int]:
    return (int(found) for found in re.findall(r"\b[1-9]\d{3}\b", text))
