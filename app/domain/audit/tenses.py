"""Whether a sentence with a date tells the past: verbs count, participles that describe or follow a noun do not."""

import re
from collections.abc import Iterator

_PRETERITE = r"was|were|had|did|became|went|came|fell|rose|grew|began|took|ran|saw|overtook|broke"
"""Forms that are no participles: wherever they stand, they tell the past."""

_PARTICIPLE = r"won|lost|bought|sold|made|brought|shut|(?!need\b)[a-z]{2,}ed"
_PAST = re.compile(rf"\b(?:(?P<preterite>{_PRETERITE})|{_PARTICIPLE})\b(?!-)", re.IGNORECASE)
_DESCRIBING = re.compile(
    r"shared|indexed|fixed|advanced|distributed|networked|embedded|integrated|automated", re.IGNORECASE
)
"""Participles that name kinds of things, as the names of layers, eras and technologies do."""

_DETERMINER = (
    r"the|an?|this|these|those|each|every|all|any|some|no|its|their|our|both|\d+|one|two|three|four|five|six|seven|"
    r"eight|nine|ten|twelve|twenty|thirty|forty|fifty|hundred"
)
_NOT_AFTER = (
    rf"{_DETERMINER}|of|in|on|by|for|from|with|to|at|as|under|over|into|without|between|through|per|than|via|during|"
    r"after|before|since|until|within|against|is|are|be|been|being|get|gets|not|and|or|more|less|most|newly|fully"
)
"""Words after which a participle is no past tense."""

_NOUN_NEXT = re.compile(rf"\s+(?!(?:{_NOT_AFTER})\b)[a-z]", re.IGNORECASE)
_IMPERATIVE = re.compile(
    rf"\W*(?:(?:in|by|from)?\s*[1-9]\d{{3}}\W+)?(?:(?:if|when|once|unless|after|where)\b[^,]*,\s*)?(?:then\s+)?"
    rf"(?!(?:{_NOT_AFTER}|only|even|also|just|such|many|few|several|while|that|which|who|then|but|so)\b)"
    rf"[a-z]+(?<!ed)(?<!ing)(?<!(?<!s)s)\s+(?:{_DETERMINER})\b",
    re.IGNORECASE,
)
"""What a plan says to do: perhaps a date and a condition, then a bare verb and its object."""

_CLAUSE = re.compile(r"[^;—]+")
_TIED = re.compile(r"\s*(?:[\w'’-]+\s+){0,4}\(?")
_LAST_WORD = {True: re.compile(r"([\w’'-]+)\s+$"), False: re.compile(r"([\w’'-]+)[,)”]*\s+$")}
"""The word before, by whether it is a plan: in a plan a participle after a comma says more of a noun."""

_NO_SUBJECT = re.compile(_NOT_AFTER, re.IGNORECASE)


def tells_past(sentence: str, date_at: int, *, but: re.Pattern[str], plan: bool = False) -> bool:
    """Whether a sentence whose date begins at ``date_at`` tells the past.

    Words that ``but`` matches do not count. In a ``plan``, a clause that says what to do tells the past only by a past
    form that leads to the date, such as "follow the browser that Acme launched in 1994".
    """
    return any(
        _leads_to(sentence, past.end(), date_at) or not (plan and _IMPERATIVE.match(clause[0]))
        for clause in _CLAUSE.finditer(sentence)
        for past in _pasts(sentence, clause, date_at, plan=plan)
        if not but.search(past[0])
    )


def _pasts(sentence: str, clause: re.Match[str], date_at: int, *, plan: bool) -> Iterator[re.Match[str]]:
    for past in _PAST.finditer(sentence, *clause.span()):
        before = _LAST_WORD[plan].search(sentence, clause.start(), past.start())
        if before:
            told = _is_verb(past, before[1])
        else:
            told = bool(past["preterite"]) or _leads_to(sentence, past.end(), date_at)
        if told:
            yield past


def _is_verb(past: re.Match[str], before: str) -> bool:
    """Whether a past form is a verb whose subject ends with the word before it."""
    if past["preterite"]:
        return True
    names = _DESCRIBING.fullmatch(past[0]) and _NOUN_NEXT.match(past.string, past.end())
    return not names and not _NO_SUBJECT.fullmatch(before)


def _leads_to(sentence: str, end: int, date_at: int) -> bool:
    """Whether at most four words stand between a past form and the date, and none says "by then"."""
    between = sentence[end:date_at]
    return date_at > end and bool(_TIED.fullmatch(between)) and not re.search(r"\b(?:by|until|before)\s*$", between)
