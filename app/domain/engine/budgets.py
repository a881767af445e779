"""Whether one more call fits a budget: what was used and what calls in flight may still use, against the bounds."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from app.domain.protocol.budgets import Budget
from app.domain.wording import counted, of_number

ROUNDING = 1e-9
"""US$ and hours that sums of floating-point numbers may be off by."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """An amount of everything a budget bounds; tokens are in and out together."""

    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    hours: float = 0.0


@dataclass(frozen=True, slots=True)
class Shortage:
    """Why a call does not fit; ``is_final`` unless calls in flight may end up with less than was reserved for them."""

    words: str
    is_final: bool


class UnknownPriceError(ValueError):
    """A call whose price is not known cannot be held against a bound on cost."""


def shortage(budget: Budget, used: Amounts, reserved: Amounts, wanted: Amounts, *, of: str) -> Shortage | None:
    """Why a call of at most ``wanted`` may not be sent, or None if it fits.

    ``used`` is settled, ``reserved`` is held for calls in flight; ``of`` names whose budget it is, as in "the run".
    A final shortage is given before one that may pass.
    """
    found = list(_shortages(budget, used, reserved, wanted, of))
    return next((one for one in found if one.is_final), found[0] if found else None)


def lowered(before: Budget, after: Budget) -> tuple[str, ...]:
    """The names of the bounds that ``after`` lowers, or sets where there was none: neither raises a budget."""
    names = []
    for name in Budget.model_fields:
        old, new = getattr(before, name), getattr(after, name)
        if new is not None and (old is None or new < old):
            names.append(name)
    return tuple(names)


def _shortages(budget: Budget, used: Amounts, reserved: Amounts, wanted: Amounts, of: str) -> Iterator[Shortage]:
    for name, written in _WRITTEN.items():
        bound = getattr(budget, name)
        if bound is None:
            continue
        spent, held, coming = getattr(used, name), getattr(reserved, name), getattr(wanted, name)
        if spent + held + coming <= bound + ROUNDING:
            continue
        verb = of_number(spent, "is", "are") if name == "calls" else "are"
        of_them = f"{written(spent)} {verb} used and the coming call may take {written(coming)}"
        words = f"the budget of {of} is {written(bound)}: {of_them}"
        yield Shortage(words, is_final=spent + coming > bound + ROUNDING)
    if budget.hours is not None and used.hours >= budget.hours:
        yield Shortage(f"the budget of {of} is {counted(budget.hours, 'hour')}, and the time is over", is_final=True)


_WRITTEN: Mapping[str, Callable[[float], str]] = {
    "calls": lambda number: counted(number, "call"),
    "tokens": lambda number: counted(number, "token"),
    "cost_usd": "US${:,.4f}".format,
}
