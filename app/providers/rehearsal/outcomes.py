"""What a review carries forward: a calibrated outcome and three to five lessons of different kinds."""

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import Decision, LessonDraft, LessonKind, Outcome
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.lessons import active_lessons
from app.providers.rehearsal.phrases import phrases, say
from app.providers.rehearsal.placing import spoken
from app.providers.rehearsal.wording import bare, clip, low

FACTORS = {"high": (190, 480), "mid": (120, 280), "low": (40, 130)}
"""Capital after the era in percent of what the decision left, by how the era went."""
RESCUE_USD = 250_000
CEILING_USD = 4_000_000_000
LESSON = 420


def write_outcome(decision: Decision, mean: float, draws: Draws) -> Outcome:
    """The outcome of a decision whose subscores average ``mean``."""
    tier = "high" if mean >= 6.4 else "mid" if mean >= 5.6 else "low"
    factor = draws.between(*FACTORS[tier])
    left = max(decision.state.capital_usd, RESCUE_USD)
    assets = decision.state.assets
    lost = (draws.one(assets),) if len(assets) > 2 and draws.chance(0.3 if tier != "low" else 0.7) else ()
    gained = () if tier == "low" else (f"{draws.between(3, 40)} paying customers of {decision.company_name}",)
    customer = low(bare(decision.first_customer))
    return Outcome(
        summary=say(draws, f"outcome.{tier}", name=decision.company_name, customer=customer),
        capital_usd=min(left * factor // 100, CEILING_USD),
        reputation=say(draws, f"outcome.reputations.{tier}"),
        assets_gained=gained,
        assets_lost=lost,
    )


def write_lessons(step: StepInput, decision: Decision, pooled: str, draws: Draws) -> tuple[LessonDraft, ...]:
    """Three to five lessons; sometimes one revises and one retires an older lesson by its id."""
    kinds = draws.some(tuple(LessonKind), draws.between(3, 4))
    drafts = [_draft(step, decision, pooled, kind, draws) for kind in kinds]
    older = draws.some([lesson for lesson in active_lessons(step) if not (lesson.revises or lesson.retires)], 2)
    if older and draws.chance(0.5):
        text = say(draws, "lessons.revised", era=step.era.id, lesson=_quoted(older[0].text))
        drafts[0] = LessonDraft(text=text, kind=older[0].kind, revises=older[0].id, retires=None)
    if len(older) > 1 and len(active_lessons(step)) > 4 and draws.chance(0.35):
        text = say(draws, "lessons.retired", era=step.era.id, lesson=_quoted(older[1].text))
        drafts.append(LessonDraft(text=text, kind=older[1].kind, revises=None, retires=older[1].id))
    return tuple(drafts)


def _quoted(text: str) -> str:
    return f"“{clip(bare(text), LESSON)}”."


def _draft(step: StepInput, decision: Decision, pooled: str, kind: LessonKind, draws: Draws) -> LessonDraft:
    known = {lesson.text for lesson in step.playbook.lessons} if step.playbook else set()
    stop = decision.stop_criteria[0]
    slots = {
        "pooled": spoken(step.layers, pooled),
        "chosen": spoken(step.layers, decision.chain.layer),
        "customer": low(bare(decision.first_customer)),
        "criterion": low(f"{bare(stop.measure)}, {bare(stop.threshold)}, by {bare(stop.by)}"),
    }
    texts = [template.format(**slots) for template in phrases()["lessons"][kind]]
    fresh = [text for text in texts if text not in known]
    return LessonDraft(text=draws.one(fresh or texts), kind=kind, revises=None, retires=None)
