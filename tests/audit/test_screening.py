"""The quick look never hides what the slow search would find."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.audit.screening import folded, may_match, needed_letters
from app.library import reader

PATTERNS = [term.pattern for term in reader.first_use()]


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        (r"\bqualcomm\b", {"qualcomm"}),
        (r"\bgreen[\u2010-]?wash(?:es|ed)?\b", {"green"}),
        (r"\b(?:total[\s-]+quality|TQM)\b", {"quality", "tqm"}),
        (r"(?<!<)\bWWW\b(?![.>])", {"www"}),
        (r"(?<=the )web(?=sites? (?:of|that))", {"web"}),
        (r"a.bcd^e$", {"bcd"}),
        (r"802\.11", {"802.11"}),
        (r"\u0041b", {"b"}),
        (r"colou?r", {"colo"}),
        (r"ab+cd", {"ab"}),
        (r"(ab)+?x", {"ab"}),
        (r"(?:ab)*x", {"x"}),
        (r"x{0,2}yz", {"yz"}),
        (r"x{,2}yz", {"yz"}),
        (r"wx{2}y", {"wx"}),
        (r"[]x]+abc", {"abc"}),
        (r"abc|\d+", set()),
        (r"\d?", set()),
        ("", set()),
    ],
)
def test_what_a_pattern_needs(pattern: str, needed: set[str]):
    assert needed_letters(pattern) == needed
    assert may_match(pattern, "") is not bool(needed)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])  # a pattern's first text takes a second
@given(st.sampled_from(PATTERNS), st.data())
def test_a_text_that_matches_is_never_passed_over(pattern: str, data: st.DataObject):
    text = data.draw(st.from_regex(re.compile(pattern, re.IGNORECASE)))

    assert may_match(pattern, folded(text))


def test_every_term_of_the_dictionary_is_looked_for_by_letters_of_its_own():
    assert not [pattern for pattern in PATTERNS if not needed_letters(pattern)]


@pytest.mark.parametrize("text", ["WINDOWS", "w\u0131ndows", "W\u0130NDOWS", "window\u017f"])
def test_letters_that_a_search_takes_for_others_are_folded_alike(text: str):
    assert re.search("windows", text, re.IGNORECASE)
    assert may_match("windows", folded(text))
