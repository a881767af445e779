"""Loads the library's files once each and gives domain values; every file's SHA-256 is known."""

import csv
import io
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from app.domain.protocol.eras import Schedule
from app.domain.protocol.layers import LayerGraph
from app.domain.protocol.personas import Roster
from app.domain.protocol.prompts import PromptTemplate
from app.domain.protocol.rubrics import STANDARD_ANCHORS, AnchorSet, Rubric, RubricId
from app.domain.world.events import Event, Fate
from app.domain.world.first_use import DatedTerm, DatedTermCase

LIBRARY = Path(__file__).parent
VERSION_DIGITS = 12


class UnknownScheduleError(KeyError):
    """No schedule of that id is in the library."""


@lru_cache(maxsize=1)
def schedules() -> tuple[Schedule, ...]:
    """Every schedule, in order of file name."""
    files = sorted((LIBRARY / "schedules").glob("*.toml"))
    return tuple(Schedule.model_validate(_toml(f"schedules/{file.name}")) for file in files)


def schedule(schedule_id: str) -> Schedule:
    """The schedule of that id. Raises UnknownScheduleError, naming those there are."""
    for candidate in schedules():
        if candidate.id == schedule_id:
            return candidate
    known = ", ".join(candidate.id for candidate in schedules())
    raise UnknownScheduleError(f"schedule {schedule_id}: the library has {known}")


@lru_cache(maxsize=1)
def layers() -> LayerGraph:
    """The layer list of every real era."""
    return LayerGraph.model_validate(_toml("layers.toml"))


@lru_cache(maxsize=1)
def roster() -> Roster:
    """The sixteen personas and the titles of their groups."""
    return Roster.model_validate(_toml("personas.toml"))


@lru_cache(maxsize=len(RubricId))
def rubric(rubric_id: RubricId) -> Rubric:
    """A judge's rubric; its version is the start of its file's hash, so that any changed word changes it."""
    name = f"rubrics/{rubric_id}.toml"
    return Rubric.model_validate({**_toml(name), "version": file_hash(name)[:VERSION_DIGITS]})


class UnknownAnchorsError(KeyError):
    """No set of anchors of that id is in the library."""


@lru_cache(maxsize=1)
def anchor_sets() -> MappingProxyType[str, AnchorSet]:
    """Every set of anchors by its id: the standard one first, then the alternatives in order of file name.

    An alternative writes anew what it changes; the rest of each dimension is the standard rubric's, word for word.
    """
    standard = AnchorSet(
        id=STANDARD_ANCHORS,
        title="Standard",
        about="The anchors written in the rubrics themselves: those of every first judge.",
        rubrics={one: rubric(one) for one in RubricId},
    )
    files = sorted((LIBRARY / "anchors").glob("*.toml"))
    return MappingProxyType({one.id: one for one in (standard, *(_anchors(f"anchors/{file.name}") for file in files))})


def anchor_set(anchors_id: str) -> AnchorSet:
    """The set of anchors of that id. Raises UnknownAnchorsError, naming those there are."""
    known = anchor_sets()
    if anchors_id not in known:
        raise UnknownAnchorsError(f"anchors {anchors_id}: the library has {', '.join(known)}")
    return known[anchors_id]


def _anchors(name: str) -> AnchorSet:
    table = _toml(name)
    version = file_hash(name)[:VERSION_DIGITS]
    rubrics = {}
    for one in RubricId:
        changes = table.pop(one, {})
        dimensions = [
            each.model_dump() | {**changes.get(each.id, {}), "id": each.id} for each in rubric(one).dimensions
        ]
        rubrics[one] = {**rubric(one).model_dump(), "version": version, "dimensions": dimensions}
    return AnchorSet.model_validate({**table, "rubrics": rubrics})


@lru_cache(maxsize=1)
def prompt_templates() -> MappingProxyType[str, PromptTemplate]:
    """Every prompt template by name: the file's name without its ending, the text without white space at its ends."""
    files = sorted((LIBRARY / "prompts").glob("*.md"))
    templates = [PromptTemplate.of(file.stem, _text(f"prompts/{file.name}").strip()) for file in files]
    return MappingProxyType({template.name: template for template in templates})


@lru_cache(maxsize=1)
def events() -> tuple[Event, ...]:
    """The world record in its file's order."""
    return tuple(
        Event(
            id=row["id"],
            on=row["date"],
            domain=row["domain"],
            text=row["event"],
            source=row["source"],
            fate=Fate(row["fate"]),
            confidence=row["confidence"],
        )
        for row in _rows("world/record.csv")
    )


@lru_cache(maxsize=1)
def first_use() -> tuple[DatedTerm, ...]:
    """The first-use dictionary in its file's order."""
    return tuple(
        DatedTerm(
            term=row["term"],
            pattern=row["pattern"],
            kind=row["kind"],
            first_use=row["first_use"],
            sense=row["sense"],
            common_from=int(row["common_from"]),
            source=row["source"],
            ambiguous=row["ambiguous"] == "yes",
            confidence=row["confidence"],
        )
        for row in _rows("world/first_use.csv")
    )


@lru_cache(maxsize=1)
def first_use_cases() -> tuple[DatedTermCase, ...]:
    """Sentences with the terms a vocabulary probe should find, for measuring precision and recall."""
    return tuple(
        DatedTermCase(
            text=row["text"],
            era_start=int(row["era_start"]),
            expected_terms=tuple(term for term in row["expected_terms"].split(";") if term),
        )
        for row in _rows("world/first_use_cases.csv")
    )


def file_hash(name: str) -> str:
    """SHA-256 of a library file, in hex; ``name`` is its path inside the library, such as ``layers.toml``."""
    return sha256(_bytes(name)).hexdigest()


@lru_cache(maxsize=1)
def file_hashes() -> MappingProxyType[str, str]:
    """The hash of every data file of the library by its path there."""
    endings = {".toml", ".md", ".csv"}
    files = sorted(file for file in LIBRARY.rglob("*") if file.suffix in endings)
    names = [file.relative_to(LIBRARY).as_posix() for file in files]
    return MappingProxyType({name: file_hash(name) for name in names})


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads(_text(name))


def _rows(name: str) -> Iterable[dict[str, str]]:
    return csv.DictReader(io.StringIO(_text(name), newline=""))


def _text(name: str) -> str:
    return _bytes(name).decode("utf-8")


@lru_cache(maxsize=64)
def _bytes(name: str) -> bytes:
    return (LIBRARY / name).read_bytes()
