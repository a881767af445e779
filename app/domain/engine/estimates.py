"""What a design will cost before it is launched: exact calls and critical path, tokens and money by estimate."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.engine.inputs import Role, StepKind
from app.domain.engine.judgings import JudgingPlan, design_judgings
from app.domain.engine.steps import PlannedStep, count_calls, plan_steps, sequential_calls
from app.domain.study import PlannedRun, StudyDesign, plan_runs

MILLION = 1_000_000

TOKENS_IN: Mapping[StepKind, int] = {
    StepKind.BRIEFING: 12_000,
    StepKind.NOTE: 5_000,
    StepKind.MEMO: 5_500,
    StepKind.ATTACK: 8_500,
    StepKind.REPLY: 9_500,
    StepKind.DRAFT: 6_500,
    StepKind.CRITIQUE: 7_500,
    StepKind.DECISION: 9_500,
    StepKind.BOARD: 9_000,
    StepKind.REVIEW: 9_500,
    StepKind.READING: 12_000,
    StepKind.GUESS: 7_500,
    StepKind.RECALL: 600,
}
"""Tokens a prompt of each kind takes, rounded from rehearsal runs of the history schedule."""

TOKENS_OUT: Mapping[StepKind, int] = {
    StepKind.BRIEFING: 1_500,
    StepKind.NOTE: 500,
    StepKind.MEMO: 1_600,
    StepKind.ATTACK: 1_300,
    StepKind.REPLY: 500,
    StepKind.DRAFT: 1_700,
    StepKind.CRITIQUE: 500,
    StepKind.DECISION: 1_700,
    StepKind.BOARD: 2_800,
    StepKind.REVIEW: 2_200,
    StepKind.READING: 700,
    StepKind.GUESS: 150,
    StepKind.RECALL: 20,
}
"""Tokens an answer of each kind takes, without a model's hidden reasoning."""


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """US$ per million tokens; None where the registry does not know."""

    price_in: float | None
    price_out: float | None

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """US$ for that many tokens, or None if a price is not known."""
        if self.price_in is None or self.price_out is None:
            return None
        return (tokens_in * self.price_in + tokens_out * self.price_out) / MILLION


@dataclass(frozen=True, slots=True)
class StudyEstimate:
    """``calls`` and ``sequential_calls`` are exact without faults; tokens and ``cost_usd`` are estimates.

    ``calls_again`` are those of the calls by which further judges judge stored decisions again.
    """

    runs: int
    calls: int
    sequential_calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    unpriced: tuple[str, ...]
    calls_again: int = 0


def estimate(design: StudyDesign, prices: Mapping[str, TokenPrices]) -> StudyEstimate:
    """The estimate of a design; ``prices`` by model name must hold every model in it."""
    runs = plan_runs(design)
    plans = {
        (schedule.id, condition): plan_steps(design, condition, schedule)
        for schedule in design.schedules
        for condition in design.conditions
    }
    tokens_in = tokens_out = 0
    cost = 0.0
    unpriced: dict[str, None] = {}
    for run in runs:
        for step in plans[run.schedule.id, run.condition]:
            if step.by_code:
                continue
            model = _model(step, run, design)
            paid = prices[model].cost(TOKENS_IN[step.kind], TOKENS_OUT[step.kind])
            tokens_in += TOKENS_IN[step.kind]
            tokens_out += TOKENS_OUT[step.kind]
            cost += paid or 0.0
            if paid is None:
                unpriced[model] = None
    again = design_judgings(design)
    for judging in again:
        counted = judging_estimate(judging, prices[judging.judge.model])
        tokens_in += counted.tokens_in
        tokens_out += counted.tokens_out
        cost += counted.cost_usd or 0.0
        if counted.cost_usd is None:
            unpriced[judging.judge.model] = None
    played = sum(count_calls(plans[run.schedule.id, run.condition]) for run in runs)
    return StudyEstimate(
        runs=len(runs),
        calls=played + sum(judging.calls for judging in again),
        sequential_calls=max(sequential_calls(plan) for plan in plans.values()) + bool(again),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=None if unpriced else cost,
        unpriced=tuple(unpriced),
        calls_again=sum(judging.calls for judging in again),
    )


@dataclass(frozen=True, slots=True)
class JudgingEstimate:
    """``calls`` are exact without faults; tokens and ``cost_usd`` are estimates, None where a price is not known."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


def judging_estimate(judging: JudgingPlan, prices: TokenPrices) -> JudgingEstimate:
    """What judging again will take."""
    tokens_in, tokens_out = TOKENS_IN[judging.kind] * judging.calls, TOKENS_OUT[judging.kind] * judging.calls
    return JudgingEstimate(judging.calls, tokens_in, tokens_out, prices.cost(tokens_in, tokens_out))


def _model(step: PlannedStep, run: PlannedRun, design: StudyDesign) -> str:
    return {Role.PLAYER: run.player, Role.JUDGE: design.judge, Role.AUTHOR: design.author}[step.role].model
