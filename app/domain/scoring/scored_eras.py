"""One judged era as scores see it, the two rubrics, and the refusal to mix them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.domain.protocol.eras import Mode
from app.domain.protocol.rubrics import SCALE, RubricId, dimensions_of, rubric_of


class MixedRubricsError(ValueError):
    """Scores were asked to be averaged or compared although they come from different rubrics or raw scales."""


class ScoreFormError(ValueError):
    """A judged era does not have the form its rubric asks for; the message names the era and the field."""


@dataclass(frozen=True, slots=True)
class ScoredEra:
    """The judge's scores of one era of one run.

    `index` is the era's place k = 1..K in its schedule. `subscores` holds integers 0-10 under exactly the five names of
    the mode's rubric. `typed_total` is a total the judge wrote (0-100), where there is one. `intervened` says that a
    human changed something in this era.
    """

    run: str
    era: str
    index: int
    mode: Mode
    company: str
    subscores: Mapping[str, int]
    typed_total: float | None = None
    intervened: bool = False

    def __post_init__(self) -> None:
        where = f"{self.run} {self.era}"
        expected = dimensions_of(self.rubric)
        if set(self.subscores) != set(expected):
            raise ScoreFormError(f"{where}: a {self.mode} era has the subscores {', '.join(expected)}")
        for name, score in self.subscores.items():
            if not SCALE[0] <= score <= SCALE[1]:
                raise ScoreFormError(f"{where}: {name} is {score}; a subscore is an integer from 0 to 10")
        if self.typed_total is not None and not 0 <= self.typed_total <= 100:
            raise ScoreFormError(f"{where}: the typed total is {self.typed_total}; a total lies between 0 and 100")

    @property
    def rubric(self) -> RubricId:
        """The rubric that the era's mode is judged by."""
        return rubric_of(self.mode)


def the_rubric_of(eras: Iterable[ScoredEra]) -> RubricId | None:
    """Give the one rubric of these eras, None for no eras; raise MixedRubricsError when there are two."""
    rubrics = {era.rubric for era in eras}
    if len(rubrics) > 1:
        raise MixedRubricsError(
            "scores of The Record and of The Auditor are never averaged or set against each other; "
            "choose eras of one rubric"
        )
    return next(iter(rubrics), None)


def require_one_scale(eras: Iterable[ScoredEra]) -> None:
    """Refuse eras whose raw levels do not share a scale.

    Beside the two rubrics, the raw levels of The Record's own modes (training, fictional, post_cutoff) are not
    comparable either; only condition contrasts within each may be shown together (protocol, section 3).
    """
    kept = list(eras)
    modes = sorted({era.mode for era in kept})
    if the_rubric_of(kept) is RubricId.RECORD and len(modes) > 1:
        raise MixedRubricsError(
            f"raw scores of the modes {', '.join(modes)} are not comparable; choose one mode, or compare contrasts"
        )


def require_record(eras: Iterable[ScoredEra], what: str) -> None:
    """Refuse eras that The Record did not score, for measures that only its rubric defines."""
    strangers = [f"{era.run} {era.era}" for era in eras if era.rubric is not RubricId.RECORD]
    if strangers:
        raise MixedRubricsError(
            f"{what} is defined on The Record's rubric only; leave out {', '.join(strangers[:3])}"
            + (" and others" if len(strangers) > 3 else "")
        )


def eras_of_mode(eras: Iterable[ScoredEra], mode: Mode) -> list[ScoredEra]:
    """Give the eras of one mode, in schedule order."""
    return sorted((era for era in eras if era.mode == mode), key=lambda era: era.index)


def eras_by_run(eras: Iterable[ScoredEra]) -> dict[str, list[ScoredEra]]:
    """Group eras by run, runs in order of name and eras in schedule order."""
    grouped: dict[str, list[ScoredEra]] = {}
    for era in sorted(eras, key=lambda each: (each.run, each.index)):
        grouped.setdefault(era.run, []).append(era)
    return grouped


def without_interventions(eras: Sequence[ScoredEra]) -> list[ScoredEra]:
    """Give the eras no human changed, for the sensitivity analysis every result is shown with."""
    return [era for era in eras if not era.intervened]
