"""An archive taken in by the browser: by admins only, whole or refused with words that say what is wrong."""

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.domain.auth import Role
from app.web import archives
from tests.exports.archived import changed, edit_row
from tests.exports.conftest import Elsewhere
from tests.web.conftest import Browser, application, operator, services, sign_in, stranger

__all__ = ["operator", "services", "stranger"]
pytestmark = pytest.mark.services


def upload(browser: Browser, content: bytes, name: str = "study.zip"):
    return browser.client.post("/archives", data={"csrf_token": browser.token}, files={"file": (name, content)})


def next_version(manifest: bytes) -> bytes:
    return json.dumps(json.loads(manifest) | {"version": 2}).encode()


def test_an_admin_takes_in_an_archive_once(
    archive: Path, tmp_path: Path, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = archive.read_bytes()
    newer = changed(
        archive,
        tmp_path / "n.zip",
        "manifest.json",
        lambda text: json.dumps(json.loads(text) | {"version": 2}).encode(),
    )
    other = changed(archive, tmp_path / "o.zip", "data/calls.jsonl", edit_row(0, attempt=9))
    with elsewhere(), TestClient(application(), raise_server_exceptions=False) as client:
        ada = sign_in(Browser(client), "ada", Role.ADMIN)
        assert "Check and import" in ada.get("/archives/new").text
        assert 'href="/archives/new"' in ada.get("/studies").text
        for content, words in (
            (whole[:-300], "it is no zip file, or it was cut short"),
            (newer.read_bytes(), "it is of version 2, and this checkout reads 1"),
            (other.read_bytes(), "data/calls.jsonl: it"),
        ):
            refused = upload(ada, content)
            assert refused.status_code == 422
            assert "Nothing was imported." in refused.text
            assert words in refused.text
        assert "No study was launched yet." in ada.get("/studies").text
        done = upload(ada, whole)
        assert (done.status_code, "imported and verified" in done.text) == (200, True)
        assert "here already" in upload(ada, whole).text
        monkeypatch.setattr(archives, "LARGEST_UPLOAD", 10)
        assert "./autolab import FILE.zip" in upload(ada, whole).text
        empty = ada.post("/archives")
        assert (empty.status_code, "Choose an archive first" in empty.text) == (422, True)


@pytest.mark.parametrize("path", ["/archives/new", "/archives"])
def test_nobody_else_does(operator: Browser, path: str) -> None:
    answer = operator.get(path) if path.endswith("new") else upload(operator, b"x")
    assert answer.status_code == 403
    assert "/archives/new" not in operator.get("/studies").text
