"""Names that people give: every character of them can be seen, so that two that look alike are alike."""

import unicodedata
from typing import Annotated

from pydantic import AfterValidator

UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Unicode's categories of what has no picture: controls, formats such as a change of direction, ends of lines."""

BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters of other categories that are drawn as nothing."""


def unseen_problem(text: str) -> str | None:
    """What to take out of a name, or None for one that can be seen whole."""
    for place, one in enumerate(text):
        if unicodedata.category(one) in UNSEEN or one in BLANK:
            after = f"after “{text[max(0, place - 12) : place].strip()}”" if place else "at the start"
            called = unicodedata.name(one, "").lower()
            return f"take out the character that cannot be seen {after}: U+{ord(one):04X}{called and f', {called}'}"
    return None


def seen_whole(text: str) -> str:
    """The name as it is. Raises ValueError with the mend if it holds a character that cannot be seen."""
    if problem := unseen_problem(text):
        raise ValueError(problem)
    return text


Name = Annotated[str, AfterValidator(seen_whole)]
"""A field in which a person writes a name. What models call their companies is text, and stays as they wrote it."""


def written(text: str) -> str:
    """The name as it is. Raises ValueError for one of nothing but space."""
    if not text.strip():
        raise ValueError("write something here")
    return text


WrittenName = Annotated[Name, AfterValidator(written)]
"""The same where it may not be left out."""
