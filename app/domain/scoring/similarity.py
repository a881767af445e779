"""How alike decisions of different runs are in the same era, beside those of different eras."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from app.domain.protocol.artifacts import Decision
from app.domain.protocol.imported import ImportedDecision
from app.domain.scoring.measures import Measure, undefined

Cosines = npt.NDArray[np.float64]
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


def cosines_of(decisions: Sequence[DecisionText]) -> Cosines:
    """TF-IDF cosine of every two texts, n x n (Salton and Buckley, 1988; idf = ln(1 + N/df)); 0 with an empty one."""
    counts = [Counter(_WORD.findall(decision.text.casefold())) for decision in decisions]
    seen_in = Counter(word for each in counts for word in each)
    place = {word: number for number, word in enumerate(seen_in)}
    rarity = {word: math.log(1 + len(decisions) / seen) for word, seen in seen_in.items()}
    rows = [_unit_length({place[word]: times * rarity[word] for word, times in each.items()}) for each in counts]
    data = [weight for row in rows for weight in row.values()]
    columns = [column for row in rows for column in row]
    starts = np.cumsum([0, *map(len, rows)])
    weights = csr_array((data, columns, starts), shape=(len(rows), max(1, len(place))), dtype=np.float64)
    cosines: Cosines = np.minimum((weights @ weights.T).toarray(), 1.0)
    return cosines


def similarity_of_decisions(
    decisions: Sequence[DecisionText], cosines: Cosines, among: Collection[str] | None = None
) -> SimilaritySummary:
    """Average the cosines over every two decisions of different runs; ``among`` names the runs, or all."""
    runs, eras = (np.array([getattr(one, name) for one in decisions], dtype=str) for name in ("run", "era"))
    pairs = np.triu(runs[:, None] != runs[None, :], 1)
    if among is not None:
        kept = np.isin(runs, list(among))
        pairs &= kept[:, None] & kept[None, :]
    same = eras[:, None] == eras[None, :]
    apart = _mean(cosines[pairs & ~same], "different eras")
    return SimilaritySummary(_mean(cosines[pairs & same], "the same era"), apart)


def pairs_of_runs(decisions: Sequence[DecisionText], cosines: Cosines) -> Iterator[RunPair]:
    """Every two runs that decided in one era at least, in the order of their first decisions."""
    places: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for number, decision in enumerate(decisions):
        places[decision.run][decision.era] = number
    for (run, own), (other, others) in combinations(places.items(), 2):
        same = {era: float(cosines[own[era], others[era]]) for era in own if era in others}
        apart = [cosines[a, b] for era, a in own.items() for other_era, b in others.items() if era != other_era]
        if same:
            yield RunPair(run, other, same, _mean(np.array(apart), "different eras"))


def _mean(values: Cosines, where: str) -> Measure:
    if not len(values):
        return undefined(f"there are no two runs with decisions in {where}")
    return Measure(float(values.mean()), len(values))


def _unit_length(weights: Mapping[int, float]) -> Mapping[int, float]:
    length = math.hypot(*weights.values())
    return {place: weight / length for place, weight in weights.items()} if length else {}
