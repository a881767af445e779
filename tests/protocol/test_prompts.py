"""Templates are filled strictly and once."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.protocol.prompts import MissingValueError, PromptTemplate, UnusedValueError, fill

GREETING = PromptTemplate.of("greeting", "Good {{time}}, {{name}}. {{time}}!")


def test_every_place_is_filled():
    assert GREETING.places == {"time", "name"}
    assert fill(GREETING, {"time": "day", "name": "Ada"}) == "Good day, Ada. day!"


def test_a_template_without_places_is_its_text():
    assert fill(PromptTemplate.of("plain", "Hello { there }"), {}) == "Hello { there }"


def test_a_missing_value_is_named():
    with pytest.raises(MissingValueError, match=r"prompt greeting: give a value for name, time"):
        fill(GREETING, {})


def test_an_unused_value_is_named():
    with pytest.raises(UnusedValueError, match=r"prompt greeting: there is no place for colour"):
        fill(GREETING, {"time": "day", "name": "Ada", "colour": "red"})


def test_the_hash_is_that_of_the_text():
    assert GREETING.sha256 == sha256(GREETING.text.encode()).hexdigest()


@given(st.text(), st.text())
def test_a_value_is_never_read_for_places(time: str, name: str):
    time, name = f"{{{{name}}}}{time}", f"{{{{time}}}}{name}"
    assert fill(GREETING, {"time": time, "name": name}) == f"Good {time}, {name}. {time}!"
