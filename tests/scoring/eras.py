"""Scored eras for tests."""

from collections.abc import Sequence

from hypothesis import strategies as st

from app.domain.protocol.eras import Mode
from app.domain.protocol.rubrics import AUDITOR_DIMENSIONS, RECORD_DIMENSIONS
from app.domain.scoring.run_values import JudgedRun
from app.domain.scoring.scored_eras import ScoredEra


def record_era(
    *,
    run: str = "run-1",
    index: int = 1,
    mode: Mode = Mode.TRAINING,
    company: str = "Alder",
    scores: Sequence[int] = (6, 6, 6, 6, 6),
    total: float | None = None,
    intervened: bool = False,
) -> ScoredEra:
    subscores = dict(zip(RECORD_DIMENSIONS, scores, strict=True))
    return ScoredEra(run, f"E{index}", index, mode, company, subscores, total, intervened)


def auditor_era(
    *,
    run: str = "run-1",
    index: int = 7,
    era: str | None = None,
    mode: Mode = Mode.LIVE,
    company: str = "Alder",
    scores: Sequence[int] = (6, 6, 6, 6, 6),
    total: float | None = None,
) -> ScoredEra:
    subscores = dict(zip(AUDITOR_DIMENSIONS, scores, strict=True))
    return ScoredEra(run, era or f"E{index}", index, mode, company, subscores, total)


def judged_run(
    condition: str,
    replicate: int,
    scores: Sequence[Sequence[int]],
    *,
    player: str = "m1",
    mode: Mode = Mode.TRAINING,
    **more: object,
) -> JudgedRun:
    run = f"{condition}-{player}-{replicate}-{mode}"
    eras = tuple(record_era(run=run, index=i, mode=mode, scores=each) for i, each in enumerate(scores, start=1))
    return JudgedRun(run, condition, replicate, player, eras, **more)  # type: ignore[arg-type]


def record_eras() -> st.SearchStrategy[ScoredEra]:
    return st.builds(lambda scores: record_era(scores=scores), st.lists(st.integers(0, 10), min_size=5, max_size=5))
