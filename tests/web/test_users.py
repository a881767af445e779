"""The page on which an admin manages people."""

import re
from threading import Thread

import pytest
from sqlalchemy import text

from app.domain.auth import Role
from app.services.errors import RefusedError
from app.services.unit_of_work import reading, unit_of_work
from app.services.users import add_user, disable_user
from app.settings import get_settings
from tests.web.conftest import Browser

LINK = re.compile(r'value="http[^"]*(/sign-in/[^"]+)"')


def user_id(name: str) -> str:
    with reading() as look:
        return str(look.users.named(name).id)


def test_added_person_signs_in_with_the_link_shown(admin: Browser):
    page = admin.post("/users", {"name": "Nina", "role": "auditor"})
    link = LINK.search(page.text)
    assert link
    assert "Other machines cannot open this link" in page.text
    admin.client.cookies.clear()
    assert "Nina · auditor" in admin.client.post(link.group(1)).text


def test_link_with_a_public_address_needs_no_warning(admin: Browser, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AUTOLAB_PUBLIC_URL", "https://lab.example.org")
    get_settings.cache_clear()
    page = admin.post("/users", {"name": "Nina", "role": "auditor"})
    assert "https://lab.example.org/sign-in/" in page.text
    assert "Other machines cannot" not in page.text


def test_unfit_person_is_said_beside_the_field(admin: Browser):
    admin.post("/users", {"name": "Nina", "role": "auditor"})
    again = admin.post("/users", {"name": "Nina", "role": "auditor"})
    assert again.status_code == 422
    assert "named Nina already" in again.text
    assert admin.post("/users", {"name": "", "role": "auditor"}).status_code == 422
    assert admin.post("/users", {"name": "Otto", "role": "king"}).status_code == 422


def test_person_is_disabled_and_enabled(admin: Browser):
    admin.post("/users", {"name": "Nina", "role": "auditor"})
    assert "disabled" in admin.post(f"/users/{user_id('Nina')}/disable").text
    assert admin.post(f"/users/{user_id('Nina')}/link").status_code == 409
    assert "Enable" not in admin.post(f"/users/{user_id('Nina')}/enable").text
    assert LINK.search(admin.post(f"/users/{user_id('Nina')}/link").text)


def test_admin_cannot_disable_themselves(admin: Browser):
    assert admin.post(f"/users/{user_id('ada')}/disable").status_code == 409


def test_unknown_person_is_not_found(admin: Browser):
    for unknown in ("none", "7c9e6679-7425-40de-944b-e07fc1f90ae7"):
        assert admin.post(f"/users/{unknown}/disable").status_code == 404


def test_two_admins_who_disable_each_other_at_once_leave_one(admin: Browser):
    with unit_of_work() as work:
        add_user(work, name="bea", role=Role.ADMIN)
    refused: list[str] = []

    def disable_ada() -> None:
        try:
            with unit_of_work() as work:
                disable_user(work, name="ada")
        except RefusedError as error:
            refused.append(str(error))

    late = Thread(target=disable_ada)
    with unit_of_work() as work:
        disable_user(work, name="bea")
        late.start()
        asked = text("select count(*) from pg_locks where not granted")
        while late.is_alive() and not work.session.execute(asked).scalar_one():
            late.join(0.05)
    late.join()
    assert refused == ["ada is the last admin. Make another admin first."]
