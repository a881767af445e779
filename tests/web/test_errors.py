"""What a page says when something is away, and that a part of a page is never replaced by an error."""

import asyncio
from uuid import uuid4

import pytest
from psycopg.errors import DeadlockDetected, ForeignKeyViolation, LockNotAvailable, QueryCanceled
from sqlalchemy.exc import IntegrityError, OperationalError
from starlette.types import Message, Receive, Scope, Send

from app.domain.ids import StudyId
from app.services.errors import NotFoundError
from app.services.unit_of_work import unit_of_work
from app.services.worlds import WorldChangedError
from app.settings import get_settings
from app.web.answers import HeadAnswers
from tests.web.conftest import Browser


def test_database_away_is_said(operator: Browser, monkeypatch: pytest.MonkeyPatch):
    def away(*_: object, **__: object) -> None:
        raise OperationalError("select", {}, ConnectionRefusedError())

    monkeypatch.setattr("app.web.home.show_home", away)
    answer = operator.get("/")
    assert answer.status_code == 503
    assert "cannot be reached just now" in answer.text


@pytest.mark.parametrize("cause", [QueryCanceled, LockNotAvailable, DeadlockDetected])
def test_what_somebody_holds_is_not_called_a_database_away(
    operator: Browser, monkeypatch: pytest.MonkeyPatch, cause: type[Exception]
):
    def held(*_: object, **__: object) -> None:
        raise OperationalError("select", {}, cause())

    monkeypatch.setattr("app.web.home.show_home", held)
    answer = operator.get("/")
    assert answer.status_code == 503
    assert "somebody else holds what this needs" in answer.text


def test_what_was_deleted_between_the_look_and_the_write_is_no_fault(
    operator: Browser, monkeypatch: pytest.MonkeyPatch
):
    def orphaned(*_: object, **__: object) -> None:
        raise IntegrityError("insert", {}, ForeignKeyViolation())

    monkeypatch.setattr("app.web.home.show_home", orphaned)
    answer = operator.get("/")
    assert answer.status_code == 409
    assert "deleted or changed meanwhile" in answer.text


def test_a_study_deleted_while_its_budget_is_asked_for_is_missing(operator: Browser):
    with pytest.raises(NotFoundError), unit_of_work() as work:
        work.studies.lock_budget(StudyId(uuid4()))


def test_fault_gets_a_page_without_a_trace(operator: Browser, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("app.web.home.show_home", broken)
    answer = operator.get("/")
    assert answer.status_code == 500
    assert "ZeroDivisionError" not in answer.text
    assert operator.part("/").headers["hx-reswap"] == "none"


def test_world_of_another_version_is_said(operator: Browser, monkeypatch: pytest.MonkeyPatch):
    def other(*_: object, **__: object) -> None:
        raise WorldChangedError("run the study with the version that launched it")

    monkeypatch.setattr("app.web.home.show_home", other)
    answer = operator.get("/")
    assert answer.status_code == 409
    assert "with the version that launched it" in answer.text


def test_broker_away_is_said_on_the_health_page(operator: Browser, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:9/0")
    get_settings.cache_clear()
    assert "away" in operator.get("/health").text


def test_missing_part_leaves_the_page_as_it_is(operator: Browser):
    assert operator.part("/runs/7c9e6679-7425-40de-944b-e07fc1f90ae7").headers["hx-reswap"] == "none"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("PUT", "/studies", "GET, HEAD, POST"), ("POST", "/health", "GET, HEAD"), ("GET", "/sign-out", "POST"),
     ("POST", "/static/app.css", "GET, HEAD"),
     ("PATCH", "/rate/consent", "GET, HEAD, POST")],
)  # fmt: skip
def test_a_wrong_method_is_refused_and_the_right_ones_are_named(
    operator: Browser, method: str, path: str, allowed: str
):
    answer = operator.client.request(method, path, headers={"X-CSRF-Token": operator.token})
    assert answer.status_code == 405
    assert answer.headers["Allow"] == allowed


@pytest.mark.parametrize("path", ["/", "/studies", "/alive", "/none", "/rate/return", "/static/app.css", "/health"])
def test_head_answers_like_get_without_a_body(operator: Browser, path: str):
    got, head = operator.client.get(path, follow_redirects=False), operator.client.head(path, follow_redirects=False)
    assert head.status_code == got.status_code
    assert head.headers["Content-Type"] == got.headers["Content-Type"]
    assert head.content == b""


def test_of_a_body_that_comes_in_parts_only_the_head_is_made():
    made: list[int] = []
    sent: list[Message] = []

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["method"] == "GET"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            made.append(1)
            await send({"type": "http.response.body", "body": b"more", "more_body": True})

    async def keep(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    asyncio.run(HeadAnswers(endless)({"type": "http", "method": "HEAD"}, receive, keep))
    assert made == [1]
    assert sent[-1] == {"type": "http.response.body", "body": b""}


def test_web_server_says_that_it_is_alive(stranger: Browser):
    assert stranger.get("/alive").text == "alive\n"


@pytest.mark.parametrize("path", ["/studies/", "/rate", "/users/?page=1"])
def test_a_way_on_never_leads_where_the_host_header_says(operator: Browser, path: str):
    headers = {"Host": "elsewhere.example", "X-Forwarded-Host": "elsewhere.example"}
    answer = operator.client.get(path, headers=headers, follow_redirects=False)

    assert answer.status_code == 307
    assert answer.headers["Location"] in {"/studies", "/rate/", "/users?page=1"}


@pytest.mark.parametrize(
    "path", ["/studies", "/none", "/sign-in", "/rate/return", "/studies/none/study.toml", "/users/"]
)
def test_nothing_but_scripts_styles_and_pictures_is_stored(operator: Browser, path: str):
    answer = operator.client.get(path, follow_redirects=False)

    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("page", ["-1", "0", "1e400", "x", "9" * 5_000, str(10**30), "100001"])
@pytest.mark.parametrize("path", ["/studies", "/interventions", "/record"])
def test_a_page_number_that_cannot_be_names_nothing(operator: Browser, path: str, page: str):
    assert operator.get(f"{path}?page={page}").status_code == 404


@pytest.mark.parametrize(
    "path", ["/studies?condition=%00", "/panels/x?key=a%00", "/rate/return?next=%00", "/users/%00/x", "/help/a%00b"]
)
def test_nul_in_an_address_names_nothing(operator: Browser, path: str):
    assert operator.get(path).status_code == 404


def test_half_a_character_in_a_page_does_not_fail_it(operator: Browser, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.web.pages.render", lambda template, _values: f"{template}\ud800")

    assert operator.get("/account").text == "account/show.html?"
