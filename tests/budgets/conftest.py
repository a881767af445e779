"""The application on the test's own services, with models that have prices and limits."""

from pathlib import Path

import pytest

from app.providers import limits
from app.settings import get_settings
from tests.services.stage import Stage, database_url_in_use, scripted, stage

__all__ = ["database_url_in_use", "scripted", "stage"]

MODELS = """
[[models]]
name = "own/{name}"
provider = "rehearsal"
family = "own-players"
wire_model = "steady"
max_output_tokens = 16000
{more}
"""


@pytest.fixture
def own_models(stage: Stage):
    """Adds models to the user's own file; gives their full name."""
    limits._limiter.cache_clear()
    limits._fallback.cache_clear()
    file = Path(get_settings().home) / "models.toml"

    def add(name: str, more: str) -> str:
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        file.write_text(before + MODELS.format(name=name, more=more), encoding="utf-8")
        return f"own/{name}"

    yield add
    limits._limiter.cache_clear()
