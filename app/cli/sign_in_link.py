"""The link that `up` prints: it signs an administrator in, once."""

from app.domain.auth import Role
from app.settings import get_settings

FIRST_ADMIN = "admin"


def first_link() -> str:
    """A one-time link for an administrator; the account `admin` is made when there is none."""
    from app.services.unit_of_work import unit_of_work  # noqa: PLC0415 - loads while the web server starts
    from app.services.users import add_user, create_sign_in_link  # noqa: PLC0415 - as above

    with unit_of_work() as work:
        admins = [user.name for user in work.users.all() if user.role is Role.ADMIN and user.disabled_at is None]
        if not admins:
            add_user(work, name=FIRST_ADMIN, role=Role.ADMIN)
        path = create_sign_in_link(work, name=(admins or [FIRST_ADMIN])[0])
    return f"{get_settings().address}{path}"
