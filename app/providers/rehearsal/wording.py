"""Small turns of text: clipping, dates, sums, quotations."""

import re

LINE = 590
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
NAME = re.compile(
    r"^((?:[A-Z][\w&'’-]*)(?: [A-Z][\w&'’-]*)*) "
    r"(?:began|started|opened|launched|introduced|released|announced|unveiled|shipped|offered|sold|showed)\b"
)


def clip(text: str, limit: int = LINE) -> str:
    """At most ``limit`` characters, cut between words; never empty."""
    flat = " ".join(text.split()) or "-"
    if len(flat) <= limit:
        return flat
    return flat[: limit - 2].rsplit(" ", maxsplit=1)[0] + " …"


def bare(text: str) -> str:
    """A sentence without its full stop, to stand inside another."""
    return text.strip().rstrip(".!?")


def low(text: str) -> str:
    """A phrase with a small first letter, unless it begins with a name or a short form."""
    first, *_ = text.split(maxsplit=1) or [""]
    return text if first[1:] != first[1:].lower() or first == "I" else text[:1].lower() + text[1:]


def high(text: str) -> str:
    """A phrase with a capital first letter."""
    return text[:1].upper() + text[1:]


def as_asset(data: str) -> str:
    """Data as a thing to hold: a question such as ``which parts fail`` becomes the knowledge of it."""
    phrase = low(bare(data))
    return f"Knowledge of {phrase}" if phrase.startswith(("wh", "how ")) else high(phrase)


def when(on: str | None) -> str:
    """A record date in words: ``2019-05-23`` is May 2019; an absent one is ``undated``."""
    if not on:
        return "undated"
    year, *rest = on.split("-")
    if rest and rest[0].isdigit() and 1 <= int(rest[0]) <= len(MONTHS):
        return f"{MONTHS[int(rest[0]) - 1]} {year}"
    return year


def dollars(amount: int) -> str:
    """A sum in US dollars, rounded to two digits that matter."""
    digits = max(len(str(amount)) - 2, 0)
    return f"US${round(amount, -digits):,}"


def first_sentence(text: str, limit: int = LINE) -> str:
    """The first sentence as it stands in ``text``, an exact quotation; cut between words if it is too long."""
    sentence = SENTENCE_END.split(text.strip(), maxsplit=1)[0]
    return sentence if len(sentence) <= limit else sentence[:limit].rsplit(" ", maxsplit=1)[0]


def subject(text: str) -> str | None:
    """The name of the firm that does something at a sentence's beginning, or None."""
    found = NAME.match(text)
    return found.group(1) if found else None
