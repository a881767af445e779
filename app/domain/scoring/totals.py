"""The judge's typed total, the mechanical total and the controlled total of an era, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.protocol.rubrics import RubricId
from app.domain.scoring.measures import Measure, mean_of, sd_of, undefined
from app.domain.scoring.scored_eras import MixedRubricsError, ScoredEra, require_one_scale

MIXED_LABEL = "mixes The Record's and The Auditor's rubrics; reproduced as published, not a comparison"


@dataclass(frozen=True, slots=True)
class EraTotals:
    """The totals of one era on 0-100; `typed_minus_mechanical` is None without a typed total."""

    typed: float | None
    mechanical: float
    controlled: Measure
    typed_minus_mechanical: float | None


@dataclass(frozen=True, slots=True)
class TotalsRange:
    """All totals of a table as published, with the label that says what they mix."""

    n: int
    minimum: float | None
    maximum: float | None
    mean: Measure
    sd: Measure
    label: str


def mechanical_total(era: ScoredEra) -> float:
    """Twice the sum of the five subscores, 0-100 (protocol, section 6)."""
    return 2.0 * sum(era.subscores.values())


def controlled_total(era: ScoredEra) -> Measure:
    """2.5 times the sum of The Record's four subscores other than hindsight, 0-100; undefined for The Auditor."""
    if era.rubric is RubricId.AUDITOR:
        return undefined("the controlled total is not defined on The Auditor's rubric")
    return Measure(2.5 * sum(score for name, score in era.subscores.items() if name != "hindsight_leakage"), 4)


def total_without_playbook(era: ScoredEra) -> float:
    """2.5 times The Auditor's four subscores other than playbook_consistency, for contrasts with `no_playbook`."""
    if era.rubric is not RubricId.AUDITOR:
        raise MixedRubricsError(f"{era.run} {era.era}: only The Auditor scores playbook_consistency")
    return 2.5 * sum(score for name, score in era.subscores.items() if name != "playbook_consistency")


def totals_of(era: ScoredEra) -> EraTotals:
    """Give the three totals of an era and the difference between the typed and the mechanical one."""
    mechanical = mechanical_total(era)
    difference = None if era.typed_total is None else era.typed_total - mechanical
    return EraTotals(era.typed_total, mechanical, controlled_total(era), difference)


def aggregation_rule(eras: Sequence[ScoredEra]) -> str | None:
    """Say how typed totals were made: `sum_x2` if all equal the mechanical total, `typed` if none, else `mixed`.

    None when no era has a typed total.
    """
    agreements = {era.typed_total == mechanical_total(era) for era in eras if era.typed_total is not None}
    if not agreements:
        return None
    if len(agreements) == 2:
        return "mixed"
    return "sum_x2" if True in agreements else "typed"


def shown_totals(eras: Sequence[ScoredEra]) -> tuple[list[float], str]:
    """Give the typed totals if every era has one, else the mechanical totals, and the name of the kind given."""
    typed = [era.typed_total for era in eras if era.typed_total is not None]
    if eras and len(typed) == len(eras):
        return typed, "typed"
    return [mechanical_total(era) for era in eras], "mechanical"


def mean_total(eras: Sequence[ScoredEra]) -> Measure:
    """Mean of the shown totals of eras on one raw scale; raises MixedRubricsError otherwise."""
    require_one_scale(eras)
    return mean_of(shown_totals(eras)[0], "era")


def totals_as_published(eras: Sequence[ScoredEra]) -> TotalsRange:
    """Range, mean and SD of all totals, whatever their rubric: the one figure that mixes, and is labelled so."""
    totals, kind = shown_totals(eras)
    label = MIXED_LABEL if len({era.rubric for era in eras}) > 1 else f"{kind} totals of one rubric"
    return TotalsRange(
        n=len(totals),
        minimum=min(totals, default=None),
        maximum=max(totals, default=None),
        mean=mean_of(totals, "era"),
        sd=sd_of(totals, "era"),
        label=label,
    )
