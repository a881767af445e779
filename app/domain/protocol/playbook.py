"""The Playbook ``P_k``: lessons so far, with the history of what was revised or retired."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from app.domain.ids import LessonId
from app.domain.once import once_each
from app.domain.protocol.artifacts import LessonDraft, LessonKind

KEPT_PLAYBOOKS = 1_024


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
        return _active(self)

    @property
    def ids(self) -> frozenset[LessonId]:
        """The ids of all lessons so far."""
        return _ids(self)

    @property
    def eras(self) -> frozenset[str]:
        """The eras whose reviews wrote a lesson."""
        return _eras(self)

    def with_lessons(self, era: str, drafts: Sequence[LessonDraft]) -> "Playbook":
        """The Playbook after an era's review; a draft naming an unknown lesson revises or retires nothing."""
        new = tuple(_lesson(era, number, draft, self.ids) for number, draft in enumerate(drafts, start=1))
        return Playbook(lessons=(*_ended(self.lessons, new), *new))


@once_each(KEPT_PLAYBOOKS)
def _active(playbook: Playbook) -> tuple[Lesson, ...]:
    return tuple(lesson for lesson in playbook.lessons if lesson.is_active)


@once_each(KEPT_PLAYBOOKS)
def _ids(playbook: Playbook) -> frozenset[LessonId]:
    return frozenset(lesson.id for lesson in playbook.lessons)


@once_each(KEPT_PLAYBOOKS)
def _eras(playbook: Playbook) -> frozenset[str]:
    return frozenset(lesson.era for lesson in playbook.lessons)


def _lesson(era: str, number: int, draft: LessonDraft, known: frozenset[LessonId]) -> Lesson:
    revises, retires = (
        LessonId(name) if name is not None and name in known else None for name in (draft.revises, draft.retires)
    )
    return Lesson(
        id=LessonId(f"{era}-{number}"), era=era, text=draft.text, kind=draft.kind, revises=revises, retires=retires
    )


def _ended(lessons: tuple[Lesson, ...], new: Sequence[Lesson]) -> tuple[Lesson, ...]:
    replaced = {lesson.revises: lesson.id for lesson in new if lesson.revises}
    retired = {lesson.retires: lesson.id for lesson in new if lesson.retires}
    if not replaced and not retired:
        return lessons
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
