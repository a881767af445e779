"""From what was judged again to the statistics of each check, on T* and on every subscore of The Record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.domain.audit.judges import (
    OwnText,
    Retest,
    SelfPreference,
    Swap,
    outcome_flip,
    padding,
    retest,
    self_preference,
    swap,
)
from app.domain.audit.shifts import ScorePair, Shift
from app.domain.engine.judgings import Variant
from app.domain.protocol.rubrics import RECORD_DIMENSIONS

CONTROLLED = "T*"
MEASURES = (CONTROLLED, *RECORD_DIMENSIONS)
"""What checks are computed on: the controlled total, 0 to 100, then each subscore, 0 to 10. Never a mean of both."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One judgement of one decision of a run; ``scores`` are The Record's five subscores."""

    run: str
    era: str
    player: str
    scores: Mapping[str, int]
    variant: Variant = Variant.PLAIN


Place = tuple[str, str]


def value_of(judged: Judged, measure: str) -> float:
    """The controlled total (protocol section 6) or one subscore."""
    if measure != CONTROLLED:
        return float(judged.scores[measure])
    return 2.5 * sum(score for name, score in judged.scores.items() if name != "hindsight_leakage")


def retests(first: Iterable[Judged], again: Iterable[Judged]) -> Mapping[str, Retest]:
    """All judgements of a decision beside each other, the first judge's own among them."""
    judged = list(again)
    wanted = {_place(one) for one in judged}
    together = _by_place([*(one for one in first if _place(one) in wanted), *judged])
    return {name: retest([[value_of(one, name) for one in each] for each in together.values()]) for name in MEASURES}


def swaps(first: Iterable[Judged], again: Iterable[Judged], *, seed: int) -> Mapping[str, Swap]:
    """The first judge less the judge of another family."""
    return {name: swap(pairs, seed=seed) for name, pairs in _pairs(_means(first), _means(again)).items()}


def paddings(judged: Sequence[Judged], *, seed: int) -> Mapping[str, Shift]:
    """The padded decision less the same as it was."""
    pairs = _pairs(_means(_of(judged, Variant.PADDED)), _means(_of(judged, Variant.PLAIN)))
    return {name: padding(each, seed=seed) for name, each in pairs.items()}


def outcome_flips(judged: Sequence[Judged], *, seed: int) -> Mapping[str, Shift]:
    """Shown a success less shown a failure."""
    pairs = _pairs(_means(_of(judged, Variant.SUCCESS)), _means(_of(judged, Variant.FAILURE)))
    return {name: outcome_flip(each, seed=seed) for name, each in pairs.items()}


def self_preferences(
    first: Iterable[Judged], again: Sequence[Judged], *, judge: str, seed: int
) -> Mapping[str, SelfPreference]:
    """How a player's model judges its own decisions and others', each against the first judge's score of the same."""
    theirs, ours = _means(first), _means(again)
    players = {_place(one): one.player for one in again}
    return {
        name: self_preference(
            [
                OwnText(place[0], players[place] == judge, values[name], theirs[place][name])
                for place, values in sorted(ours.items())
                if place in theirs
            ],
            seed=seed,
        )
        for name in MEASURES
    }


def _of(judged: Iterable[Judged], variant: Variant) -> list[Judged]:
    return [one for one in judged if one.variant is variant]


def _place(judged: Judged) -> Place:
    return judged.run, judged.era


def _by_place(judged: Iterable[Judged]) -> dict[Place, list[Judged]]:
    found: dict[Place, list[Judged]] = defaultdict(list)
    for one in judged:
        found[_place(one)].append(one)
    return dict(sorted(found.items()))


def _means(judged: Iterable[Judged]) -> dict[Place, dict[str, float]]:
    """Repetitions of one decision are averaged before anything is compared."""
    return {
        place: {name: sum(value_of(one, name) for one in each) / len(each) for name in MEASURES}
        for place, each in _by_place(judged).items()
    }


def _pairs(
    first: Mapping[Place, Mapping[str, float]], second: Mapping[Place, Mapping[str, float]]
) -> dict[str, list[ScorePair]]:
    """Pairs of the decisions that both have."""
    both = [place for place in sorted(first) if place in second]
    return {name: [ScorePair(place[0], first[place][name], second[place][name]) for place in both] for name in MEASURES}
