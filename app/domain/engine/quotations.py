"""Quotations of a text that is gone: recognized by the hashes of its runs of words, and masked where they stand."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate

REDACTED = "[redacted]"

WINDOW = 6
"""Words in a row that count as a quotation; a shorter field counts when it is quoted whole."""

SHORTEST = 3
"""Fields of fewer words are not looked for elsewhere: they would be found everywhere."""

KEPT_PIECES = 16_384
"""Pieces of text whose quotations are kept, for each set of fingerprints: prompts share most of theirs."""

LONGEST_KEPT = 2_000
"""Characters of a piece that is kept; a longer one is searched whenever it is met."""

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r'[^\n"]*[\n"]|[^\n"]+')

Prints = frozenset[str]
"""Fingerprints of runs of words, each as ``<words>:<hash>``; the text cannot be read back from them."""

_Found = tuple[int, Mapping[int, int]]
"""The words of a piece, and the quotations that begin in it: the place of the first word, and how many words."""


def prints_of(text: str) -> Prints:
    """What quotations of a text are recognized by; none of one with fewer words than ``SHORTEST``."""
    words = _words(text)
    size = min(WINDOW, len(words))
    if size < SHORTEST:
        return frozenset()
    return frozenset(f"{size}:{one.hex()}" for one in _hashes(*_joined(words), size))


def masked_text(text: str, prints: Prints) -> str:
    """The text with every quotation replaced by ``[redacted]``."""
    parts: list[str] = []
    end = begin = left = 0  # of what is in parts, of the piece, and words still to hide
    before = False
    for piece, (words, runs) in _sought(prints).found(text):
        if runs or left:
            for at, word in enumerate(_WORD.finditer(text, begin, begin + len(piece))):
                left = max(left, runs.get(at, 0))
                if left and not before:
                    parts += [text[end : word.start()], REDACTED]
                if left:
                    end = word.end()
                before = left > 0
                left -= before
        elif words:
            before = False
        begin += len(piece)
    return "".join([*parts, text[end:]])


def _words(text: str) -> list[str]:
    """Words in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def _joined(words: Sequence[str]) -> tuple[bytes, list[int]]:
    """All words in one string of bytes, and where each begins in it; the last place is beyond its end."""
    encoded = [word.encode() for word in words]
    return b" ".join(encoded), list(accumulate((len(word) + 1 for word in encoded), initial=0))


def _hashes(whole: bytes, starts: list[int], size: int) -> list[bytes]:
    """The hash of each run of so many words, in their order."""
    ends = starts[size:]
    return [blake2b(whole[start : end - 1], digest_size=9).digest() for start, end in zip(starts, ends, strict=False)]


class _Sought:
    """Hashes by the number of words they stand for, and what was found of them in pieces of text read before."""

    def __init__(self, prints: Prints) -> None:
        found: dict[int, set[bytes]] = {}
        for one in prints:
            size, _, value = one.partition(":")
            found.setdefault(int(size), set()).add(bytes.fromhex(value))
        self._hashes = sorted(found.items())
        self._reach = max(found, default=1) - 1
        self._kept = lru_cache(maxsize=KEPT_PIECES)(self._search)

    def found(self, text: str) -> list[tuple[str, _Found]]:
        """The pieces of a text with what begins in each; a quotation may go on over several."""
        found: list[tuple[str, _Found]] = []
        ahead: tuple[str, ...] = ()
        for piece in reversed(_PIECE.findall(text)):
            search = self._kept if len(piece) <= LONGEST_KEPT else self._search
            here, ahead = search(piece, ahead)
            found.append((piece, here))
        return found[::-1]

    def _search(self, piece: str, ahead: tuple[str, ...]) -> tuple[_Found, tuple[str, ...]]:
        """What begins in a piece, and the words that stand ahead of the piece before it."""
        words = _words(piece)
        spoken = (*words, *ahead)
        whole, starts = _joined(spoken)
        runs: dict[int, int] = {}
        for size, hashes in self._hashes:
            for at, one in enumerate(_hashes(whole, starts[: len(words) + size], size)):
                if one in hashes:
                    runs[at] = size
        return (len(words), runs), spoken[: self._reach]


_sought = lru_cache(maxsize=2)(_Sought)
"""Of a run and of its study's judgings, which are masked in one go."""
