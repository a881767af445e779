"""The link that `up` prints: it signs the first administrator in, once."""

from app.settings import get_settings

FIRST_ADMIN = "admin"


def first_link() -> str:
    """A one-time link for the account `admin`, which is made on the first start."""
    from app.services.unit_of_work import unit_of_work  # noqa: PLC0415 - needs the addresses that `up` has just found
    from app.services.users import create_sign_in_link, ensure_admin  # noqa: PLC0415 - as above

    with unit_of_work() as work:
        ensure_admin(work, name=FIRST_ADMIN)
        path = create_sign_in_link(work, name=FIRST_ADMIN)
    return f"{get_settings().address}{path}"
