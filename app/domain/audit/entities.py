"""The entity probe: names that occur only in events of the outcome window, found in a document."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.domain.audit.findings import Finding, FindingState, Probe, ProbeCount, count_of, finding_at
from app.domain.audit.screening import folded, may_match
from app.domain.audit.texts import TextField
from app.domain.audit.vocabulary import is_late, term_in
from app.domain.world.events import Event
from app.domain.world.first_use import DatedTerm

ENTITIES = Probe(
    name="entities",
    version="2",
    false_hits=0.0,
    basis="no false hit in 15,539 words of published Run 001 (E1, E2, E3, E6; 10 review items), nor in the clean texts "
    "of the planted file; names that no event introduces wait for review, as the record before may lack them",
)

_PART = r"(?:[A-Z][\w&+|'’]*|[a-z]+[A-Z]\w*)(?:[-/.](?=\w)[\w+]+)*"
_NAME = re.compile(rf"{_PART}(?:\s+(?:(?:of|de|for)\s+)?{_PART}|\s+\d+(?:\.\d+)*\b)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+|[\"'“(])$")
_INTRODUCES = re.compile(
    r"\b(?:announced|introduced|released|launched|opened|founded|formed|unveiled|named|called|began selling|"
    r"began to sell|showed|described|demonstrated|published|proposed|created|set up|started|posted)\s+"
    r"(?:(?:a|an|the|its|his|her|their|first|new|beta|version|of|test|draft|free|service|system|program|protocol|"
    r"product|browser|company|network|computer|phone|site|website|standard)\s+){0,4}$",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?:\s+\d+(?:\.\d+)*)+$")
_PLAIN_TEXT = (
    "the a an this that these those it its he she they we our in on at by for from of to and or but with as after "
    "before none nobody nothing no not all both most many some every each such several other another only more less "
    "few there then when while where who what which how because since until under over about either neither "
    "january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday researchers scientists regulators company companies two three four "
    "five six seven us uk eu usa america american european europe japan japanese china chinese india indian "
    "germany german france french britain british italy italian russia russian korea korean canada canadian "
    "australia finland sweden israel brazil africa asia internet ceo cto cfo"
)
_PLAIN = frozenset(_PLAIN_TEXT.split())


@dataclass(frozen=True, slots=True)
class LateName:
    """A name that the record holds only within the outcome window.

    ``introduced``: its event brings it in; ``dated``: an unambiguous late term of the dictionary matches it.
    """

    name: str
    event: str
    introduced: bool
    dated: bool


def late_names(
    known: Sequence[Event], outcome: Sequence[Event], terms: Iterable[DatedTerm] = ()
) -> tuple[LateName, ...]:
    """Names in events of ``O_k`` that no event of ``I_k`` holds, in order of name.

    A name is introduced if its event announces it and the dictionary holds no older sense of it. ``terms`` are the
    dictionary's late ones, such as ``late_terms`` gives.
    """
    earlier = "\n".join(event.text for event in known)
    common = _common_words([*known, *outcome])
    new: dict[str, tuple[str, bool]] = {}
    for event in outcome:
        for name, announced in _names_in(event.text, common):
            if name not in new and _holds(earlier, name):
                continue
            if name not in new or (announced and not new[name][1]):
                new[name] = event.id, announced
    screen = folded("\n".join(new))
    near = [term for term in terms if may_match(term.pattern, screen)]
    found = []
    for name, (event_id, announced) in sorted(new.items()):
        senses = {term.ambiguous for term in near if term_in(term, name)}
        found.append(LateName(name, event_id, announced and True not in senses, False in senses))
    return tuple(found)


def late_terms(terms: Iterable[DatedTerm], start: str) -> tuple[DatedTerm, ...]:
    """The dictionary's terms first used after ``start`` (YYYY or YYYY-MM)."""
    return tuple(term for term in terms if is_late(term.first_use, start))


def find_late_names(
    fields: Iterable[TextField], names: Iterable[LateName], *, known: Iterable[TextField] = ()
) -> ProbeCount:
    """Find late names in a document, unless ``known`` texts (briefing, company state, roster) hold them.

    A dated or introduced name is a hit, any other a review item; so is an introduced name that is a plain word at the
    start of a sentence, where a capital says nothing. A name inside a longer late name is counted as the longer one.
    """
    kept = tuple(fields)
    told = "\n".join(field.text for field in known)
    written = "\n".join(field.text for field in kept)
    near = (name for name in names if _holds(written, name.name) and not _holds(told, name.name))
    wanted = sorted(near, key=lambda one: (-len(one.name), one.name))
    found = [finding for field in kept for finding in _in_field(field, wanted)]
    return count_of(ENTITIES, kept, found)


def _in_field(field: TextField, wanted: Sequence[LateName]) -> Iterator[Finding]:
    taken: list[tuple[int, int]] = []
    for one in wanted:
        for match in _whole(one.name).finditer(field.text):
            start, end = match.span()
            if any(start < last and first < end for first, last in taken):
                continue
            taken.append((start, end))
            state = FindingState.HIT if _is_certain(one, field.text[:start]) else FindingState.REVIEW
            yield finding_at(ENTITIES, field, (start, end), one.name, state, f"only in event {one.event} of the window")


def _is_certain(one: LateName, before: str) -> bool:
    """Whether a match needs no person: dated by the dictionary, or introduced and no plain word opening a sentence."""
    plain = one.name.istitle() and " " not in one.name
    return one.dated or (one.introduced and not (plain and _SENTENCE_START.search(before)))


def _names_in(text: str, common: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Names in an event with whether the event introduces them."""
    for match in _NAME.finditer(text):
        name = _stripped(match.group(), common)
        if name:
            before = text[: match.start() + match.group().index(name)]
            yield name, bool(_INTRODUCES.search(before))
            yield from ((part, False) for part in _particular_parts(name, common))
            if (plain := _VERSION.sub("", name)) != name and plain.lower() not in common:
                yield plain, bool(_INTRODUCES.search(before))


def _particular_parts(name: str, common: frozenset[str]) -> Iterator[str]:
    """The words of a longer name that could stand for it alone: no common word, four letters or more."""
    parts = name.split()
    if len(parts) > 1:
        yield from (part for part in parts if len(part) > 3 and part.isalpha() and part.lower() not in common | _PLAIN)


def _stripped(found: str, common: frozenset[str]) -> str | None:
    """The name without plain words at its ends; None if nothing particular is left."""
    tokens = found.split()
    while tokens and (tokens[0].lower() in _PLAIN or _owns(tokens)):
        tokens = tokens[1:]
    while tokens and tokens[-1].lower() in {"of", "de", "for", *_PLAIN}:
        tokens = tokens[:-1]
    name = re.sub(r"['’]s?$", "", " ".join(tokens))
    if len(name) < 3 or name.isdigit() or (len(tokens) == 1 and name.lower() in common):
        return None
    return name


def _owns(tokens: Sequence[str]) -> bool:
    """Whether the first word is a possessive, such as in ``China's DeepSeek``."""
    return len(tokens) > 1 and tokens[0].endswith(("'s", "’s"))


def _common_words(events: Iterable[Event]) -> frozenset[str]:
    """Words that the record writes in lower case somewhere: a capital there is no name."""
    return frozenset(word for event in events for word in re.findall(r"(?<![\w-])[a-z]+(?![\w-])", event.text))


def _holds(text: str, name: str) -> bool:
    """Whether a text holds a name by itself; letters are found much faster than what may stand around them."""
    first = name.split(maxsplit=1)[0]
    at = text.find(first)
    while at >= 0 and not _whole(name).match(text, at):
        at = text.find(first, at + 1)
    return at >= 0


@lru_cache(maxsize=4_096)
def _whole(name: str) -> re.Pattern[str]:
    words = r"[\s-]+".join(re.escape(word) for word in name.split())
    return re.compile(rf"(?<![\w-]){words}(?!\w)(?!-\w)")
