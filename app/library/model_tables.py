"""The model entries of models.toml and of a user's own file of the same form, as plain tables."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SHIPPED = Path(__file__).parent / "models.toml"


class ModelFileError(ValueError):
    """A model file that cannot be read; the message names the file, the entry and the mend."""


def model_tables(own: Path | None = None) -> tuple[dict[str, Any], ...]:
    """The shipped entries, then those of ``own`` if it exists; the registry checks their fields.

    Raises ModelFileError if a file is not TOML, an entry has no name, or a name is taken twice.
    """
    tables = _tables(SHIPPED)
    if own is not None and own.exists():
        tables += _tables(own)
    _require_differing_names(tables)
    return tuple(tables)


def _tables(file: Path) -> list[dict[str, Any]]:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelFileError(f"{file.name}: not readable as TOML: {error}") from error
    tables = content.get("models", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ModelFileError(f"{file.name}: models: write each model under its own [[models]]")
    for number, table in enumerate(tables, start=1):
        if not isinstance(table.get("name"), str) or not table["name"]:
            raise ModelFileError(f"{file.name}: model {number}: give it a name")
    return tables


def _require_differing_names(tables: Sequence[dict[str, Any]]) -> None:
    seen: set[str] = set()
    for table in tables:
        if table["name"] in seen:
            raise ModelFileError(f"model {table['name']}: the name is taken twice; rename one of the entries")
        seen.add(table["name"])
