"""Lessons cited or argued against, and claims with their tags."""

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import Claim, ClaimKind, Confidence, LessonUse, Stance, Thesis
from app.domain.protocol.playbook import Lesson
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import say
from app.providers.rehearsal.placing import spoken
from app.providers.rehearsal.wording import bare, clip, low

QUOTED = 220


def active_lessons(step: StepInput) -> tuple[Lesson, ...]:
    """The lessons in sight, none where there is no Playbook."""
    return step.playbook.active if step.playbook else ()


def cite_in_memo(step: StepInput, theses: tuple[Thesis, ...], disputes: float, draws: Draws) -> tuple[LessonUse, ...]:
    """One use, or two once there are several lessons, each tied to a thesis."""
    lessons = _worth_citing(step)
    picked = draws.some(lessons, 1 if len(lessons) < 4 else draws.between(1, 2))
    return tuple(
        _use(lesson, "memo", draws.chance(disputes), draws, thesis=f"thesis {number}")
        for number, lesson in enumerate(picked, start=1)
    )


def cite_in_decision(step: StepInput, disputes: float, draws: Draws) -> tuple[LessonUse, ...]:
    """The lessons the decision rests on or sets aside: those of the memos first."""
    lessons = _worth_citing(step)
    cited = {use.lesson for memo in step.memos for use in memo.lessons}
    ranked = [lesson for lesson in lessons if lesson.id in cited] or list(lessons)
    picked = draws.some(ranked, draws.between(1, 2))
    return tuple(_use(lesson, "decision", draws.chance(disputes), draws) for lesson in picked)


def tag_claims(step: StepInput, thesis: Thesis, fact: str, draws: Draws) -> tuple[Claim, ...]:
    """A fact, an extrapolation and a speculation where the era asks for tags, else none."""
    if not step.wanted.tagged_claims:
        return ()
    slots = {
        "fact": fact,
        "customer": low(bare(thesis.first_customer)),
        "layer": spoken(step.layers, thesis.chain.layer),
        "next": low(bare(thesis.chain.next_capability)),
    }
    sure = {
        ClaimKind.FACT: (Confidence.HIGH, Confidence.MEDIUM),
        ClaimKind.EXTRAPOLATION: (Confidence.MEDIUM, Confidence.LOW),
        ClaimKind.SPECULATION: (Confidence.LOW,),
    }
    return tuple(
        Claim(text=clip(say(draws, f"claims.{kind}", **slots)), kind=kind, confidence=draws.one(levels))
        for kind, levels in sure.items()
    )


def _worth_citing(step: StepInput) -> tuple[Lesson, ...]:
    """Active lessons that say something of their own; those that only withdraw another where there is nothing else."""
    lessons = active_lessons(step)
    return tuple(lesson for lesson in lessons if not lesson.retires) or lessons


def _use(lesson: Lesson, occasion: str, disputed: bool, draws: Draws, **slots: str) -> LessonUse:
    variants = {("memo", True): "memo.disputes", ("memo", False): "memo.cites", ("decision", True): "decision.disputed"}
    variant = variants.get((occasion, disputed), "decision.lessons")
    how = say(draws, variant, lesson=f"“{clip(lesson.text, QUOTED)}”", **slots)
    return LessonUse(lesson=lesson.id, stance=Stance.DISPUTES if disputed else Stance.CITES, how=clip(how))
