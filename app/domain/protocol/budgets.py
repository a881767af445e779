"""What a study or a run may use at most before an operator is asked."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Budget(BaseModel):
    """Most calls, tokens (in and out together), US$ and hours since the start; None is no bound."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: Annotated[int, Field(ge=1)] | None = None
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost_usd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    hours: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class Budgets(BaseModel):
    """The budget of a study as a whole and that of each of its runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    study: Budget = Budget()
    run: Budget = Budget()

    @property
    def bounds_cost(self) -> bool:
        """Whether any US$ are bounded, so that every price must be known."""
        return self.study.cost_usd is not None or self.run.cost_usd is not None
