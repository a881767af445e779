"""Names hold nothing that cannot be seen; the refusal says what to take out, and where."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from app.domain.naming import Name, WrittenName, unseen_problem

SEEN = ("", "Spring", "Früh­ling".replace("\u00ad", ""), "עברית", "日本語 2026", "नमस्ते", "a\u00a0b", "❤️ study", "x² – y")
UNSEEN = {
    "Spring\u202egnirps": "after “Spring”: U+202E, right-to-left override",
    "\u2066a\u2069": "at the start: U+2066, left-to-right isolate",
    "a\u200bb": "after “a”: U+200B, zero width space",
    "soft\u00adhyphen": "after “soft”: U+00AD, soft hyphen",
    "\ufeffbom": "at the start: U+FEFF, zero width no-break space",
    "two\nlines": "after “two”: U+000A",
    "a\u3164b": "after “a”: U+3164, hangul filler",
    "a\u2028b": "after “a”: U+2028, line separator",
}


@pytest.mark.parametrize("name", SEEN)
def test_a_name_that_can_be_seen_is_left_as_it_is(name: str):
    assert unseen_problem(name) is None
    assert TypeAdapter(Name).validate_python(name) == name


@pytest.mark.parametrize(("name", "where"), UNSEEN.items())
def test_what_cannot_be_seen_is_refused_with_its_place(name: str, where: str):
    assert unseen_problem(name) == f"take out the character that cannot be seen {where}"
    with pytest.raises(ValidationError, match="take out the character"):
        TypeAdapter(Name).validate_python(name)


def test_a_name_of_nothing_but_space_is_none():
    assert TypeAdapter(WrittenName).validate_python(" a") == " a"
    for text in ("", " \u3000 "):
        assert TypeAdapter(Name).validate_python(text) == text
        with pytest.raises(ValidationError, match="write something here"):
            TypeAdapter(WrittenName).validate_python(text)


@given(st.text(st.characters(categories=["Cc", "Cf", "Zl", "Zp"]), min_size=1))
def test_every_control_and_format_character_is_refused(text: str):
    assert unseen_problem(f"a{text}b")


@given(st.text(st.characters(categories=["L", "N", "P", "S"], exclude_characters="\u115f\u1160\u2800\u3164\uffa0")))
def test_letters_digits_and_signs_are_never_refused(text: str):
    assert unseen_problem(unicodedata.normalize("NFC", text)) is None
