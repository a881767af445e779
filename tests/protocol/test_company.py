"""The company carries a decision's update and then the judge's outcome."""

from app.domain.protocol.company import INITIAL_CAPITAL_USD, CompanyState
from tests.protocol.samples import decision, outcome


def test_it_begins_with_capital_and_no_name():
    state = CompanyState()
    assert state.capital_usd == INITIAL_CAPITAL_USD == 1_500_000
    assert state.identity is None


def test_assets_are_the_decisions_less_the_lost_and_with_the_gained():
    plan = decision(assets=("list", "team", "press"))
    after = CompanyState().after("E1", plan, outcome(gained=("team", "brand"), lost=("press",)))
    assert after.assets == ("list", "team", "brand")
    assert after.capital_usd == 2_000_000
    assert after.reputation == "known"
    assert after.last_outcome == "a small sale"


def test_an_asset_lost_and_gained_again_is_held_once():
    after = CompanyState().after("E1", decision(assets=("list",)), outcome(gained=("list",), lost=("list",)))
    assert after.assets == ("list",)


def test_identities_are_a_history():
    one = CompanyState().after("E1", decision("Relay"), outcome())
    two = one.after("E2", decision("Harbor"), outcome())
    assert [(identity.era, identity.name) for identity in two.identities] == [("E1", "Relay"), ("E2", "Harbor")]
    assert two.identity == two.identities[-1]
