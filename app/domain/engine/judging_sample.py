"""Which stored decisions a check judges again: a seeded draw from conditions, players and eras in turn."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.engine.judgings import JudgedItem


@dataclass(frozen=True, slots=True)
class JudgedDecision:
    """A decision that its own judge has scored, and what it is drawn by."""

    item: JudgedItem
    condition: str
    player: str


def draw_items(decisions: Sequence[JudgedDecision], count: int | None, *, seed: int) -> tuple[JudgedItem, ...]:
    """Up to ``count`` decisions (all for None) in the order of runs and eras; the same for the same seed.

    Strata are condition × player × era. One decision is taken from each stratum in a drawn order, then a second, and
    so on, so that no stratum has two more than another while that one has any left.
    """
    ordered = sorted(decisions, key=_place)
    if count is None or count >= len(ordered):
        return tuple(one.item for one in ordered)
    strata: dict[tuple[str, str, str], list[JudgedDecision]] = defaultdict(list)
    for one in ordered:
        strata[one.condition, one.player, one.item.era].append(one)
    draw = random.Random(f"judging:{seed}")
    shuffled = [draw.sample(strata[name], k=len(strata[name])) for name in sorted(strata)]
    draw.shuffle(shuffled)
    deepest = max(len(stratum) for stratum in shuffled)
    turns = [stratum[turn] for turn in range(deepest) for stratum in shuffled if turn < len(stratum)]
    return tuple(one.item for one in sorted(turns[:count], key=_place))


def _place(one: JudgedDecision) -> tuple[int, str]:
    return one.item.run, one.item.era
