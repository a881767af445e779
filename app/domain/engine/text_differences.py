"""Two texts as one: lines both have, lines only one has, and the words in which a changed line changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from app.domain.engine.differences import Piece, compare_words

CONTEXT = 2
"""Lines shown around a change; longer stretches that both texts have are folded."""

PAIRED_WORDS = 600
"""Words of a changed line beyond which its two sides are shown whole: comparing grows with the product."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line: ``side`` is both, left or right; or ``fold``, with how many equal ``lines`` stand folded there."""

    side: str
    pieces: tuple[Piece, ...] = ()
    folded: tuple[str, ...] = ()


def compare_texts(left: str, right: str) -> tuple[DiffLine, ...]:
    """The lines of two texts in one order; empty for texts that are the same."""
    if left == right:
        return ()
    a, b = left.splitlines(), right.splitlines()
    codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    found: list[DiffLine] = []
    for place, (what, i, j, k, m) in enumerate(codes):
        if what == "equal":
            found.extend(_same(a[i:j], is_first=place == 0, is_last=place == len(codes) - 1))
        else:
            found.extend(_changed(a[i:j], b[k:m]))
    return tuple(found)


def _same(lines: Sequence[str], *, is_first: bool, is_last: bool) -> Iterator[DiffLine]:
    """Equal lines, with all but those beside a change folded."""
    head = 0 if is_first else CONTEXT
    tail = len(lines) - (0 if is_last else CONTEXT)
    if tail - head <= 1:
        yield from (_whole("both", line) for line in lines)
        return
    yield from (_whole("both", line) for line in lines[:head])
    yield DiffLine("fold", folded=tuple(lines[head:tail]))
    yield from (_whole("both", line) for line in lines[tail:])


def _changed(left: Sequence[str], right: Sequence[str]) -> Iterator[DiffLine]:
    """Lines in each other's place are paired in order, so that their changed words can be marked."""
    for one, other in zip(left, right, strict=False):
        if max(len(one.split()), len(other.split())) > PAIRED_WORDS:
            yield _whole("left", one)
            yield _whole("right", other)
            continue
        ours, theirs = compare_words(one, other)
        yield DiffLine("left", ours)
        yield DiffLine("right", theirs)
    shared = min(len(left), len(right))
    yield from (_whole("left", line) for line in left[shared:])
    yield from (_whole("right", line) for line in right[shared:])


def _whole(side: str, line: str) -> DiffLine:
    return DiffLine(side, (Piece(line, own=side != "both"),))
