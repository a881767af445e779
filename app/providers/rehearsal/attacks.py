"""The Red Team's attack: one point for every thesis on the table, and thresholds with numbers."""

from collections.abc import Mapping

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import Attack, AttackPoint, StopThreshold, Suspicion, Thesis
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import opening_of, phrases, say
from app.providers.rehearsal.placing import spoken
from app.providers.rehearsal.temperaments import Temperament
from app.providers.rehearsal.wording import bare, clip, high, low, when

SUSPICIONS = (Suspicion.NONE, Suspicion.HYPE, Suspicion.HINDSIGHT)


def theses_on_table(step: StepInput) -> Mapping[str, Thesis]:
    """Every memo's theses by name, such as ``market_capital/1``."""
    return {f"{memo.department}/{n}": thesis for memo in step.memos for n, thesis in enumerate(memo.theses, start=1)}


def write_attack(step: StepInput, temperament: Temperament, draws: Draws) -> Attack:
    """The attack on every thesis; with no thesis on the table it attacks the company's own course."""
    points = tuple(_point(step, name, thesis, draws) for name, thesis in theses_on_table(step).items())
    counts = {suspicion: sum(point.suspicion is suspicion for point in points) for suspicion in SUSPICIONS}
    summary = say(
        draws,
        "attack.summaries",
        count=len(points),
        hype=counts[Suspicion.HYPE] or "none",
        hindsight=counts[Suspicion.HINDSIGHT] or "none",
    )
    return Attack(
        summary=clip(summary),
        points=points or (_own_course(draws),),
        thresholds=thresholds(step, draws.between(2, 3), draws),
    )


def thresholds(step: StepInput, count: int, draws: Draws) -> tuple[StopThreshold, ...]:
    """``count`` different stop thresholds, each with a number and a date inside three years."""
    year = step.era.start.year
    return tuple(
        StopThreshold(
            measure=high(measure),
            threshold=limit.format(
                small=draws.between(2, 9),
                percent=draws.between(3, 14) * 5,
                months=draws.between(5, 11),
                large=f"{draws.between(4, 60) * 100:,}",
            ),
            by=f"the end of {year + draws.between(0, 2)}",
        )
        for measure, limit in draws.some(phrases()["attack"]["thresholds"], count)
    )


def _point(step: StepInput, name: str, thesis: Thesis, draws: Draws) -> AttackPoint:
    suspicion = draws.weighted(SUSPICIONS, (0.55, 0.28, 0.17))
    opening = opening_of(thesis.title)
    objection = say(
        draws,
        f"attack.{suspicion}",
        customer=low(bare(thesis.first_customer)),
        bottleneck=low(bare(thesis.chain.bottleneck)),
        layer=spoken(step.layers, thesis.chain.layer),
        offer_short=opening.offer if opening else clip(low(bare(thesis.wedge)), 160),
        fact=f"“{clip(bare(thesis.chain.capability), 200)}”",
        next=f"“{clip(low(bare(thesis.chain.next_capability)), 160)}”",
        start=when(step.era.start.isoformat()),
    )
    return AttackPoint(thesis=name, objection=objection, suspicion=suspicion)


def _own_course(draws: Draws) -> AttackPoint:
    return AttackPoint(thesis="founder/1", objection=say(draws, "memo.uncertain"), suspicion=Suspicion.NONE)
