"""The Playbook ``P_k``: lessons so far, with the history of what was revised or retired."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from app.domain.ids import LessonId
from app.domain.protocol.artifacts import LessonDraft, LessonKind


class Lesson(BaseModel):
    """One lesson; ``replaced_by`` or ``retired_by`` name the lesson that ended it, if one did."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: LessonId
    era: str
    text: str
    kind: LessonKind
    revises: LessonId | None = None
    retires: LessonId | None = None
    replaced_by: LessonId | None = None
    retired_by: LessonId | None = None

    @property
    def is_active(self) -> bool:
        """Whether players still see it."""
        return self.replaced_by is None and self.retired_by is None


class Playbook(BaseModel):
    """All lessons in order of writing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lessons: tuple[Lesson, ...] = ()

    @property
    def active(self) -> tuple[Lesson, ...]:
        """The lessons that hold now."""
        return tuple(lesson for lesson in self.lessons if lesson.is_active)

    def with_lessons(self, era: str, drafts: Sequence[LessonDraft]) -> "Playbook":
        """The Playbook after an era's review; a draft naming an unknown lesson revises or retires nothing."""
        known = {lesson.id for lesson in self.lessons}
        new = tuple(_lesson(era, number, draft, known) for number, draft in enumerate(drafts, start=1))
        return Playbook(lessons=(*_ended(self.lessons, new), *new))


def _lesson(era: str, number: int, draft: LessonDraft, known: set[LessonId]) -> Lesson:
    revises, retires = (
        LessonId(name) if name is not None and name in known else None for name in (draft.revises, draft.retires)
    )
    return Lesson(
        id=LessonId(f"{era}-{number}"), era=era, text=draft.text, kind=draft.kind, revises=revises, retires=retires
    )


def _ended(lessons: Iterable[Lesson], new: Sequence[Lesson]) -> tuple[Lesson, ...]:
    replaced = {lesson.revises: lesson.id for lesson in new if lesson.revises}
    retired = {lesson.retires: lesson.id for lesson in new if lesson.retires}
    return tuple(
        lesson.model_copy(
            update={
                "replaced_by": lesson.replaced_by or replaced.get(lesson.id),
                "retired_by": lesson.retired_by or retired.get(lesson.id),
            }
        )
        if lesson.id in replaced or lesson.id in retired
        else lesson
        for lesson in lessons
    )
