"""What a model looked up on the web while it answered, read from the body of its response."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.providers.bodies import table, tables, text_or_none

RETRIEVED_AT = "_retrieved_at"
"""Where a response body keeps the time at which an answer with web search came in, in UTC."""
MOST_SEARCHES = 8
"""How many searches one call may make."""
SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page a search gave; ``age`` is how the provider dates it, None if it does not."""

    url: str
    title: str | None
    age: str | None


@dataclass(frozen=True, slots=True)
class CitedText:
    """A text that the answer rests on, with its address.

    ``of_page`` is false where the provider gives the passage of the answer, and not that of the page.
    """

    url: str
    title: str | None
    text: str
    of_page: bool


@dataclass(frozen=True, slots=True)
class WebSearches:
    """Everything the web had part in; ``retrieved_at`` is an ISO time in UTC."""

    queries: tuple[str, ...]
    pages: tuple[FoundPage, ...]
    cited: tuple[CitedText, ...]
    failures: tuple[str, ...]
    retrieved_at: str | None


def web_searches(response_body: Mapping[str, Any]) -> WebSearches | None:
    """The searches behind an answer of the Messages or Responses API; None if it was given no search."""
    if RETRIEVED_AT not in response_body:
        return None
    blocks = tables(response_body.get("content"))
    items = tables(response_body.get("output"))
    parts = [part for item in items for part in tables(item.get("content"))]
    return WebSearches(
        queries=(*_asked_by_blocks(blocks), *_asked_by_items(items)),
        pages=(*_pages_in_blocks(blocks), *_pages_in_items(items)),
        cited=(*_cited_by_blocks(blocks), *_cited_by_parts(parts)),
        failures=(*_failures_in_blocks(blocks), *_failures_in_items(items)),
        retrieved_at=text_or_none(response_body[RETRIEVED_AT]),
    )


def _asked_by_blocks(blocks: list[Mapping[str, Any]]) -> list[str]:
    uses = [block for block in blocks if block.get("type") == "server_tool_use"]
    return [query for use in uses if (query := text_or_none(table(use.get("input")).get("query")))]


def _pages_in_blocks(blocks: list[Mapping[str, Any]]) -> list[FoundPage]:
    results = [block for block in blocks if block.get("type") == "web_search_tool_result"]
    return [
        FoundPage(str(page["url"]), text_or_none(page.get("title")), text_or_none(page.get("page_age")))
        for result in results
        for page in tables(result.get("content"))
        if is_address(page.get("url"))
    ]


def _cited_by_blocks(blocks: list[Mapping[str, Any]]) -> list[CitedText]:
    return [
        CitedText(str(one["url"]), text_or_none(one.get("title")), str(one.get("cited_text", "")), of_page=True)
        for block in blocks
        for one in tables(block.get("citations"))
        if is_address(one.get("url"))
    ]


def _failures_in_blocks(blocks: list[Mapping[str, Any]]) -> list[str]:
    codes = [table(block.get("content")).get("error_code") for block in blocks]
    return [code for code in codes if isinstance(code, str)]


def _actions(items: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [table(item.get("action")) for item in items if item.get("type") == "web_search_call"]


def _asked_by_items(items: list[Mapping[str, Any]]) -> list[str]:
    found: list[str] = []
    for action in _actions(items):
        queries = action.get("queries") or [action.get("query")]
        found += [query for query in queries if isinstance(query, str)]
    return found


def _pages_in_items(items: list[Mapping[str, Any]]) -> list[FoundPage]:
    urls: dict[str, None] = {}
    for action in _actions(items):
        for source in (*tables(action.get("sources")), action):
            if is_address(source.get("url")):
                urls[str(source["url"])] = None
    return [FoundPage(url, None, None) for url in urls]


def _cited_by_parts(parts: list[Mapping[str, Any]]) -> list[CitedText]:
    return [
        CitedText(str(one["url"]), text_or_none(one.get("title")), _passage(part, one), of_page=False)
        for part in parts
        for one in tables(part.get("annotations"))
        if one.get("type") == "url_citation" and is_address(one.get("url"))
    ]


def _passage(part: Mapping[str, Any], citation: Mapping[str, Any]) -> str:
    text, start, end = str(part.get("text", "")), citation.get("start_index"), citation.get("end_index")
    return text[start:end] if isinstance(start, int) and isinstance(end, int) else ""


def _failures_in_items(items: list[Mapping[str, Any]]) -> list[str]:
    searches = [item for item in items if item.get("type") == "web_search_call"]
    return [str(item["status"]) for item in searches if item.get("status") in {"failed", "incomplete"}]


def is_address(value: Any) -> bool:
    """Whether a value is the address of a web page, and may become a link."""
    return isinstance(value, str) and value.startswith(SCHEMES)
