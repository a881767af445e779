"""Holding a call against the budgets of its run and study, in the very transaction that journals it."""

from dataclasses import dataclass
from datetime import datetime

from app.domain.engine.budgets import Amounts, Shortage, UnknownPriceError, shortage
from app.domain.protocol.budgets import Budget
from app.domain.protocol.eras import Mode
from app.domain.study import StudyDesign
from app.providers.chat import Usage
from app.providers.registry import ModelEntry
from app.services.errors import RefusedError
from app.services.limits import NotNowError
from app.services.locked_run import LockedRun
from app.services.registry import cost_of, model_entry
from app.services.unit_of_work import Work
from app.storage.runs import Used

RUN, STUDY = "run", "study"

TOKENS_A_SEARCH = 10_000
"""What a web search is taken to add to a prompt at most; providers do not bound it."""

IN_FLIGHT_SECONDS = 3.0
"""How long a step waits that would fit if the calls in flight use less than was reserved for them."""


class BudgetReachedError(Exception):
    """A call that does not fit the budget of ``scope``: its step needs an operator, who may raise it."""

    def __init__(self, words: str, scope: str) -> None:
        super().__init__(f"{words}; raise the budget to go on")
        self.scope = scope


class UnpricedBudgetError(RefusedError):
    """A design that bounds cost while a model's price is not known."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """The most a call may use: its prompt, the longest answer, the searches it may make.

    ``cost_usd`` is None where a price is not known.
    """

    tokens: int
    cost_usd: float | None


def most_of(entry: ModelEntry, *, tokens_in: int, max_tokens: int, searches: int = 0) -> Reservation:
    """What is reserved for a call; what searches find is read as further tokens in."""
    tokens_in += searches * TOKENS_A_SEARCH
    cost = cost_of(entry, Usage(tokens_in=tokens_in, tokens_out=max_tokens, searches=searches))
    return Reservation(tokens_in + max_tokens, cost)


def refuse_unpriced(design: StudyDesign) -> None:
    """Raise UnpricedBudgetError if the design bounds cost and asks for a model whose price is not known."""
    if design.budgets is None or not design.budgets.bounds_cost:
        return
    judges = (design.judge, *(further.judge for further in design.further_judges))
    asked = {choice.model for choice in (*design.players, *judges, design.author)}
    unpriced = {name for name in asked if not is_priced(model_entry(name))}
    for judge in {judge.model: model_entry(judge.model) for judge in judges}.values():
        if judge.features.web_search and judge.price_searches is None and _may_search(design):
            unpriced.add(f"the web searches of {judge.name}")
    if unpriced:
        raise UnpricedBudgetError(
            f"budgets: a cost budget needs prices, and none is known for {', '.join(sorted(unpriced))}. "
            "Give the prices on the page of models, or leave cost_usd out."
        )


def require_room(work: Work, run: LockedRun, design: StudyDesign, entry: ModelEntry, most: Reservation) -> None:
    """Raise BudgetReachedError or NotNowError unless the call fits both budgets.

    The study's budget, where there is one, is held until the transaction ends: twenty workers reserve one by one.
    """
    budgets = design.budgets
    if budgets is None:
        return
    if budgets.bounds_cost and most.cost_usd is None:
        raise UnknownPriceError(f"the price of {entry.name} is not known, and the study's cost is bounded")
    wanted = Amounts(calls=1, tokens=most.tokens, cost_usd=most.cost_usd or 0.0)
    if budgets.run != Budget():
        _fit(*work.runs.budget(run.head.id), run, work.now, wanted, RUN)
    if budgets.study != Budget():
        _fit(*work.studies.lock_budget(run.head.study_id), run, work.now, wanted, STUDY)


def _fit(budget: Budget, before: Used, run: LockedRun, now: datetime, wanted: Amounts, scope: str) -> None:
    """What this transaction added to the run is not yet in its sums."""
    used = Amounts(
        calls=before.calls + int(run.pending("calls_made")),
        tokens=before.tokens + int(run.pending("tokens_in") + run.pending("tokens_out")),
        cost_usd=before.cost_usd + run.pending("cost_usd") + run.pending("cost_presumed"),
        hours=(now - before.since).total_seconds() / 3600,
    )
    held = Amounts(
        tokens=before.tokens_reserved + int(run.pending("tokens_reserved")),
        cost_usd=before.cost_reserved + run.pending("cost_reserved"),
    )
    short = shortage(budget, used, held, wanted, of=f"the {scope}")
    if short is not None:
        raise _refusal(short, scope)


def _refusal(short: Shortage, scope: str) -> Exception:
    return BudgetReachedError(short.words, scope) if short.is_final else NotNowError(IN_FLIGHT_SECONDS)


def _may_search(design: StudyDesign) -> bool:
    """Whether a judge may search the web at all: in live eras."""
    return any(era.mode is Mode.LIVE for era in design.eras)


def is_priced(entry: ModelEntry) -> bool:
    """Whether the price of a model's tokens is known."""
    return entry.price_in is not None and entry.price_out is not None
