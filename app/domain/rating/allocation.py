"""How many items each cell of the strata gives: a minimum, then proportional or equal shares."""

from collections.abc import Mapping
from enum import StrEnum

Cell = tuple[str, ...]
"""One value per stratum, in the order of the strata."""


class Allocation(StrEnum):
    """How places beyond the minimum are shared."""

    PROPORTIONAL = "proportional"
    EQUAL = "equal"


class AllocationError(ValueError):
    """The numbers asked for do not fit together; the message names the field and the mend."""


def allocate(sizes: Mapping[Cell, int], *, items: int, rule: Allocation, minimum: int) -> dict[Cell, int]:
    """Places per cell, never more than its size; they add up to ``items`` or to all there is, if that is less.

    After the minimum each further place goes to the cell that lacks most of its share (ties by cell), which is the
    method of the largest remainder under a floor and a ceiling. Raises AllocationError if the minimum alone asks for
    more than ``items``.
    """
    places = {cell: min(minimum, size) for cell, size in sorted(sizes.items())}
    if sum(places.values()) > items:
        raise AllocationError(
            f"items: at least {minimum}, or all there are, from each of {len(places)} cells "
            f"makes {sum(places.values())}, more than {items}; ask for more items, a smaller minimum or fewer strata"
        )
    everything = sum(sizes.values())
    shares = {
        cell: items * sizes[cell] / everything if rule is Allocation.PROPORTIONAL else items / len(places)
        for cell in places
    }
    for _ in range(min(items, everything) - sum(places.values())):
        open_cells = [cell for cell, size in sizes.items() if places[cell] < size]
        lacking = min(open_cells, key=lambda cell: (places[cell] - shares[cell], cell))
        places[lacking] += 1
    return places


def thin_cells(sizes: Mapping[Cell, int], *, items: int, minimum: int) -> tuple[str, ...]:
    """What must be said of cells smaller than the minimum, and of a frame smaller than the sample."""
    said = [
        f"{cell_name(cell)}: {size} in the frame, fewer than the minimum of {minimum}; all of them are taken first"
        for cell, size in sorted(sizes.items())
        if size < minimum
    ]
    everything = sum(sizes.values())
    if everything < items:
        said.append(f"the frame holds {everything} items, fewer than the {items} asked for")
    return tuple(said)


def cell_name(cell: Cell) -> str:
    """A cell as people read it."""
    return " · ".join(cell) or "all items"
