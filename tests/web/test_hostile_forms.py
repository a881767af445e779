"""What no page of ours sends: other charsets, NUL, nests without end, numbers of thousands of digits; nothing fails."""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.datastructures import FormData

from app import main
from app.templating import environment
from app.web.forms import fill
from app.web.rate import access, items, progress
from tests.web.conftest import Browser

pytestmark = pytest.mark.services

MANY_DIGITS = "9" * 5_000
HOSTILE = ("", "\ud7ff\ufffe", "--5", "²", MANY_DIGITS, "1e400", "Infinity", "[" * 50_000, '{"a":NaN}', "[[1e400,3]]")
TYPED = "multipart/form-data; boundary=B"
ONE_FIELD = b'--B\r\nContent-Disposition: form-data; name="reason"\r\n\r\n+2AA-\r\n--B--\r\n'
NUL_IN_A_TEXT = ONE_FIELD.replace(b"+2AA-", b"a\0b")
NUL_IN_A_FILE_NAME = ONE_FIELD.replace(b'"reason"', b'"file"; filename="a\0b.csv"')


def posts() -> Iterator[str]:
    """The address of every POST route, its parts being ids of nothing."""
    readers = (*main.FOR_READERS, *main.FOR_OPERATORS, *main.FOR_ADMINS)
    ours = [(router, "") for router in (*main.OPEN, *(noun.router for noun in readers))]
    raters = [(part.router, "/rate") for part in (access, progress, items)]
    for router, area in ours + raters:
        for route in router.routes:
            if isinstance(route, APIRoute) and "POST" in route.methods:
                yield area + re.sub(r"\{[^}]+\}", str(uuid4()), route.path)


@pytest.mark.parametrize("charset", ["utf-7", "punycode", "raw_unicode_escape", "utf-16", "latin-1", "x\0y"])
def test_a_form_in_another_charset_is_refused(admin: Browser, charset: str):
    headers = {"Content-Type": f"{TYPED}; charset={charset}", "X-CSRF-Token": admin.token}
    answer = admin.client.post("/models", content=ONE_FIELD, headers=headers)

    assert answer.status_code == 415
    assert "Send it as UTF-8" in answer.text


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"'])
def test_a_form_that_names_our_charset_is_read(admin: Browser, charset: str):
    headers = {"Content-Type": f"{TYPED}; charset={charset}", "X-CSRF-Token": admin.token}

    assert admin.client.post("/models", content=ONE_FIELD, headers=headers).status_code == 422


def test_no_route_fails_on_nul_or_on_what_is_no_form(admin: Browser):
    sent = {"Content-Type": TYPED, "X-CSRF-Token": admin.token}
    paths = [path for path in posts() if path != "/sign-out"]
    assert len(paths) > 50
    for path in paths:
        for content in (NUL_IN_A_TEXT, NUL_IN_A_FILE_NAME):
            assert admin.client.post(path, content=content, headers=sent).status_code < 500, path
        assert admin.client.post(path, content=b"no form", headers=sent).status_code == 400, path


def test_nul_is_left_out_of_what_is_kept(admin: Browser):
    fields = {"name": "a\0/b", "provider": "openai_compatible", "family": "f\0", "wire_model": "m"}
    answer = admin.post("/models", {**fields, "endpoint": "http://127.0.0.1:1/v1"})

    assert answer.url.path == "/models"
    assert "a/b" in answer.text


def test_too_many_fields_are_refused_with_the_mend(admin: Browser):
    fields = "&".join(f"f{number}=1" for number in range(2_100))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = admin.client.post("/studies/estimate", content=fields, headers=form)

    assert answer.status_code == 400
    assert "Nothing was kept. Send less" in answer.text


@pytest.mark.parametrize("value", HOSTILE)
def test_a_version_that_cannot_be_is_no_version(admin: Browser, value: str):
    fields = {"provider": "openai_compatible", "family": "f", "wire_model": "m", "endpoint": "http://127.0.0.1:1/v1"}
    answer = admin.post("/models/edit/rehearsal/bold", {**fields, "based_on": value})

    assert answer.status_code in {409, 422}


def test_an_entry_without_versions_can_be_edited_and_mended(admin: Browser):
    assert admin.get("/models/edit/rehearsal/bold").status_code == 200
    assert admin.post("/models/edit/rehearsal/bold", {"provider": "none"}).status_code == 422


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/users", {"role": "operator"}),
        ("/users", {"name": "", "role": ""}),
        ("/panels", {"name": "Trial"}),
        ("/panels", {"source": "studies"}),
        ("/studies", {"name": "Trial"}),
        ("/models", {"name": "lab/one"}),
        ("/account", {"old": "x"}),
    ],
)
def test_a_form_with_fields_left_out_is_shown_again(admin: Browser, path: str, fields: dict[str, str]):
    answer = admin.post(path, fields)

    assert answer.status_code == 422


def test_what_a_form_did_not_send_is_shown_empty():
    class Small(BaseModel):
        name: str
        role: str

    filled = fill(Small, FormData([("role", "x")]))

    assert filled.problems == {"name": "is missing; write it"}
    assert environment().from_string("[{{ sent.name }}][{{ sent.role }}]").render(sent=filled.sent) == "[][x]"
    assert {"name": "kept", **filled.sent} == {"name": "kept", "role": "x"}
