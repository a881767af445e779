"""Masks: every form of a name, consistent in an item, different between items; ordinary words and the world stay."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.rating.mask_terms import MaskKind, MaskTerm, company_terms, head_of, note_terms, plain_terms, role_terms
from app.domain.rating.masking import Masked, mask_codes, mask_packet
from app.domain.rating.packets import Packet, Section
from app.domain.rating.shortening import Rules

CODES = {"Clearsight": "Company BX", "Manifest": "Company CD", "LineSight": "Company FG", "Recourse": "Company HJ"}
NAMES = ("Clearsight", "Manifest Networks", "LineSight", "Recourse, Inc.")


def packet(text: str, *, title: str = "Decision", world: bool = False) -> Packet:
    return Packet(sections=(Section(id="decision", title=title, text=text, world=world),))


def masked(text: str, *terms: MaskTerm, lifted: tuple[str, ...] = (), **more: object) -> Masked:
    chosen = terms or company_terms(["Clearsight", "Manifest Networks", "LineSight", "Recourse"])
    return mask_packet(packet(text, **more), chosen, CODES, lifted)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "put"),
    [
        ("Clearsight's plan", "Company BX's plan"),
        ("Clearsight’s plan", "Company BX’s plan"),
        ("the Clearsights’ day", "the Company BXs’ day"),
        ("## CLEARSIGHT ##", "## Company BX ##"),
        ("| Clearsight | 5 |", "| Company BX | 5 |"),
        ("**Clearsight**, _Clearsight_", "**Company BX**, _Company BX_"),
        ("ClearsightAI and Clearsight-grade", "Company BXAI and Company BX-grade"),
        ("a Clearsighted man", "a Company BXed man"),
        ("Manifest Networks, once Manifest", "Company CD, once Company CD"),
        ("Manifest\nNetworks", "Company CD"),
        ("**Manifest** Networks", "**Company CD** Networks"),
        ("LineSight Linesight Line Sight Line-sight", "Company FG Company FG Company FG Company FG"),
        ("Recourse has recourse to a manifest error", "Company HJ has recourse to a manifest error"),
        ("Clearsightful", "Clearsightful"),
        ("eClearsight", "eCompany BX"),
    ],
)
def test_names_are_masked_in_every_form_and_ordinary_words_stay(text: str, put: str):
    assert masked(text).packet.sections[0].text == put


def test_headings_of_sections_are_masked_and_every_mask_is_listed_with_its_context():
    found = masked("We ended Clearsight in May.", title="Clearsight's decision")
    assert found.packet.sections[0].title == "Company BX's decision"
    assert {mask.section for mask in found.masks} == {"Clearsight's decision"}
    assert [(mask.found, mask.put, mask.before, mask.after) for mask in found.masks] == [
        ("Clearsight", "Company BX", "", "'s decision"),
        ("Clearsight", "Company BX", "We ended ", " in May."),
    ]


def test_names_in_lower_case_are_listed_for_a_person_to_decide():
    found = masked("We have recourse to Recourse; a manifesto is none.")
    assert [(mask.found, mask.after[:3]) for mask in found.near] == [("recourse", " to"), ("manifest", "o i")]
    assert masked("recourse", world=True).near == ()
    assert masked("recourse", *plain_terms(MaskKind.RUN, ["full r01"])).near == ()


def test_facts_of_the_world_stay_but_an_operators_own_term_is_masked_there_too():
    terms = (*plain_terms(MaskKind.MODEL, ["OpenAI"]), MaskTerm(text="secret", kind=MaskKind.ADDED, any_case=True))
    assert masked("OpenAI, Secret", *terms, world=True).packet.sections[0].text == "OpenAI, [masked]"
    assert masked("OpenAI's Secret", *terms).packet.sections[0].text == "[a model]'s [masked]"
    assert masked("OpenAI", *plain_terms(MaskKind.MODEL, ["OpenAI"]), world=True).masks == ()


def test_lifted_terms_stay_by_text_or_by_meaning():
    assert masked("Manifest Networks", lifted=("Manifest",)).packet.sections[0].text == "Manifest Networks"
    terms = note_terms()
    assert masked("score of 61", *terms, lifted=("every score",)).packet.sections[0].text == "score of 61"


def test_notes_on_authors_scores_and_citations_go():
    text = (
        "*Run note: the board step was run by the lab orchestrator.*\n"
        "We act. The board decision was written by the orchestrator. It is judged the same way. We stay.\n"
        "Outcome: 68/100, as [E4] says ([E5]); E4-2."
    )
    left = masked(text, *note_terms()).packet.sections[0].text
    assert "orchestrator" not in left
    assert "judged the same" not in left
    assert "We act." in left
    assert "We stay." in left
    assert "[score withheld], as says; ." in left


def test_roles_and_people_are_withheld_but_products_with_slashes_are_not():
    terms = role_terms({"Victor Hale", "Victor"})
    left = masked("Victor Hale (Red Team) told the CEO that OS/2 fails.", *terms).packet.sections[0].text
    assert left == "[withheld] ([withheld]) told the [withheld] that OS/2 fails."


def test_a_companys_head_is_its_name_without_generic_words():
    assert head_of("Switchyard Systems") == "Switchyard"
    assert head_of("The Manifest Networks Inc.") == "Manifest"
    assert head_of("Systems") == "Systems"
    assert [term.text for term in company_terms([" ", "Delegation  Warranty"])] == ["Delegation Warranty"]


NAME_LISTS = st.lists(st.text("xyz", min_size=1), unique=True, max_size=5)


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), NAME_LISTS, max_size=9), st.integers(0, 99))
def test_stand_ins_differ_between_items_of_a_run_and_between_names_of_an_item(
    meanings: dict[str, list[str]], seed: int
):
    codes = mask_codes("run 1", meanings, seed)
    used = [put for names in codes.values() for put in names.values()]
    assert len(set(used)) == len(used) == sum(len(names) for names in meanings.values())
    assert codes == mask_codes("run 1", dict(reversed(meanings.items())), seed)


@pytest.mark.parametrize("seed", range(5))
def test_stand_ins_of_one_item_differ_in_both_letters_and_are_never_anagrams(seed: int):
    few, many = ({str(item): [str(name) for name in range(names)] for item in range(8)} for names in (9, 20))
    for codes in mask_codes("run", few, seed).values():
        pairs = [(one[-2:], other[-2:]) for one, other in combinations(codes.values(), 2)]
        assert all(one[0] != other[0] and one[1] != other[1] and one != other[::-1] for one, other in pairs)
    first = [code[-2:] for code in mask_codes("run", many, seed)["0"].values()]
    assert len({code[0] for code in first}) == len({code[1] for code in first}) == 20
    assert not any(code[::-1] in first for code in first if code[0] != code[1])
    alone = [code[-2:] for code in mask_codes("run", {"a": list("abcd")}, seed)["a"].values()]
    assert len(set("".join(alone))) >= 7


def test_panels_locked_under_the_first_rules_keep_their_letters():
    codes = mask_codes("run 1", {"a": ["x", "y"], "b": ["x"]}, 1, Rules.FIRST)
    assert codes == {"a": {"x": "Company QD", "y": "Company JM"}, "b": {"x": "Company FL"}}


def test_too_many_names_in_one_run_are_refused():
    with pytest.raises(ValueError, match="more than 400"):
        mask_codes("run 1", {"a": [str(number) for number in range(401)]}, 1)


def test_more_names_than_can_be_told_apart_are_still_told_apart_somehow():
    codes = mask_codes("run 1", {"a": [str(number) for number in range(390)]}, 1)["a"]
    assert len(set(codes.values())) == 390
