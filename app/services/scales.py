"""Which scores may stand in one figure or mean: one of The Record's modes, or The Auditor's eras; and which total."""

from collections.abc import Sequence
from enum import StrEnum

from app.domain.protocol.eras import Era, Mode, Schedule
from app.domain.protocol.rubrics import RubricId, rubric_of
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.study import StudyDesign


class Scale(StrEnum):
    """Eras whose raw scores share a scale; scores of two scales are never shown as one."""

    TRAINING = "training"
    FICTIONAL = "fictional"
    POST_CUTOFF = "post_cutoff"
    AUDITOR = "auditor"

    @property
    def rubric(self) -> RubricId:
        """The rubric its eras are judged by."""
        return RubricId.AUDITOR if self is Scale.AUDITOR else RubricId.RECORD

    @property
    def mode(self) -> Mode | None:
        """The Record's mode; None for The Auditor's two."""
        return None if self is Scale.AUDITOR else Mode(self.value)

    @property
    def words(self) -> str:
        """What its eras are called in a note."""
        judge = "The Auditor" if self is Scale.AUDITOR else "The Record"
        eras = "live and forecast" if self is Scale.AUDITOR else self.value.replace("_", "-")
        return f"{eras} eras, {judge}’s rubric"

    def holds(self, mode: Mode) -> bool:
        """Whether eras of a mode are on this scale."""
        return scale_of(mode) is self


class Total(StrEnum):
    """The totals of an era; the last is The Auditor's, for contrasts with runs that saw no Playbook."""

    CONTROLLED = "controlled"
    MECHANICAL = "mechanical"
    TYPED = "typed"
    WITHOUT_PLAYBOOK = "without_playbook"

    @property
    def words(self) -> str:
        """Its name with its sign."""
        return {
            "controlled": "controlled total T*",
            "mechanical": "mechanical total T̃",
            "typed": "typed total T",
            "without_playbook": "total without playbook consistency",
        }[self]

    @property
    def axis(self) -> str:
        """Its name along an axis, where a long one does not fit."""
        return f"{'total' if self is Total.WITHOUT_PLAYBOOK else self.words}, 0 to 100"

    @property
    def heading(self) -> str:
        """Its name at the start of a sentence."""
        return self.words[0].upper() + self.words[1:]


def scale_of(mode: Mode) -> Scale:
    """The scale of an era's mode."""
    return Scale.AUDITOR if rubric_of(mode) is RubricId.AUDITOR else Scale(mode.value)


def scales_of(eras: Sequence[Era]) -> tuple[Scale, ...]:
    """The scales a schedule has eras on, The Record's first."""
    found = {scale_of(era.mode) for era in eras}
    return tuple(scale for scale in Scale if scale in found)


def schedules_on(design: StudyDesign, scale: Scale) -> tuple[Schedule, ...]:
    """The schedules with eras on a scale: what is shown is of one of them, never pooled."""
    return tuple(one for one in design.schedules if any(scale.holds(era.mode) for era in one.eras))


def totals_on(scale: Scale, eras: Sequence[ScoredEra]) -> tuple[Total, ...]:
    """The totals that a scale has: T* is The Record's only, typed totals only where a judge typed them."""
    typed = (Total.TYPED,) if any(era.typed_total is not None for era in eras) else ()
    if scale.rubric is RubricId.RECORD:
        return (Total.CONTROLLED, Total.MECHANICAL, *typed)
    return (Total.MECHANICAL, Total.WITHOUT_PLAYBOOK, *typed)
