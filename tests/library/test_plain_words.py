"""What pydantic finds is said in plain words with its bounds, of every kind that a form of ours can meet."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from app.domain.misfits import PLAIN, problems_of


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Sheet(BaseModel):
    """One field of each kind."""

    model_config = ConfigDict(extra="forbid")
    needed: int
    text: Annotated[str, Field(min_length=1, max_length=1_200)] = "x"
    code: Annotated[str, Field(min_length=3)] = "abc"
    whole: Annotated[int, Field(ge=1, le=2**31 - 1)] = 1
    share: Annotated[float, Field(gt=0, lt=0.5, allow_inf_nan=False)] = 0.1
    yes: bool = True
    colour: Colour = Colour.RED
    side: Literal["left", "right"] = "left"
    some: Annotated[tuple[str, ...], Field(min_length=1, max_length=2)] = ("a",)
    pair: Annotated[tuple[str, ...], Field(min_length=2)] = ("a", "b")
    day: date = date(2026, 1, 1)
    id: UUID | None = None
    own: str = ""

    @field_validator("own")
    @classmethod
    def _is_polite(cls, text: str) -> str:
        if text == "rude":
            raise ValueError("say it politely")
        return text


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("other", 1, "is no field here; take it out"),
        ("text", "", "write something here"),
        ("text", "x" * 1_201, "write at most 1,200 characters"),
        ("text", 7, "write a text"),
        ("code", "a", "write at least 3 characters"),
        ("whole", 0, "write 1 or more"),
        ("whole", 2**31, "write 2,147,483,647 or less"),
        ("whole", "seven", "write a whole number"),
        ("whole", 1.5, "write a whole number"),
        ("whole", None, "write a whole number"),
        ("whole", "9" * 5_000, "write a smaller whole number"),
        ("share", 0, "write a number above 0"),
        ("share", 2, "write a number below 0.5"),
        ("share", "cheap", "write a number"),
        ("share", None, "write a number"),
        ("share", "inf", "write a finite number"),
        ("yes", "perhaps", "choose yes or no"),
        ("yes", None, "choose yes or no"),
        ("colour", "green", "choose one of 'red' or 'blue'"),
        ("side", "up", "choose one of 'left' or 'right'"),
        ("some", (), "choose at least one"),
        ("some", ("a", "b", "c"), "choose at most 2"),
        ("pair", ("a",), "choose at least 2"),
        ("day", "spring", "write a date, such as 2026-01-31"),
        ("id", "none", "choose one of the list"),
        ("own", "rude", "say it politely"),
        ("own", b"\xff", "Input should be a valid string, unable to parse raw data as a unicode string"),
    ],
)
def test_what_does_not_fit_is_said_in_plain_words(field: str, value: Any, words: str):
    with pytest.raises(ValidationError) as raised:
        Sheet.model_validate({"needed": 1, field: value})
    assert problems_of(raised.value) == (((field,), words),)


def test_what_is_missing_is_said_where_it_is_missing():
    with pytest.raises(ValidationError) as raised:
        Sheet.model_validate({})
    assert problems_of(raised.value) == ((("needed",), "is missing; write it"),)


def test_no_plain_words_speak_of_input_or_strings():
    assert not [words for words in PLAIN.values() if "Input" in words or "tring" in words]
