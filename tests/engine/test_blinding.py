"""The blind judge's packet: no word of roles, personas, Red Team, lessons or dissent survives; the rest stays."""

import re
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.engine import blinding
from app.domain.engine.blinding import WITHHELD, blind_company, blind_decision
from app.domain.protocol.artifacts import Decision
from app.domain.protocol.company import CompanyState, Identity
from app.domain.protocol.personas import Roster
from app.library import reader
from tests.protocol import samples

ROSTER = reader.roster()
PLANTED = [
    *(persona.name for persona in ROSTER.personas),
    *(persona.name.split()[-1] for persona in ROSTER.personas),
    *(persona.title for persona in ROSTER.personas),
    *("Red Team", "red-team", "RED TEAM", "redteam", "Red\N{NO-BREAK SPACE}Team", "Red\N{NON-BREAKING HYPHEN}Team"),
    *("Red Teamers", "red-teamed", "red teaming", "_Red Team_", "**Red Team**", "Red Team's"),
    *("CEO", "CTO", "cfo", "CSO", "CEOs", "CTO's", "Chief Scientist", "chief strategy officer", "Chief Technology"),
    *("Playbook", "play-book", "playbooks", "lesson E3-2", "E4-1", "lessons E2", "(E12-3)", "Lesson E1"),
    *("dissent", "Dissenters", "dissenting", "dissented", "dissension", "memo", "memos", "Memorandum"),
    *("department", "departmental", "Departments", "the board", "market_capital/1", "frontier_research/2"),
]
FORBIDDEN = re.compile(
    r"red.?team|\bC[ETFS]Os?\b|chief |play.?book|dissen[ts]|\bmemo|department|\bE\d+-\d|/[12]\b|the board",
    re.IGNORECASE,
)
INNOCENT = [
    "memory chips", "the boarding school", "redeem teams", "a chord", "E5 visas", "9/12 of a cent", "depart",
    "memorable", "covered teams", "a season of lessons", "10/1 odds", "coeval", "strand of wool", "the whiteboard",
]  # fmt: skip
NAMES = re.compile("|".join(part for persona in ROSTER.personas for part in persona.name.split()[-1:]))


def texts(decision: Decision) -> list[str]:
    """Every text of a decision but the company's name."""

    def within(value: object) -> list[str]:
        if isinstance(value, str):
            return [value]
        if isinstance(value, dict):
            return list(chain.from_iterable(within(item) for key, item in value.items() if key != "company_name"))
        return list(chain.from_iterable(map(within, value))) if isinstance(value, list) else []

    return within(decision.model_dump(mode="json", exclude={"kind"}))


def planted(text: str) -> Decision:
    """A decision with the text in every place where a player may write."""
    plain = samples.decision()
    return plain.model_copy(
        update={
            "identity": text,
            "chain": plain.chain.model_copy(update=dict.fromkeys(("capability", "layer_owned", "adoption"), text)),
            "rationale": text,
            "end": (text, "x"),
            "keep": (text,),
            "wedge": text,
            "plan": (text, text, text),
            "stop_criteria": (samples.THRESHOLD.model_copy(update={"measure": text, "by": text}),),
            "deferral": plain.deferral.model_copy(update={"gate": text}),
            "organization": (text,),
            "claims": (samples.CLAIM.model_copy(update={"text": text}),),
            "state": plain.state.model_copy(update={"assets": (text,), "reputation": text}),
        }
    )


@pytest.mark.parametrize("word", PLANTED)
def test_each_telling_word_is_withheld_wherever_it_stands(word: str):
    for text in (word, f"It says {word}, again.", f"({word})", f"{word.lower()}; x" if " " in word else word):
        blind = blind_decision(planted(text), ROSTER)
        for found in texts(blind):
            assert not FORBIDDEN.search(found), (text, found)
            assert word not in found


@settings(max_examples=60, deadline=None)
@given(
    words=st.lists(st.sampled_from(PLANTED), min_size=1, max_size=4),
    between=st.lists(st.sampled_from([" ", ", ", "\n", " and ", " - ", ": ", "/ ", "* "]), min_size=4, max_size=4),
    before=st.sampled_from(["", "We agree with ", "\t", "«"]),
)
def test_no_mixture_of_telling_words_survives(words: list[str], between: list[str], before: str):
    text = before + "".join(word + gap for word, gap in zip(words, between, strict=False))
    for found in texts(blind_decision(planted(text), ROSTER)):
        assert not FORBIDDEN.search(found), (text, found)
        assert not NAMES.search(found), (text, found)


@pytest.mark.parametrize("text", INNOCENT)
def test_innocent_words_stay(text: str):
    assert blind_decision(planted(text), ROSTER).rationale == text


def test_its_shape_is_the_same_whatever_was_withheld():
    full = planted("The Red Team objected.")
    bare = samples.decision().model_copy(update={"dissents": (), "lessons": (), "organization": ()})
    for decision in (full, bare):
        blind = blind_decision(decision, ROSTER)
        assert (blind.dissents, blind.lessons, blind.organization) == ((), (), ())
        assert list(blind.model_dump()) == list(Decision.model_fields)
        assert type(blind.chain) is type(decision.chain)
    again = blind_decision(full, ROSTER)
    assert blind_decision(again, ROSTER) == again


def test_names_layers_and_numbers_are_left_alone():
    decision = samples.decision("Memo & Strand")
    decision = decision.model_copy(update={"chain": decision.chain.model_copy(update={"layer": "departments"})})
    blind = blind_decision(decision, ROSTER)
    assert (blind.company_name, blind.chain.layer) == ("Memo & Strand", "departments")
    assert blind.state.capital_usd == decision.state.capital_usd
    assert blind.kind == "decision"
    assert blind.deferral.gate is None


def test_a_mask_may_make_a_line_longer_than_a_model_may_write():
    long = ("CEO " * 149).strip() + "."
    decision = samples.decision().model_copy(update={"identity": long})
    Decision.model_validate(decision.model_dump())
    assert len(blind_decision(decision, ROSTER).identity) > 600


def test_the_company_of_a_blind_judge_tells_no_role_either():
    company = CompanyState(
        assets=("the Red Team's checklist", "a press"),
        reputation="led by Ada Lindqvist",
        identities=(Identity(era="E1", name="Memo Works", line="what the CEO chose"),),
        last_outcome="the departments agreed",
    )
    blind = blind_company(company, ROSTER)
    assert blind.assets == (f"the {WITHHELD}'s checklist", "a press")
    assert blind.reputation == f"led by {WITHHELD}"
    assert blind.identities == (Identity(era="E1", name="Memo Works", line=f"what the {WITHHELD} chose"),)
    assert blind.last_outcome == f"the {WITHHELD} agreed"
    assert blind.capital_usd == company.capital_usd


def test_what_holds_no_telling_word_is_the_same_object():
    company = CompanyState(assets=("a press", "a mill"), identities=(Identity(era="E1", name="A", line="prints"),))
    assert blind_company(company, ROSTER) is company
    half = company.model_copy(update={"assets": ("a memo", "a mill")})
    assert blind_company(half, ROSTER).identities is half.identities


@pytest.mark.parametrize(
    ("name", "title", "told", "left"),
    [
        ("Ida Holm", "(Acting) Scribe", "so says the (acting) scribe", "so says the [withheld]"),
        (
            "Zo\N{LATIN SMALL LETTER E WITH DIAERESIS} Ek",
            "Scribe",
            "Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}, ek",
            "[withheld], ek",
        ),
        (
            "Ida Holm",
            "\N{LATIN CAPITAL LETTER E WITH ACUTE}crivain",
            "\N{LATIN SMALL LETTER E WITH ACUTE}crivains",
            "[withheld]",
        ),
        ("Ida Holm", "!", "Holm, the scribe !", "[withheld], the scribe [withheld]"),
        ("li wu", "Scribe", "LI WU, li, the scribes", "[withheld], li, the [withheld]"),
        (
            "Ida Holm",
            "Scribe",
            "Holm, a holm, a \N{LATIN SMALL LETTER LONG S}cribe",
            "[withheld], a holm, a [withheld]",
        ),
    ],
)
def test_a_roster_of_ones_own_may_have_any_names(name: str, title: str, told: str, left: str):
    persona = ROSTER.personas[0].model_copy(update={"name": name, "title": title})
    own = Roster(personas=(persona,), titles={})
    assert blind_company(CompanyState(reputation=told), own).reputation == left


def plainly_masked(text: str) -> str:
    """The text with all words looked for in a row, everywhere."""
    words, names = blinding.roster_words(ROSTER), blinding.name_parts(ROSTER)
    row = [*(rf"{re.escape(word)}s?" for word in words), *blinding.ROLE_WORDS, *(f"(?-i:{name})" for name in names)]
    return re.sub(rf"(?<![^\W_])(?:{'|'.join(row)})(?![^\W_])", WITHHELD, text, flags=re.IGNORECASE)


FORMS = st.one_of([st.from_regex(re.compile(word, re.IGNORECASE), fullmatch=True) for word in blinding.ROLE_WORDS])
BESIDES = st.sampled_from(
    [*PLANTED, *INNOCENT, " ", "_", "-", "/", "x", "7", "\N{KELVIN SIGN}", "\N{EM DASH}", "'s", "\n"]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(BESIDES, FORMS), max_size=7))
def test_every_word_in_every_form_is_found(parts: list[str]):
    text = "".join(parts)
    assert blind_company(CompanyState(reputation=text), ROSTER).reputation == plainly_masked(text)


@settings(max_examples=200, deadline=None)
@given(FORMS, st.sampled_from(["", " ", "_", "(", "\N{EM DASH}", "\u0301"]))
def test_a_word_alone_is_found_in_every_form(word: str, beside: str):
    text = f"{beside}{word}{beside}"
    assert blind_company(CompanyState(reputation=text), ROSTER).reputation == plainly_masked(text)


@pytest.mark.parametrize("word", [*(one.name for one in ROSTER.personas), *(one.title for one in ROSTER.personas)])
def test_a_name_or_title_alone_is_found_in_any_case(word: str):
    for text in (word, word.upper(), f"{word}s", f"_{word.lower()}\N{EM DASH}"):
        assert blind_company(CompanyState(reputation=text), ROSTER).reputation == plainly_masked(text) != text
