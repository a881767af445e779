"""Signing in by link and password, and what keeps others out."""

import re

import pytest
from redis import RedisError

from app.domain.auth import Role
from app.services.errors import AlreadyThereError, RefusedError
from app.services.unit_of_work import reading, unit_of_work
from app.services.users import (
    add_user,
    create_sign_in_link,
    disable_user,
    enable_user,
    ensure_admin,
    set_password,
)
from tests.web.conftest import TOKEN, Browser

PASSWORD = "four words, all of them dull"


def person(name: str = "rita", role: Role = Role.OPERATOR, password: str | None = None) -> str:
    with unit_of_work() as work:
        add_user(work, name=name, role=role)
        if password:
            set_password(work, name=name, password=password)
        return create_sign_in_link(work, name=name)


def test_stranger_is_sent_to_sign_in_and_back(stranger: Browser):
    person(password=PASSWORD)
    answer = stranger.get("/record?domain=ai")
    assert answer.url.path == "/sign-in"
    signed_in = stranger.client.post(
        "/sign-in", data={"name": "rita", "password": PASSWORD, "next": "/record?domain=ai"}
    )
    assert str(signed_in.url).endswith("/record?domain=ai")


def test_foreign_way_back_is_not_followed(stranger: Browser):
    person(password=PASSWORD)
    for back in ("https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example"):
        data = {"name": "rita", "password": PASSWORD, "next": back}
        assert stranger.client.post("/sign-in", data=data).url.path == "/"
        stranger.client.cookies.clear()


def test_signed_in_person_may_use_another_link(operator: Browser):
    path = person()
    token = TOKEN.search(operator.get(path).text).group(1)
    assert "rita · operator" in operator.post(path, token=token).text


def test_link_is_spent_by_its_button_only_and_once(stranger: Browser):
    path = person()
    for _ in range(3):
        assert stranger.get(path).status_code == 200
    assert stranger.client.post(path).url.path == "/"
    stranger.client.cookies.clear()
    assert stranger.client.post(path).status_code == 422


def test_cookie_is_out_of_reach_of_scripts(stranger: Browser):
    answer = stranger.client.post(person(), follow_redirects=False)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


def test_wrong_password_and_unknown_name_read_alike(stranger: Browser):
    person(password=PASSWORD)
    wrong = stranger.client.post("/sign-in", data={"name": "rita", "password": "x" * 20})
    unknown = stranger.client.post("/sign-in", data={"name": "nobody", "password": "x" * 20})
    assert wrong.status_code == unknown.status_code == 422
    assert "do not fit" in wrong.text
    assert "do not fit" in unknown.text
    assert stranger.client.post("/sign-in", data={"name": "rita"}).status_code == 422


def test_guessing_is_limited_per_account(stranger: Browser):
    person(password=PASSWORD)
    for _ in range(10):
        assert stranger.client.post("/sign-in", data={"name": "rita", "password": "guess"}).status_code == 422
    limited = stranger.client.post("/sign-in", data={"name": "Rita", "password": "guess"})
    assert limited.status_code == 429
    assert "Too many attempts" in limited.text


def test_guessing_is_limited_per_address(stranger: Browser):
    statuses = {stranger.client.post("/sign-in/none").status_code for _ in range(31)}
    assert statuses == {422, 429}


def test_limits_hold_while_redis_is_away(stranger: Browser, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.services.sign_in_limits._limiter", broken)
    assert stranger.client.post("/sign-in/none").status_code == 422
    person(password=PASSWORD)
    data = {"name": "rita", "password": PASSWORD}
    assert stranger.client.post("/sign-in", data=data).url.path == "/"


def broken(url: str):
    raise RedisError


def test_signing_out_ends_the_session(operator: Browser):
    cookies = dict(operator.client.cookies)
    operator.post("/sign-out")
    operator.client.cookies.update(cookies)
    assert operator.get("/").url.path == "/sign-in"


def test_disabling_ends_sessions_links_and_passwords(operator: Browser):
    with unit_of_work() as work:
        set_password(work, name="olga", password=PASSWORD)
        link = create_sign_in_link(work, name="olga")
        disable_user(work, name="olga")
    assert operator.get("/").url.path == "/sign-in"
    assert operator.client.post(link).status_code == 422
    data = {"name": "olga", "password": PASSWORD}
    assert operator.client.post("/sign-in", data=data).status_code == 422
    with unit_of_work() as work:
        enable_user(work, name="olga")
    assert operator.client.post("/sign-in", data=data).url.path == "/"


def test_first_admin_is_made_once(services: None):
    with unit_of_work() as work:
        first = ensure_admin(work, name="admin")
        assert ensure_admin(work, name="admin").id == first.id
        assert first.role is Role.ADMIN


def test_own_password_is_set_and_used(operator: Browser):
    assert operator.post("/account", {"password": "short", "again": "short"}).status_code == 422
    assert "differ" in operator.post("/account", {"password": PASSWORD, "again": "other"}).text
    assert operator.post("/account", {"password": PASSWORD, "again": PASSWORD}).status_code == 200
    operator.client.cookies.clear()
    assert operator.client.post("/sign-in", data={"name": "olga", "password": PASSWORD}).url.path == "/"


def test_a_new_password_needs_the_old_one(operator: Browser):
    other = {"password": PASSWORD + "!", "again": PASSWORD + "!"}
    assert "Password until now" not in operator.get("/account").text
    operator.post("/account", {"password": PASSWORD, "again": PASSWORD})
    assert "Password until now" in operator.get("/account").text
    for wrong in ({}, {"old": "x" * 20}, {"old": PASSWORD + "!"}):
        refused = operator.post("/account", {**other, **wrong})
        assert refused.status_code == 422
        assert "not the password that is set now" in refused.text
    assert operator.post("/account", {**other, "old": PASSWORD}).status_code == 200
    for _ in range(10):
        refused = operator.post("/account", {**other, "old": "x"})
    assert "Too many attempts" in operator.post("/account", {**other, "old": PASSWORD + "!"}).text


def test_a_lost_password_is_forgotten_by_an_admin(admin: Browser):
    person(password=PASSWORD)
    with reading() as look:
        rita = look.users.named("rita").id
    page = admin.post(f"/users/{rita}/forget-password")
    link = re.search(r"/sign-in/[\w-]{30,}", page.text)
    assert link
    with reading() as look:
        assert not look.users.named("rita").has_password
    admin.client.cookies.clear()
    assert "rita" in admin.client.post(link[0]).text


@pytest.mark.parametrize("name", ["Rita", "RITA", " rita ", "ｒｉｔａ"])  # noqa: RUF001 - both widths look alike
def test_a_name_that_looks_like_another_is_taken(services: None, name: str):
    person()
    with pytest.raises(AlreadyThereError, match="named rita already"):
        person(name)


@pytest.mark.parametrize("name", ["ri\u202eta", "ri\u2066ta", "ri\u200bta", "ri\nt\x00a", "ri\u200fta"])
def test_a_name_that_shows_as_another_is_refused(services: None, name: str):
    with pytest.raises(RefusedError, match="name: take out the character that cannot be seen"):
        person(name)


def test_a_new_password_ends_the_other_browsers(operator: Browser):
    here = dict(operator.client.cookies)
    with unit_of_work() as work:
        link = create_sign_in_link(work, name="olga")
    operator.client.cookies.clear()
    operator.client.post(link)
    operator.post("/account", {"password": PASSWORD, "again": PASSWORD})
    assert operator.get("/studies").url.path == "/studies"
    operator.client.cookies.clear()
    operator.client.cookies.update(here)
    assert operator.get("/studies").url.path == "/sign-in"


def test_change_without_the_sessions_token_is_refused(operator: Browser):
    for token in ("", "guess"):
        assert operator.post("/account", {"password": PASSWORD, "again": PASSWORD}, token=token).status_code == 403


def test_change_from_another_site_is_refused(operator: Browser, stranger: Browser):
    answer = operator.post("/account", {"password": PASSWORD, "again": PASSWORD}, Sec_Fetch_Site="cross-site")
    assert answer.status_code == 403
    foreign = stranger.client.post("/sign-in", data={}, headers={"Sec-Fetch-Site": "cross-site"})
    assert foreign.status_code == 403


def test_token_may_come_as_a_header(operator: Browser):
    answer = operator.post("/studies/estimate", token="", X_CSRF_Token=operator.token)
    assert answer.status_code == 200


def test_fragment_for_a_stranger_sends_the_whole_tab_to_sign_in(stranger: Browser):
    answer = stranger.part("/")
    assert answer.status_code == 401
    assert answer.headers["hx-redirect"] == "/sign-in"


@pytest.mark.parametrize("path", ["/users", "/studies/new"])
def test_auditor_is_forbidden_what_others_may(auditor: Browser, path: str):
    answer = auditor.get(path)
    assert answer.status_code == 403
    assert "does not allow" in answer.text


def test_operator_may_launch_but_not_manage_people(operator: Browser):
    assert operator.get("/studies/new").status_code == 200
    assert operator.get("/users").status_code == 403
    assert operator.post("/users", {"name": "x", "role": "admin"}).status_code == 403
