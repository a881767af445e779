from pathlib import Path

import pytest

from app.cli.main import main
from app.services.unit_of_work import reading
from tests.exports.conftest import Elsewhere, Played

pytestmark = pytest.mark.services


def test_out_and_in_again(
    played: Played, tmp_path: Path, elsewhere: Elsewhere, capsys: pytest.CaptureFixture[str]
) -> None:
    study, file = played(name="Spring trial"), tmp_path / "study.zip"
    assert main(["export", "Spring trial", str(file)]) == 0
    assert "Exported Spring trial to" in capsys.readouterr().out
    assert [one.name for one in tmp_path.iterdir()] == ["study.zip"]
    assert main(["export", str(study), str(file)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert main(["export", "Autumn", str(tmp_path / "x.zip")]) == 1
    assert "There is no study Autumn." in capsys.readouterr().err
    assert main(["export", str(study), str(tmp_path / "nowhere" / "x.zip")]) == 1
    assert "cannot be written" in capsys.readouterr().err
    with elsewhere():
        assert main(["import", str(file)]) == 0
        assert f"1 run, ledgers verified, at http://127.0.0.1:8000/studies/{study}" in capsys.readouterr().out
        assert main(["import", str(file)]) == 0
        assert "Nothing was changed" in capsys.readouterr().out
        file.write_bytes(file.read_bytes()[:500])
        assert main(["import", str(file)]) == 1
        assert "cut short" in capsys.readouterr().err
        with reading() as look:
            assert [one.id for one in look.studies.newest(limit=5)] == [study]
