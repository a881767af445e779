"""`run` left with Ctrl-C says what goes on, and where, instead of leaving a traceback."""

from contextlib import nullcontext
from pathlib import Path
from uuid import UUID

import pytest

from app.cli import main, run
from app.settings import get_settings


@pytest.mark.parametrize(
    ("database", "told"),
    [(None, "goes on with `./autolab up`"), ("postgresql://elsewhere/autolab", "goes on where its workers are")],
)
def test_ctrl_c_says_what_goes_on(
    database: str | None,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
):
    def left(_: UUID) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setenv("AUTOLAB_HOME", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    if database:
        monkeypatch.setenv("DATABASE_URL", database)
    get_settings.cache_clear()
    request.addfinalizer(get_settings.cache_clear)
    monkeypatch.setattr(run, "reach_services", lambda *_: nullcontext())
    monkeypatch.setattr(run, "_launched", lambda *_, **__: UUID(int=1))
    monkeypatch.setattr(run, "_watched", left)
    file = tmp_path / "study.toml"
    file.write_text("")

    assert main.main(["run", str(file)]) == run.INTERRUPTED
    assert told in capsys.readouterr().out
