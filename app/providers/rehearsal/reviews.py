"""Reviews by both judges: what the record shows, scores with reasons, an outcome, lessons."""

from typing import Any

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import AuditedClaim, AuditorReview, Decision, LeakSpan, RecordReview
from app.domain.protocol.rubrics import RubricId, rubric_of
from app.providers.rehearsal.briefings import next_briefing
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.outcomes import write_lessons, write_outcome
from app.providers.rehearsal.phrases import say, sentences
from app.providers.rehearsal.placing import distance, pooled_layer, spoken
from app.providers.rehearsal.reports import Report, report_of
from app.providers.rehearsal.scores import score_decision, typed_total
from app.providers.rehearsal.temperaments import Temperament
from app.providers.rehearsal.wording import bare, clip, first_sentence, subject, when

QUOTED_EVENTS = (3, 5)
QUOTE = 280
NO_FIRMS = {"capital", "regulation", "science", "society"}


class NothingToReviewError(ValueError):
    """A review was asked for without a decision."""


def write_review(step: StepInput, temperament: Temperament, draws: Draws) -> RecordReview | AuditorReview:
    """The review in the form of the era's rubric."""
    if step.decision is None:
        raise NothingToReviewError(f"{step.key}: decision: a review needs one")
    pooled = pooled_layer(step)
    rubric = step.rubric.id if step.rubric else rubric_of(step.era.mode)
    common = _common(step, step.decision, rubric, pooled, temperament, draws)
    if rubric is RubricId.RECORD:
        return RecordReview(reveal=_reveal(step, step.decision, pooled, draws), **common)
    return AuditorReview(**_audit(step, step.decision, draws), **common)


def _common(
    step: StepInput, decision: Decision, rubric: RubricId, pooled: str, temperament: Temperament, draws: Draws
) -> dict[str, Any]:
    scores = score_decision(step, decision, rubric, pooled, temperament, draws)
    values = {score.dimension: score.value for score in scores}
    leak_free = values.get("hindsight_leakage", values.get("groundedness", 10))
    return {
        "scores": scores,
        "pooled_layer": pooled,
        "leaks": _leaks(decision, leak_free, draws),
        "outcome": write_outcome(decision, sum(values.values()) / len(values), draws),
        "closest_company": _closest_company(step, draws),
        "lessons": write_lessons(step, decision, pooled, draws),
        "typed_total": typed_total(scores, draws) if step.wanted.typed_total else None,
        "next_briefing": next_briefing(step, draws) if step.wanted.next_briefing else None,
    }


def _reveal(step: StepInput, decision: Decision, pooled: str, draws: Draws) -> str:
    layers = step.layers
    far = distance(layers, decision.chain.layer, pooled)
    where = spoken(layers, decision.chain.layer)
    stand = say(
        draws,
        "review.stand",
        name=decision.company_name,
        chosen=where,
        distance=sentences(f"review.distances.{far}")[0],
    )
    events = _quoted(step, draws)
    quotes = " ".join(f"{when(event.on)}: “{clip(event.text, 400)}”" for event in events)
    opening = say(draws, "review.openings", pooled=spoken(layers, pooled))
    return " ".join((opening, quotes or say(draws, "review.missing"), stand))


def _quoted(step: StepInput, draws: Draws) -> list[Report]:
    """Events of the window in order of time."""
    reports = [report_of(event) for event in step.outcomes]
    return sorted(draws.some(reports, draws.between(*QUOTED_EVENTS)), key=lambda report: report.on or "")


def _leaks(decision: Decision, leak_free: int, draws: Draws) -> tuple[LeakSpan, ...]:
    """Exact quotations of the decision: none for a clean one, two for one that knows too much."""
    count = 0 if leak_free >= 8 else 1 if leak_free >= 6 else 2
    chain = decision.chain
    sources = (chain.next_capability, chain.bottleneck, decision.rationale, decision.identity, decision.wedge)
    quotes = [quote for quote in (first_sentence(source, QUOTE) for source in sources) if quote]
    return tuple(LeakSpan(quote=quote, reason=say(draws, "review.leaks")) for quote in draws.some(quotes, count))


def _closest_company(step: StepInput, draws: Draws) -> str:
    names = sorted({name for event in step.outcomes if event.domain not in NO_FIRMS and (name := subject(event.text))})
    if not names:
        return say(draws, "review.no_company")
    return clip(say(draws, "review.companies", company=draws.one(names)))


def _audit(step: StepInput, decision: Decision, draws: Draws) -> dict[str, Any]:
    slots = {"name": decision.company_name, "chosen": spoken(step.layers, decision.chain.layer)}
    claims = [claim.text for claim in decision.claims] or [decision.chain.capability, decision.chain.adoption]
    return {
        "claims": tuple(
            AuditedClaim(
                claim=clip(bare(claim)),
                finding=say(draws, "review.claim_findings"),
                confidence_percent=draws.between(4, 17) * 5,
            )
            for claim in claims
        ),
        "already_done_by": tuple(draws.some(sentences("review.rivals"), draws.between(1, 3))),
        "kill_case": say(draws, "review.kill_cases", **slots),
        "base_outcome": say(draws, "review.bases", **slots),
        "bear_outcome": say(draws, "review.bears", **slots),
    }
