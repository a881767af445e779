"""What a refusing HTTP status means: wait and try again, or never again."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from app.providers.bodies import response_record, table
from app.providers.chat import ChatError

TRY_AGAIN = frozenset({408, 409, 425, 429})
_QUOTA_CODE = re.compile(r"insufficient_(quota|balance|credits)|billing|spend_limit|quota_exceeded|balance_exhausted")
_QUOTA_WORDS = re.compile(
    r"exceeded your current quota|insufficient (balance|credits)|spend limit|credit balance is too low"
    r"|reached your specified (workspace )?API usage limits",
    re.IGNORECASE,
)
_SHOWN = 300


def refused_status(response: httpx2.Response) -> ChatError:
    """The failure behind an error response, whose body was read.

    An exhausted quota is final whatever its status; else 408, 409, 425, 429 and 5xx (529 too) may be tried again.
    """
    status = response.status_code
    body = _body(response)
    said = _said(body) or response.reason_phrase
    if status in {400, 402, 429} and _is_quota(body):
        return ChatError(f"quota exhausted ({status}): {said}", quota=True, response_body=body)
    if status in {401, 403}:
        return ChatError(f"the endpoint refused the key ({status}): {said}", final=True, response_body=body)
    return ChatError(
        f"HTTP {status}: {said}",
        final=status not in TRY_AGAIN and status < 500,
        retry_after=retry_after_seconds(response.headers, datetime.now(UTC)),
        response_body=body,
    )


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait by ``retry-after-ms`` or ``retry-after`` (seconds or a date), None if neither says so."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", value):
            return float(value) * scale
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max((until - now).total_seconds(), 0.0)


def _body(response: httpx2.Response) -> Mapping[str, Any]:
    try:
        return response_record(response.content)
    except ChatError as error:
        return error.response_body


def _said(body: Mapping[str, Any]) -> str:
    error = body.get("error", body)
    message = error.get("message") if isinstance(error, dict) else error
    return " ".join(message.split())[:_SHOWN] if isinstance(message, str) else ""


def _is_quota(body: Mapping[str, Any]) -> bool:
    error = table(body.get("error"))
    codes = f"{error.get('code')} {error.get('type')} {table(error.get('details')).get('error_code')}"
    return bool(_QUOTA_CODE.search(codes) or _QUOTA_WORDS.search(str(error.get("message"))))
