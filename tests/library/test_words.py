"""Every choice of a study has words for its page."""

from itertools import chain

import pytest

from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.library.words import Choice, words_for


@pytest.mark.parametrize("choice", list(chain(Condition, Preset, Briefings, Mapping)))
def test_every_choice_has_a_title_and_one_sentence(choice: Choice):
    words = words_for(choice)
    assert words.title
    assert words.changes.endswith(".")
