"""The company state ``S_k``: assets, capital, reputation, identity and the history of identities."""

from pydantic import BaseModel, ConfigDict

from app.domain.protocol.artifacts import Decision, Outcome

INITIAL_CAPITAL_USD = 1_500_000


class Identity(BaseModel):
    """What the company was in one era."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    era: str
    name: str
    line: str


class CompanyState(BaseModel):
    """What the company brings into an era."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    capital_usd: int = INITIAL_CAPITAL_USD
    assets: tuple[str, ...] = ()
    reputation: str = "unknown: sixteen people and no name"
    identities: tuple[Identity, ...] = ()
    last_outcome: str | None = None

    @property
    def identity(self) -> Identity | None:
        """The identity it carries now, or None before the first decision."""
        return self.identities[-1] if self.identities else None

    def after(self, era: str, decision: Decision, outcome: Outcome) -> "CompanyState":
        """The state after an era: the decision's update, then the judge's simulated outcome."""
        kept = [asset for asset in decision.state.assets if asset not in outcome.assets_lost]
        gained = [asset for asset in outcome.assets_gained if asset not in kept]
        identity = Identity(era=era, name=decision.company_name, line=decision.identity)
        return CompanyState(
            capital_usd=outcome.capital_usd,
            assets=tuple(kept + gained),
            reputation=outcome.reputation,
            identities=(*self.identities, identity),
            last_outcome=outcome.summary,
        )
