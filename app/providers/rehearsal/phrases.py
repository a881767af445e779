"""The rehearsal voice's stock: openings by domain and sentences by occasion, read once from their TOML files."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.wording import high

FOLDER = Path(__file__).parent


class Opening(BaseModel):
    """One business a report could open; ``layer`` is the layer id it aims at where the era has it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    layer: str
    identity: str
    noun: str
    offer: str
    bottleneck: str
    owned: str
    data: str
    next: str
    obsolete: str


class Domain(BaseModel):
    """A domain of the world record: how to recognize it, where its value sits, and what it opens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    heading: str
    keywords: tuple[str, ...]
    layer_words: tuple[str, ...]
    layers: tuple[str, ...]
    turns: tuple[str, ...]
    adoptions: tuple[str, ...]
    openings: tuple[Opening, ...]


@cache
def domains() -> Mapping[str, Domain]:
    """Every domain by its name in the world record."""
    tables = tomllib.loads((FOLDER / "openings.toml").read_text(encoding="utf-8"))
    return {name: Domain.model_validate(table) for name, table in tables.items()}


@cache
def opening_of(title: str) -> Opening | None:
    """The opening a thesis of this voice was built on, or None for a thesis written by another."""
    for domain in domains().values():
        for opening in domain.openings:
            if title.startswith(opening.title):
                return opening
    return None


@cache
def phrases() -> Mapping[str, Any]:
    """Sentences by occasion."""
    return tomllib.loads((FOLDER / "phrases.toml").read_text(encoding="utf-8"))


def sentences(path: str) -> list[str]:
    """The variants under a dotted path, such as ``memo.wedge``; KeyError if there is no such path."""
    found: Any = phrases()
    for part in path.split("."):
        found = found[part]
    return [found] if isinstance(found, str) else list(found)


def say(draws: Draws, path: str, **slots: object) -> str:
    """One of the variants under a path, with its slots filled and its first letter a capital."""
    return high(draws.one(sentences(path)).format(**slots))
