"""What a study or a run may use at most before an operator is asked."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from app.domain.wording import counted


class Budget(BaseModel):
    """Most calls, tokens (in and out together), US$ and hours since the start; None is no bound."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: Annotated[int, Field(ge=1)] | None = None
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost_usd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    hours: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @property
    def words(self) -> str:
        """Its bounds in words."""
        bounds = (
            counted(self.calls, "call") if self.calls else "",
            counted(self.tokens, "token") if self.tokens else "",
            f"US$ {self.cost_usd:,.2f}" if self.cost_usd else "",
            counted(self.hours, "hour") if self.hours else "",
        )
        return ", ".join(filter(None, bounds)) or "no bound"


class Budgets(BaseModel):
    """The budget of a study as a whole and that of each of its runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    study: Budget = Budget()
    run: Budget = Budget()

    @property
    def bounds_cost(self) -> bool:
        """Whether any US$ are bounded, so that every price must be known."""
        return self.study.cost_usd is not None or self.run.cost_usd is not None
