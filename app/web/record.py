"""The world record."""

from datetime import date

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.services.record_pages import show_record
from app.web.addresses import PageNumber
from app.web.pages import page

router = APIRouter()


@router.get("/record", name="record.index")
def index(
    request: Request,
    domain: str = "",
    since: str = "",
    before: str = "",
    number: PageNumber = 1,
) -> Response:
    """Events by date, filtered by date and domain."""
    problems = {name: "Write a date as YYYY-MM-DD." for name, text in dates(since, before) if not is_date(text)}
    bounds = {name: date.fromisoformat(text) for name, text in dates(since, before) if text and name not in problems}
    record = show_record(domain=domain, page=number, since=bounds.get("since"), before=bounds.get("before"))
    asked = {"domain": domain, "since": since, "before": before}
    status = 422 if problems else 200
    return page(request, "record/index.html", status=status, record=record, asked=asked, problems=problems)


def dates(since: str, before: str) -> tuple[tuple[str, str], ...]:
    """The two filters by name."""
    return (("since", since), ("before", before))


def is_date(text: str) -> bool:
    """Whether a filter is empty or a date."""
    try:
        return not text or bool(date.fromisoformat(text))
    except ValueError:
        return False
