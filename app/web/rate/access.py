"""Coming in: an invitation claimed once, the return code shown once, coming back, and leaving."""

from typing import Annotated
from uuid import UUID, uuid4

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from app.domain.ids import RaterId
from app.services.errors import NotFoundError, RefusedError
from app.services.raters import InvitationError, claim_invitation, come_back, leave, may_claim, rater_session
from app.services.rating_desks import keep_remarks
from app.services.rating_items import Sent, save_draft
from app.services.rating_pages import send_guesses
from app.services.sign_in_limits import TooManyAttemptsError
from app.web.dependencies import Reading, Work, client_address
from app.web.forms import SentForm
from app.web.rate.pages import rate_page, rate_to
from app.web.rate.session import AREA, CODE_COOKIE, COOKIE, RaterHere, find_rater, let_in, show_code_once

router = APIRouter()
KEPT = "kept."


@router.get("/join/{token}")
def invitation(request: Request, reading: Reading, token: str) -> Response:
    """A button that claims the invitation: a preview that only opens the address does not."""
    return rate_page(request, "join.html", token=token, may_claim=may_claim(reading, token))


@router.post("/join/{token}")
def claim(request: Request, work: Work, token: str) -> Response:
    """Claim the invitation."""
    entered = claim_invitation(work, token, address=client_address(request))
    answer = rate_to("/code")
    let_in(answer, entered.cookie)
    show_code_once(answer, entered.code or "")
    return answer


@router.get("/code")
def code(request: Request, session: RaterHere) -> Response:
    """The return code, for as long as the browser carries it."""
    return rate_page(request, "code.html", code=request.cookies.get(CODE_COOKIE))


@router.get("/return")
def entrance(request: Request, back: Annotated[str, Query(alias="next")] = "") -> Response:
    """Ask for the return code."""
    if find_rater(request):
        return rate_to(_inside(back))
    return rate_page(request, "return.html", problem=None, back=back, kept={}, is_over=False)


@router.post("/return")
def back_again(request: Request, work: Work, sent: SentForm) -> Response:
    """Come back by the return code; what was written before the session ended becomes the draft."""
    fields = {name: str(value) for name, value in sent.items()}
    back = _inside(fields.get("next", ""))
    kept = {name.removeprefix(KEPT): value for name, value in fields.items() if name.startswith(KEPT)}
    try:
        entered = come_back(work, fields.get("code", ""), address=client_address(request))
    except (InvitationError, TooManyAttemptsError) as problem:
        status = 429 if isinstance(problem, TooManyAttemptsError) else 422
        values = {"problem": str(problem), "back": back, "kept": kept, "is_over": bool(kept)}
        return rate_page(request, "return.html", status=status, **values)
    session = rater_session(work, entered.cookie)
    if session and kept:
        _keep(work, session.rater_id, back, kept)
    answer = rate_to(back)
    let_in(answer, entered.cookie)
    return answer


@router.get("/pause")
def pause(request: Request, session: RaterHere) -> Response:
    """Everything is saved; leave or go on."""
    return rate_page(request, "pause.html")


@router.post("/leave")
def out(request: Request, work: Work, session: RaterHere) -> Response:
    """End this browser's session."""
    leave(work, session)
    answer = rate_to("/return")
    answer.delete_cookie(COOKIE, path=AREA)
    answer.delete_cookie(CODE_COOKIE, path=f"{AREA}/code")
    return answer


def _keep(work: Work, rater_id: RaterId, back: str, kept: dict[str, str]) -> None:
    """Save what the carried form holds, unless the item is another rater's or nothing may be saved now."""
    if back == "/questions":
        send_guesses(work, rater_id, kept)
    elif back == "/answers":
        keep_remarks(work, rater_id, kept.get("remarks", ""))
    elif back.startswith("/item/"):
        _keep_draft(work, rater_id, back.removeprefix("/item/"), kept)


def _keep_draft(work: Work, rater_id: RaterId, assignment: str, kept: dict[str, str]) -> None:
    try:
        version = int(kept.get("version", "0"))
        save_draft(work, rater_id, UUID(assignment), Sent(kept, version, kept.get("tab") or uuid4().hex, None))
    except (ValueError, NotFoundError, RefusedError):
        return


def _inside(path: str) -> str:
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and "\n" not in path
    return path if is_ours else ""
