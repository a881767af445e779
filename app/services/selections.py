"""What briefings took from the record: one by one, by author and schedule, and how far each author leans."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.audit.selection import excess_beyond_prominence
from app.domain.scoring.measures import Measure, mean_of
from app.domain.study import StudyDesign
from app.storage.findings import KeptCount
from app.storage.studies import Study

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class SelectionLine:
    """What one briefing took; numbers are None with a reason where it can say nothing."""

    run_id: UUID
    run: str
    condition: str
    schedule: str
    era: str
    key: str
    author: str
    used: int
    dominant: int
    unnumbered: int
    share: float | None
    expected: float | None
    excess: float | None
    p_value: float | None
    power: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class SelectionSum:
    """The briefings of one author on one schedule: mean excess, and how many have p at or under the level."""

    author: str
    schedule: str
    briefings: int
    excess: Measure
    tested: int
    small: int


@dataclass(frozen=True, slots=True)
class SelectionLean:
    """How far an author's briefings lean to what came to dominate on history, on invented worlds, and beyond these."""

    author: str
    real: Measure
    fictional: Measure
    beyond: Measure


def selection_line(study: Study, count: KeptCount, run: str, condition: str, schedule: str) -> SelectionLine:
    """What one briefing took, from its count and its run's name, condition and schedule."""
    numbers = count.numbers or {}
    carried = study.design.preset.judge_writes_next_briefing
    author = study.design.judge.model if carried else study.design.author.model
    return SelectionLine(
        run_id=count.run_id,
        run=run,
        condition=condition,
        schedule=study.design.schedule_of(schedule).title,
        era=count.era,
        key=count.key,
        author="drawn by code" if numbers.get("drawn") else author,
        used=numbers.get("used", 0),
        dominant=numbers.get("dominant", 0),
        unnumbered=numbers.get("unnumbered", 0),
        share=numbers.get("share"),
        expected=numbers.get("expected"),
        excess=numbers.get("excess"),
        p_value=numbers.get("p_value"),
        power=numbers.get("power"),
        reason=numbers.get("reason"),
    )


def selection_sums(lines: Sequence[SelectionLine]) -> tuple[SelectionSum, ...]:
    """The lines of each author on each schedule, put together."""
    by_author: dict[tuple[str, str], list[SelectionLine]] = defaultdict(list)
    for line in lines:
        by_author[line.author, line.schedule].append(line)
    return tuple(
        SelectionSum(
            author=author,
            schedule=schedule,
            briefings=len(own),
            excess=mean_of([one.excess for one in own if one.excess is not None], "briefing with an excess"),
            tested=sum(one.p_value is not None for one in own),
            small=sum(one.p_value is not None and one.p_value <= LEVEL for one in own),
        )
        for (author, schedule), own in sorted(by_author.items())
    )


def selection_leans(design: StudyDesign, lines: Sequence[SelectionLine]) -> tuple[SelectionLean, ...]:
    """Every author in order of name; what already dominates is prominent without leakage, in a world as in history."""
    invented = {one.title for one in design.schedules if one.is_fictional}
    leans = []
    for author in sorted({line.author for line in lines}):
        own = [
            (line.schedule in invented, line.excess)
            for line in lines
            if line.author == author and line.excess is not None
        ]
        real, fictional = (
            mean_of([excess for among, excess in own if among is wanted], "briefing with an excess")
            for wanted in (False, True)
        )
        leans.append(SelectionLean(author, real, fictional, excess_beyond_prominence(real, fictional)))
    return tuple(leans)
