"""The configuration table tells the settings as they are."""

import re
from pathlib import Path

from app.settings import Settings

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"


def test_the_table_names_every_setting_with_its_default_and_meaning():
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.*?) \| (.*?) \|$", OPERATIONS.read_text(encoding="utf-8"), re.MULTILINE)
    told = {name: (default, meaning) for name, default, meaning in rows}
    expected = {}
    for name, field in Settings.model_fields.items():
        default = "`.autolab`" if name == "home" else "" if field.default is None else f"`{field.default}`"
        expected[str(field.validation_alias or f"AUTOLAB_{name.upper()}")] = (default, field.description)
    assert told == expected
