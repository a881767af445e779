"""What a request may send is bounded before it is read, with and without a length said beforehand."""

from collections.abc import Iterator

import pytest
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from app.imports import bundles
from app.services.unit_of_work import unit_of_work
from app.services.users import disable_user
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
    monkeypatch.setitem(bodies.FILES, "imports.read", 2 * bodies.LARGEST_FORM)
    token = {"csrf_token": admin.token}

    def sent(size: int):
        return admin.client.post("/imports", data=token, files={"file": ("x.zip", b"a" * size)})

    assert "is not a whole zip file" in sent(bodies.LARGEST_FORM + 1).text
    refused = sent(2 * bodies.LARGEST_FORM + bodies.FRAMING)
    assert refused.status_code == 413
    assert "longer than 8 MB" in refused.text


@pytest.mark.parametrize(
    ("path", "megabytes"), [("/imports", 200), ("/panels", 20), ("/archives", 1024), ("/users", 4)]
)
def test_each_route_reads_no_more_than_it_takes(admin: Browser, path: str, megabytes: int):
    size = {"Content-Length": str((megabytes + 2) * 2**20)}
    answer = admin.client.post(path, content=b"", headers={**MULTIPART, **size, "X-CSRF-Token": admin.token})
    assert answer.status_code == 413
    assert f"longer than {megabytes:,} MB" in answer.text


def test_what_says_no_length_is_read_up_to_what_the_route_takes(admin: Browser):
    read: list[int] = []
    answer = admin.client.post("/panels", content=endless(read), headers={**MULTIPART, "X-CSRF-Token": admin.token})
    assert answer.status_code == 413
    assert "longer than 20 MB" in answer.text


def test_a_length_of_thousands_of_digits_is_too_long(stranger: Browser):
    sent = {**FORM, "Content-Length": "9" * 5_000}
    assert stranger.client.post("/sign-in", content=b"a", headers=sent).status_code == 413


def test_a_file_over_an_importers_own_bound_is_refused_by_name(admin: Browser, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bundles, "LARGEST_UPLOAD", 10)
    monkeypatch.setattr("app.imports.published.uploads.LARGEST_UPLOAD", 10)
    answer = admin.client.post("/imports", data={"csrf_token": admin.token}, files={"file": ("x.zip", b"a" * 11)})

    assert answer.status_code == 422
    assert "x.zip" in answer.text
    assert "200 MB" in answer.text


def test_who_is_disabled_while_a_file_comes_in_has_no_rights_when_it_is_there(
    operator: Browser, monkeypatch: pytest.MonkeyPatch
):
    token = {"csrf_token": operator.token}

    def disable() -> None:
        with unit_of_work() as work:
            disable_user(work, name="olga")

    async def slowly(request: Request) -> Request:
        begun = await bodies.bounded(request)
        await run_in_threadpool(disable)
        return begun

    monkeypatch.setattr("app.web.forms.bounded", slowly)
    answer = operator.client.post("/imports", data=token, files={"file": ("x.zip", b"a")}, follow_redirects=False)
    assert answer.status_code == 303
    assert "/sign-in" in answer.headers["Location"]
