"""A quick look before a slow search: texts that a pattern cannot match because letters it needs are not there."""

from functools import lru_cache

_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
_ODD = {0x131: "i", 0x130: "i"}
"""The i without its dot and the I with one: a search without regard to case takes them for i, folding does not."""


def folded(text: str) -> str:
    """The text as ``may_match`` looks at it."""
    return text.translate(_ODD).casefold()


def may_match(pattern: str, screen: str) -> bool:
    """Whether a search without regard to case could find the pattern in a text; ``screen`` is its folded form."""
    needed = needed_letters(pattern)
    return not needed or any(letters in screen for letters in needed)


@lru_cache(maxsize=4_096)
def needed_letters(pattern: str) -> frozenset[str]:
    """Strings, folded, of which every match of a regular expression holds at least one; empty if none is known.

    Reads what dictionaries are written with: literals, classes, groups, alternatives, quantifiers, looks around.
    """
    return frozenset(folded(letters) for letters in _Reader(pattern).alternatives())


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def alternatives(self) -> frozenset[str]:
        """Up to the end of the group: one string of each alternative, or none if an alternative needs nothing."""
        found = [self._sequence()]
        while self._next() == "|":
            self._at += 1
            found.append(self._sequence())
        return frozenset().union(*found) if all(found) else frozenset()

    def _sequence(self) -> frozenset[str]:
        run, best = "", frozenset[str]()
        while self._next() not in {"", "|", ")"}:
            atom = self._atom()
            least = self._repeats()
            if isinstance(atom, str) and least:
                run += atom
            if isinstance(atom, str) and least == 1:
                continue
            best = _better(best, frozenset({run}))
            run = ""
            if not isinstance(atom, str) and least:
                best = _better(best, atom)
        return _better(best, frozenset({run})) - {""}

    def _atom(self) -> str | frozenset[str]:
        """A literal as a string; anything else as what it needs."""
        start = self._next()
        if start == "(":
            return self._group()
        if start == "[":
            self._at = self._pattern.index("]", self._at + 2) + 1
            return frozenset()
        self._at += 1
        if start == "\\":
            return self._escape()
        return frozenset() if start in ".^$" else start

    def _escape(self) -> str | frozenset[str]:
        escaped = self._next()
        self._at += 5 if escaped == "u" else 1
        return frozenset() if escaped.isalnum() else escaped

    def _group(self) -> frozenset[str]:
        around = self._pattern.startswith(_AROUND, self._at)
        self._at += next((len(mark) for mark in (*_AROUND[2:], *_AROUND[:2], "(?:") if self._opens(mark)), 1)
        needs = self.alternatives()
        self._at += 1
        return frozenset() if around else needs

    def _opens(self, mark: str) -> bool:
        return self._pattern.startswith(mark, self._at)

    def _repeats(self) -> int:
        """How often the atom just read must stand: 0, 1, or 2 for once or more."""
        mark = self._next()
        least = 1
        if mark in {"?", "*", "+"}:
            least = 2 if mark == "+" else 0
            self._at += 1
        elif mark == "{":
            least = 0 if self._pattern[self._at + 1] in "0," else 2
            self._at = self._pattern.index("}", self._at) + 1
        if least != 1 and self._next() in {"?", "+"}:
            self._at += 1
        return least

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]


def _better(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """The one whose shortest string is longer: seldom there by chance."""
    return max(one, other, key=lambda letters: min((len(each) for each in letters), default=0))
