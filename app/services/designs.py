"""What a design can find before it is launched: smallest detectable effects in words, from the published spreads."""

from dataclasses import dataclass

from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Mode
from app.domain.scoring.detectable import DetectableEffect, detectable_effects, power_of_equivalence
from app.domain.scoring.measures import Measure
from app.domain.study import StudyDesign

NEEDS = {
    "H1": (Condition.FULL, Condition.NO_PLAYBOOK),
    "H2": (Condition.FULL, Condition.SINGLE_PROMPT),
    "H4": (),
    "H5a": (Condition.FULL, Condition.NO_RED_TEAM),
    "H5b": (Condition.FULL, Condition.NO_RED_TEAM),
}
STATISTICS = {
    "H1": ("slope of T*, full over no playbook", "points an era"),
    "H2": ("mean of T*, full over single prompt", "points"),
    "H4": ("mean gap in one condition", "score points"),
    "H5a": ("pivot rate, no Red Team over full", ""),
    "H5b": ("frontier capture, no Red Team over full", ""),
}


@dataclass(frozen=True, slots=True)
class DetectableLine:
    """One hypothesis: the effect found with 80 % power, alone and first in line under Holm, or why there is none."""

    hypothesis: str
    statistic: str
    alone: str
    under_holm: str
    note: str


def detectable_lines(design: StudyDesign) -> tuple[DetectableLine, ...]:
    """What this design can find, hypothesis by hypothesis; H3 by its power at the margin."""
    declared = {str(one) for one in design.analysis.hypotheses}
    real = detectable_effects(_blocks(design, Mode.TRAINING))
    lines = [_line(found, design) for found in real if found.hypothesis in declared]
    if "H3" in declared:
        lines.insert(
            sum(line.hypothesis < "H3" for line in lines), _equivalence(design, _blocks(design, Mode.FICTIONAL))
        )
    return tuple(lines)


def _blocks(design: StudyDesign, mode: Mode) -> int:
    """Runs of one condition on the schedules with eras of a mode: each schedule makes its own."""
    schedules = sum(any(era.mode is mode for era in schedule.eras) for schedule in design.schedules)
    return design.repetitions * len(design.players) * max(1, schedules)


def _line(found: DetectableEffect, design: StudyDesign) -> DetectableLine:
    statistic, units = STATISTICS[found.hypothesis]
    absent = [f"“{str(name).replace('_', ' ')}”" for name in NEEDS[found.hypothesis] if name not in design.conditions]
    if absent:
        return DetectableLine(
            found.hypothesis, statistic, "–", "–", f"not tested: the condition {' and '.join(absent)} is not chosen"
        )
    if not any(era.mode is Mode.TRAINING for era in design.eras) and found.hypothesis != "H5a":
        return DetectableLine(found.hypothesis, statistic, "–", "–", "not tested: no schedule has a training era")
    return DetectableLine(
        found.hypothesis,
        statistic,
        _shown(found.alone, units),
        _shown(found.under_holm, units),
        found.alone.reason or "",
    )


def _equivalence(design: StudyDesign, runs: int) -> DetectableLine:
    margin = design.analysis.leakage_margin
    statistic = f"leakage equal within ±{margin:g}, fictional eras"
    if not any(era.mode is Mode.FICTIONAL for era in design.eras):
        return DetectableLine("H3", statistic, "–", "–", "not tested: no schedule has a fictional era")
    power = power_of_equivalence(runs, margin)
    alone = "–" if power.value is None else f"power {power.value:.0%}"
    return DetectableLine(
        "H3", statistic, alone, "–", power.reason or "power of one comparison if there is no difference"
    )


def _shown(measure: Measure, units: str) -> str:
    return "–" if measure.value is None else f"{measure.value:.2f} {units}".strip()
