"""The questions of a recall probe: drawn from the study's world, the same for every model that is asked."""

from app.domain.audit.recall import Question, draw_questions
from app.domain.engine.inputs import Choice
from app.domain.engine.judging_state import JudgingState
from app.domain.engine.judgings import Sitting, schedule_asked
from app.domain.protocol.eras import Era, Schedule
from app.domain.study import StudyDesign
from app.services.worlds import library_of

MOST_QUESTIONS = 40


class NoQuestionError(ValueError):
    """The world's events do not give so many questions on a window."""


def era_questions(design: StudyDesign, schedule: Schedule, era: Era) -> tuple[Question, ...]:
    """Every question on an era's window in its order, at most ``MOST_QUESTIONS``; none without a known outcome."""
    if not era.mode.has_outcome:
        return ()
    seed = f"{design.seed}:{era.id}"
    events = library_of(schedule).events
    return draw_questions(events, start=era.start, end=era.end, count=MOST_QUESTIONS, seed=seed)


def era_choice(state: JudgingState, sitting: Sitting) -> Choice:
    """The question of one sitting. Raises NoQuestionError."""
    schedule = schedule_asked(state.design, sitting.run)
    questions = era_questions(state.design, schedule, schedule.era(sitting.step.era))
    if sitting.repetition > len(questions):
        raise NoQuestionError(f"{sitting.step.key}: the record gives only {len(questions)} questions on this era")
    question = questions[sitting.repetition - 1]
    return Choice(question.text, question.options)
