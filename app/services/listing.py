"""One page of a list."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Listing(Generic[Item]):
    """``items`` of page ``page`` (from 1) out of ``pages``; ``total`` counts the whole list."""

    items: Sequence[Item]
    page: int
    pages: int
    total: int


def listing(items: Sequence[Item], *, page: int, size: int, total: int) -> Listing[Item]:
    """Items that were read for a page, with the count of pages."""
    return Listing(items, page, max(1, -(-total // size)), total)


def page_of(everything: Sequence[Item], *, page: int, size: int) -> Listing[Item]:
    """One page cut from the whole; a page beyond the last gives the last."""
    pages = max(1, -(-len(everything) // size))
    shown = min(page, pages)
    return Listing(everything[(shown - 1) * size : shown * size], shown, pages, len(everything))
