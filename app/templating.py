"""The one Jinja environment: strict about names, escaping everything, with the filters pages share."""

import re
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import nh3
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

ROOT = Path(__file__).parents[1]
TEMPLATES = ROOT / "templates"
STATIC = ROOT / "static"
TAGS = {
    "p", "br", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "h3", "h4", "h5", "h6", "hr", "mark",
    "table", "thead", "tbody", "tr", "th", "td", "del",
}  # fmt: skip
OPEN, CLOSE = "\ue000", "\ue001"
"""Characters no text needs: they stand for the ends of a marked span while its text is rendered."""


def render(template: str, values: dict[str, object]) -> str:
    """The template's HTML. Raises jinja2.UndefinedError for a name it was not given."""
    return environment().get_template(template).render(values)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The environment, made once a process."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.do"],
    )
    made.filters.update(
        count=count,
        day=day,
        duration=duration,
        marked=marked,
        moment=moment,
        money=money,
        prose=prose,
        short_hash=short_hash,
        signed=signed,
        spans=spans,
        words=words,
    )
    made.globals["static"] = static
    return made


@lru_cache(maxsize=64)
def static(name: str) -> str:
    """The address of a static file; it changes with the file, so that browsers may keep it."""
    version = sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return f"/static/{name}?v={version}"


def moment(at: datetime | None, absent: str = "never") -> Markup | str:
    """A time in UTC that the page's script shows in the viewer's zone, with UTC on hover."""
    if at is None:
        return absent
    utc = at.strftime("%Y-%m-%d %H:%M")
    full = at.strftime("%Y-%m-%d %H:%M:%S UTC")
    return Markup('<time datetime="{}" title="{}">{} UTC</time>').format(at.strftime("%Y-%m-%dT%H:%M:%SZ"), full, utc)


def day(at: datetime) -> str:
    """A date as YYYY-MM-DD."""
    return at.strftime("%Y-%m-%d")


def duration(seconds: float | None) -> str:
    """A length of time in words, such as ``38 s``, ``4 min`` or ``2 h 10 min``; a dash where it is not known."""
    if seconds is None:
        return "–"
    whole = max(0, round(seconds))
    if 0 < seconds < 9.95:
        return f"{seconds:.1f} s"
    if whole < 100:
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 100:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours < 48 else f"{round(hours / 24)} days"


def count(number: int | None) -> str:
    """A whole number with separators; a dash where it is not known."""
    return "–" if number is None else f"{number:,}"


def money(usd: float | None) -> str:
    """US dollars; small sums keep the digits that matter, an unknown price is said."""
    if usd is None:
        return "price not known"
    return f"US${usd:,.4f}" if 0 < usd < 0.1 else f"US${usd:,.2f}"


def signed(number: float) -> str:
    """A number with one digit after the point and its sign, a true minus."""
    return f"{number:+.1f}".replace("-", "−")


def short_hash(value: str | None) -> str:
    """The two ends of a hash."""
    return "–" if value is None else f"{value[:4]}…{value[-4:]}"


def words(name: str) -> str:
    """An identifier in words: ``no_red_team`` becomes ``no red team``."""
    return name.replace("_", " ")


def prose(text: str) -> Markup:
    """Markdown of a model, rendered and cleaned: no links, no images, no attributes."""
    bare = text.replace(OPEN, "").replace(CLOSE, "")
    return Markup(_cleaned(bare))  # noqa: S704 - nh3 has cleaned it


def marked(text: str, quotes: tuple[str, ...]) -> Markup:
    """Like prose, with every passage of ``quotes`` that occurs in ``text`` marked."""
    return Markup(_cleaned(_with_ends(text, quotes)))  # noqa: S704 - nh3 has cleaned it


def spans(text: str, quotes: tuple[str, ...]) -> Markup:
    """A line of plain text with every passage of ``quotes`` marked."""
    html = str(escape(_with_ends(text, quotes))).replace(OPEN, "<mark>").replace(CLOSE, "</mark>")
    return Markup(html)  # noqa: S704 - everything but our own marks was escaped


def _with_ends(text: str, quotes: tuple[str, ...]) -> str:
    bare = text.replace(OPEN, "").replace(CLOSE, "")
    for quote in quotes:
        if quote.strip():
            bare = re.sub(re.escape(quote), lambda found: f"{OPEN}{found.group()}{CLOSE}", bare, count=1)
    return bare


@lru_cache(maxsize=2_048)
def _cleaned(text: str) -> str:
    html = str(_markdown().render(text)) if _needs_markdown(text) else f"<p>{escape(text)}</p>"
    html = html.replace(OPEN, "<mark>").replace(CLOSE, "</mark>")
    return nh3.clean(html, tags=TAGS, attributes={}, link_rel=None)


def _needs_markdown(text: str) -> bool:
    return any(sign in text for sign in "*_`#>\n[-|")


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
