"""How alike decisions of different runs are in the same era, beside those of different eras."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from app.domain.protocol.artifacts import Decision
from app.domain.protocol.imported import ImportedDecision
from app.domain.scoring.measures import Measure, undefined

Sums = npt.NDArray[np.float64]
"""A sum of cosines, and of how many."""

_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class DecisionText:
    """The text of one decision with its run and era; leave the company's name out, it would decide the matter."""

    run: str
    era: str
    text: str


@dataclass(frozen=True, slots=True)
class SimilaritySummary:
    """Mean cosine from 0 to 1 over pairs of different runs: the same era, and different eras as the yardstick."""

    same_era: Measure
    different_era: Measure


@dataclass(frozen=True, slots=True)
class RunPair:
    """Two runs: the cosine of their decisions by era, and the mean over their decisions of different eras."""

    run: str
    other: str
    same_era: Mapping[str, float]
    different_era: Measure


def decision_text(decision: Decision | ImportedDecision) -> str:
    """What a decision chooses, in its own words, without its company's name.

    Dissents, cited lessons and tagged claims are left out: whether there are any depends on condition and era.
    """
    if isinstance(decision, ImportedDecision):
        parts = [decision.identity, *decision.chain.values(), *decision.end, *decision.keep, *decision.fields.values()]
    else:
        chain = decision.chain.model_dump(exclude={"layer"}).values()
        parts = [decision.identity, *chain, decision.rationale, *decision.end, *decision.keep, decision.wedge]
        parts += [decision.first_customer, *decision.plan, decision.capital_need, *decision.organization]
    name = {word.casefold() for word in _WORD.findall(decision.company_name)}
    return " ".join(word for word in _WORD.findall(" ".join(parts)) if word.casefold() not in name)


def weights_of(decisions: Sequence[DecisionText]) -> csr_array:
    """TF-IDF weights of the words, texts x words, rows of unit length (Salton and Buckley, 1988; idf = ln(1 + N/df)).

    The product of two rows is the cosine of their texts. A text without a word has a row of zeros.
    """
    counts = [Counter(_WORD.findall(decision.text.casefold())) for decision in decisions]
    seen_in = Counter(word for each in counts for word in each)
    place = {word: number for number, word in enumerate(seen_in)}
    rarity = {word: math.log(1 + len(decisions) / seen) for word, seen in seen_in.items()}
    rows = [_unit_length({place[word]: times * rarity[word] for word, times in each.items()}) for each in counts]
    data = [weight for row in rows for weight in row.values()]
    columns = [column for row in rows for column in row]
    starts = np.cumsum([0, *map(len, rows)])
    return csr_array((data, columns, starts), shape=(len(rows), max(1, len(place))), dtype=np.float64)


def similarity_of_decisions(
    decisions: Sequence[DecisionText], weights: csr_array, among: Collection[str] | None = None
) -> SimilaritySummary:
    """Average the cosines over every two decisions of different runs; ``among`` names the runs, or all.

    The squared length of a sum of rows is the sum of their cosines: no pair is visited, of which there are millions.
    """
    kept = [number for number, one in enumerate(decisions) if among is None or one.run in among]
    rows, ones = weights[kept], [decisions[number] for number in kept]
    whole, runs = _within(rows, [""] * len(ones)), _within(rows, [one.run for one in ones])
    eras, both = _within(rows, [one.era for one in ones]), _within(rows, [(one.run, one.era) for one in ones])
    return SimilaritySummary(
        _mean((eras - both) / 2, "the same era"), _mean((whole - runs - eras + both) / 2, "different eras")
    )


def pairs_of_runs(decisions: Sequence[DecisionText], weights: csr_array) -> Iterator[RunPair]:
    """Every two runs that decided in one era at least, in the order of their first decisions."""
    places: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for number, decision in enumerate(decisions):
        places[decision.run][decision.era] = number
    runs = list(places.items())
    for number, (run, own) in enumerate(runs):
        rows = dict(zip(own, np.minimum((weights[list(own.values())] @ weights.T).toarray(), 1.0), strict=True))
        for other, others in runs[number + 1 :]:
            same = {era: float(rows[era][others[era]]) for era in own if era in others}
            apart = [rows[era][b] for era in own for other_era, b in others.items() if era != other_era]
            if same:
                sums = np.array([math.fsum(apart), len(apart)])
                yield RunPair(run, other, same, _mean(sums, "different eras"))


def _within(rows: csr_array, groups: Sequence[Hashable]) -> Sums:
    """Sum and number of the cosines of every row with every row of its group, itself included."""
    codes: dict[Hashable, int] = {}
    of_row = [codes.setdefault(group, len(codes)) for group in groups]
    members = csr_array((np.ones(len(groups)), (of_row, range(len(groups)))), shape=(max(1, len(codes)), len(groups)))
    sums = members @ rows
    return np.array([float(sums.multiply(sums).sum()), sum(count**2 for count in Counter(of_row).values())])


def _mean(sums: Sums, where: str) -> Measure:
    """The mean of a sum and a number of cosines."""
    total, pairs = float(sums[0]), int(sums[1])
    if not pairs:
        return undefined(f"there are no two runs with decisions in {where}")
    return Measure(min(1.0, max(0.0, total / pairs)), pairs)


def _unit_length(weights: Mapping[int, float]) -> Mapping[int, float]:
    length = math.hypot(*weights.values())
    return {place: weight / length for place, weight in weights.items()} if length else {}
