"""Loads the texts with planted leaks, and the clean ones, on which the probes are measured."""

import csv
import io
from functools import lru_cache

from app.domain.audit.planted import PlantedText
from app.library.reader import LIBRARY


@lru_cache(maxsize=1)
def planted_texts() -> tuple[PlantedText, ...]:
    """Every planted and clean text in its file's order; several leaks of a text are parted by ``|``."""
    text = (LIBRARY / "audit" / "planted.csv").read_text(encoding="utf-8")
    return tuple(
        PlantedText(
            probe=row["probe"],
            start=row["start"],
            path=row["path"],
            text=row["text"],
            briefing=row["briefing"],
            leaks=tuple(leak for leak in row["leaks"].split("|") if leak),
        )
        for row in csv.DictReader(io.StringIO(text, newline=""))
    )
