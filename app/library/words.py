"""What presets, conditions, briefings and mappings are called on pages, and what each of them changes."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from app.domain.protocol.analysis import Incomplete, Treatment
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Mapping, Preset

Choice = Condition | Preset | Briefings | Mapping | Treatment | Incomplete


@dataclass(frozen=True, slots=True)
class ChoiceWords:
    """One choice of a study in words."""

    title: str
    changes: str


def words_for(choice: Choice) -> ChoiceWords:
    """The words for a choice, such as ``Condition.NO_RED_TEAM``; KeyError if conditions.toml has none."""
    return _words()[_TABLES[type(choice)], choice.value]


_TABLES = {Condition: "conditions", Preset: "presets", Briefings: "briefings", Mapping: "mappings"} | {
    Treatment: "interventions",
    Incomplete: "incomplete",
}


@lru_cache(maxsize=1)
def _words() -> dict[tuple[str, str], ChoiceWords]:
    tables = tomllib.loads((Path(__file__).parent / "conditions.toml").read_text(encoding="utf-8"))
    return {(table, name): ChoiceWords(**entry) for table, entries in tables.items() for name, entry in entries.items()}
