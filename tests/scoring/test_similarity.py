"""How alike decisions are: what of a decision is compared, and over which pairs."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.protocol.artifacts import CompanyUpdate, Decision, Deferral, StopThreshold, ThesisChain
from app.domain.protocol.imported import ImportedDecision
from app.domain.scoring.similarity import (
    DecisionText,
    SimilaritySummary,
    decision_text,
    pairs_of_runs,
    similarity_of_decisions,
    weights_of,
)

DECISIONS = [
    DecisionText("a", "E1", "sell network directories to small offices"),
    DecisionText("b", "E1", "sell network directories to large offices"),
    DecisionText("a", "E2", "auction search advertising by the click"),
    DecisionText("b", "E2", "auction search advertising by the day"),
]


def summary(decisions: list[DecisionText], among: set[str] | None = None) -> SimilaritySummary:
    return similarity_of_decisions(decisions, weights_of(decisions), among)


def test_same_era_stands_beside_different_eras():
    found = summary(DECISIONS)

    assert found.same_era.n == 2
    assert found.different_era.n == 2
    assert (found.same_era.value or 0) > 0.5
    assert found.different_era.value == pytest.approx(0.0, abs=1e-12)


def test_equal_texts_are_1_and_empty_ones_0():
    same = summary([DecisionText("a", "E1", "one two"), DecisionText("b", "E1", "two one")])
    empty = summary([DecisionText("a", "E1", "12 !"), DecisionText("b", "E1", "two one")])

    assert same.same_era.value == pytest.approx(1.0)
    assert same.different_era.value is None
    assert same.different_era.reason == "there are no two runs with decisions in different eras"
    assert empty.same_era.value == pytest.approx(0.0, abs=1e-12)
    assert summary([]).same_era.value is None


def test_decisions_of_one_run_are_not_compared():
    assert summary([DecisionText("a", "E1", "one"), DecisionText("a", "E1", "one")]).same_era.value is None


def test_only_the_runs_asked_for_are_averaged_with_the_weights_of_all():
    decisions = [*DECISIONS, DecisionText("c", "E1", "sell network directories to small offices")]
    whole, two = summary(decisions), summary(decisions, {"a", "c"})

    assert two.same_era.n == 1
    assert two.same_era.value == pytest.approx(1.0)
    assert (whole.same_era.value or 0) < 1
    assert summary(decisions, {"a"}).same_era.value is None


@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("EFG"), st.text("xyz ", max_size=12)),
        unique_by=lambda one: one[:2],
    )
)
def test_the_means_are_those_over_every_pair(texts: list[tuple[str, str, str]]):
    decisions = [DecisionText(run, era, f"{text} {text.replace('x', 'xy')}") for run, era, text in texts]
    cosines = (weights_of(decisions) @ weights_of(decisions).T).toarray()
    same, apart = [], []
    for (i, one), (j, other) in combinations(enumerate(decisions), 2):
        if one.run != other.run:
            (same if one.era == other.era else apart).append(cosines[i, j])
    found = summary(decisions)

    assert (found.same_era.n, found.different_era.n) == (len(same), len(apart))
    for measure, every in ((found.same_era, same), (found.different_era, apart)):
        assert measure.value == (pytest.approx(sum(every) / len(every), abs=1e-9) if every else None)


def test_pairs_of_runs_keep_their_eras():
    decisions = [*DECISIONS, DecisionText("c", "E9", "wait")]
    (pair,) = pairs_of_runs(decisions, weights_of(decisions))

    assert (pair.run, pair.other, tuple(pair.same_era)) == ("a", "b", ("E1", "E2"))
    assert pair.different_era.n == 2
    mean = sum(pair.same_era.values()) / 2
    assert summary(decisions, {"a", "b"}).same_era.value == pytest.approx(mean)


def decision(**changes: object) -> Decision:
    chain = ThesisChain(
        capability="cheap links", adoption="offices", bottleneck="islands", layer="network", layer_owned="the gateway",
        proprietary_data="an address map", next_capability="a directory",
    )  # fmt: skip
    values = {
        "company_name": "Alder Works",
        "identity": "Alder joins islands.",
        "chain": chain,
        "rationale": "Works because links are cheap.",
        "end": ("courses",),
        "keep": ("the team",),
        "wedge": "a box",
        "first_customer": "a bank",
        "plan": ("one", "two", "three"),
        "capital_need": "none",
        "stop_criteria": (StopThreshold(measure="sites", threshold="5", by="1992-01"),),
        "deferral": Deferral(deferred=False, gate=None),
        "organization": (),
        "dissents": (),
        "lessons": (),
        "claims": (),
        "state": CompanyUpdate(assets=("a box",), capital_usd=1, reputation="small"),
    }
    return Decision.model_validate({**values, **changes})


def test_a_decisions_text_is_what_it_chooses_without_its_name():
    text = decision_text(decision())

    assert text.startswith("joins islands cheap links offices islands the gateway")
    assert "Alder" not in text
    assert "Works" not in text
    assert "sites" not in text


def test_an_imported_decision_is_compared_by_the_parts_that_were_told():
    found = decision_text(
        ImportedDecision(
            path="x.md",
            text="All of it.",
            company_name="Alder",
            identity="Alder joins.",
            chain={"capability": "links"},
            end=("courses",),
            fields={"wedge": "box"},
        )
    )

    assert found == "joins links courses box"
