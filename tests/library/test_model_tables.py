"""The shipped models and a user's own file are read alike."""

from pathlib import Path

import pytest

from app.library.model_tables import ModelFileError, model_tables

OWN = """
[[models]]
name = "local/small"
provider = "openai_compatible"
family = "small"
endpoint = "http://127.0.0.1:8080/v1"
wire_model = "small"
key_variable = "SMALL_KEY"
features = { schema_mode = "json_object", temperature = true }
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "own.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_rehearsal_voices_come_with_the_software():
    families = {table["name"]: table["family"] for table in model_tables()}
    assert families == {
        "rehearsal/steady": "rehearsal-players",
        "rehearsal/bold": "rehearsal-players",
        "rehearsal/strict": "rehearsal-judges",
        "rehearsal/dazzled": "rehearsal-judges",
        "rehearsal/author": "rehearsal-authors",
        "rehearsal/vain": "rehearsal-players",
    }
    assert all(table["features"]["schema_mode"] == "json_schema" for table in model_tables())


def test_own_models_follow_the_shipped_ones(tmp_path: Path):
    tables = model_tables(written(tmp_path, OWN))
    assert tables[:-1] == model_tables()
    assert tables[-1]["key_variable"] == "SMALL_KEY"


def test_a_file_that_is_not_there_adds_nothing(tmp_path: Path):
    assert model_tables(tmp_path / "none.toml") == model_tables()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models = [", "own.toml: not readable as TOML"),
        ("models = 3", r"own.toml: models: write each model under its own \[\[models\]\]"),
        ("models = [3]", "write each model under its own"),
        ("[[models]]\nfamily = 'x'", "own.toml: model 1: give it a name"),
        ("[[models]]\nname = ''", "own.toml: model 1: give it a name"),
        (OWN + OWN, "model local/small: the name is taken twice"),
        ("[[models]]\nname = 'rehearsal/bold'", "model rehearsal/bold: the name is taken twice"),
    ],
)
def test_a_file_that_cannot_be_used_says_what_to_mend(tmp_path: Path, text: str, message: str):
    with pytest.raises(ModelFileError, match=message):
        model_tables(written(tmp_path, text))
