"""What a request may send is bounded before it is read, with and without a length said beforehand."""

from collections.abc import Iterator

import pytest

from app.imports import bundles
from app.web import bodies
from tests.web.conftest import Browser

pytestmark = pytest.mark.services

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
MULTIPART = {"Content-Type": "multipart/form-data; boundary=x"}
PIECE = 2**20


def endless(read: list[int]) -> Iterator[bytes]:
    for _ in range(100):
        read.append(PIECE)
        yield b"a" * PIECE


@pytest.mark.parametrize("headers", [FORM, MULTIPART])
@pytest.mark.parametrize("path", ["/sign-in", "/imports", "/archives", "/panels"])
def test_a_stranger_sends_no_more_than_a_form(stranger: Browser, path: str, headers: dict[str, str]):
    answer = stranger.client.post(path, content=b"a" * (bodies.LARGEST_FORM + 1), headers=headers)

    assert answer.status_code == 413
    assert "longer than 4 MB" in answer.text


def test_a_body_without_a_length_is_counted_while_it_is_read(stranger: Browser):
    answer = stranger.client.post("/sign-in", content=endless([]), headers=FORM)

    assert answer.status_code == 413


def test_a_signed_in_person_may_send_a_file_up_to_the_bound(admin: Browser, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bodies, "LARGEST_UPLOAD", 2 * bodies.LARGEST_FORM)
    token = {"csrf_token": admin.token}

    def sent(size: int):
        return admin.client.post("/imports", data=token, files={"file": ("x.zip", b"a" * size)})

    assert "is not a whole zip file" in sent(bodies.LARGEST_FORM + 1).text
    assert sent(2 * bodies.LARGEST_FORM + bodies.FRAMING).status_code == 413


def test_a_file_over_an_importers_own_bound_is_refused_by_name(admin: Browser, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bundles, "LARGEST_UPLOAD", 10)
    monkeypatch.setattr("app.imports.published.uploads.LARGEST_UPLOAD", 10)
    answer = admin.client.post("/imports", data={"csrf_token": admin.token}, files={"file": ("x.zip", b"a" * 11)})

    assert answer.status_code == 422
    assert "x.zip" in answer.text
    assert "200 MB" in answer.text
