"""The second reading: a verdict on every dissent, the theses that named the pooled layer, leaks in memos."""

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import DissentVerdict, LeakSpan, SecondReading, Verdict
from app.domain.protocol.layers import LayerDistance
from app.providers.rehearsal.attacks import theses_on_table
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import say
from app.providers.rehearsal.placing import distance, pooled_layer
from app.providers.rehearsal.temperaments import Temperament
from app.providers.rehearsal.wording import first_sentence

VERDICTS = (Verdict.VINDICATED, Verdict.REFUTED, Verdict.UNRESOLVED)
QUOTE = 280


def write_reading(step: StepInput, temperament: Temperament, draws: Draws) -> SecondReading:
    """The labels; without outcomes most dissents stay unresolved."""
    pooled = step.review.pooled_layer if step.review else pooled_layer(step)
    weights = (0.4, 0.35, 0.25) if step.outcomes else (0.1, 0.1, 0.8)
    adjoins = _adjoins(step, draws)
    return SecondReading(
        verdicts=tuple(
            _verdict(dissent.id, draws.weighted(VERDICTS, weights), draws)
            for dissent in (step.decision.dissents if step.decision else ())
        ),
        named_by=tuple(name for name, thesis in theses_on_table(step).items() if thesis.chain.layer == pooled),
        adjoins_assets=adjoins,
        adjoins_reason=say(draws, "reading.adjoins" if adjoins else "reading.apart"),
        memo_leaks=_memo_leaks(step, draws),
    )


def _verdict(dissent: str, verdict: Verdict, draws: Draws) -> DissentVerdict:
    return DissentVerdict(dissent=dissent, verdict=verdict, reason=say(draws, f"reading.{verdict}"))


def _adjoins(step: StepInput, draws: Draws) -> bool:
    if step.decision is None or (step.company is not None and not step.company.assets):
        return False
    if step.previous_decision is None:
        return draws.chance(0.4)
    far = distance(step.layers, step.decision.chain.layer, step.previous_decision.chain.layer)
    return far is not LayerDistance.MISS


def _memo_leaks(step: StepInput, draws: Draws) -> tuple[LeakSpan, ...]:
    chains = [thesis.chain for thesis in theses_on_table(step).values()]
    quotes = [first_sentence(text, QUOTE) for chain in chains for text in (chain.next_capability, chain.adoption)]
    picked = draws.some([quote for quote in quotes if quote], draws.weighted((0, 1, 2), (0.5, 0.35, 0.15)))
    return tuple(LeakSpan(quote=quote, reason=say(draws, "reading.memo_leaks")) for quote in picked)
