"""The one Jinja environment: strict about names, escaping everything, with the filters pages share."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import nh3
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from app.domain.wording import counted, of_number, written

ROOT = Path(__file__).parents[1]
TEMPLATES = ROOT / "templates"
STATIC = ROOT / "static"
TAGS = {
    "p", "br", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "h3", "h4", "h5", "h6", "hr", "mark",
    "table", "thead", "tbody", "tr", "th", "td", "del", "sup",
}  # fmt: skip
OPEN, CLOSE, NAME, NAMED = "\ue000", "\ue001", "\ue002", "\ue003"
"""Characters no text needs: they stand for the ends of a marked span, and of its name, while its text is rendered."""

HTML = str.maketrans({OPEN: "<mark>", CLOSE: "</mark>", NAME: "<sup>", NAMED: "</sup>"})
BARE = str.maketrans(dict.fromkeys((OPEN, CLOSE, NAME, NAMED), ""))


class NamedSpan(Protocol):
    """A passage at an exact place of one text, with the name of what marked it."""

    @property
    def text(self) -> str:
        """The whole text that it lies in."""

    @property
    def span(self) -> tuple[int, int]:
        """Its first character and the one after its last."""

    @property
    def name(self) -> str:
        """What marked it."""


Passages = Iterable[str | NamedSpan]
"""Quotes, marked where they first occur, and passages marked in their place."""


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
        counted=counted,
        day=day,
        duration=duration,
        marked=marked,
        moment=moment,
        money=money,
        of_number=of_number,
        prose=prose,
        roughly=roughly,
        short_hash=short_hash,
        signed=signed,
        spans=spans,
        words=words,
        written=written,
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


def roughly(seconds: float) -> str:
    """A length of time that is only guessed: as ``duration`` has it, in whole seconds."""
    return duration(seconds) if seconds >= 10 else f"{max(1, round(seconds))} s"


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
    return written(number, "%+.1f")


def short_hash(value: str | None) -> str:
    """The two ends of a hash."""
    return "–" if value is None else f"{value[:4]}…{value[-4:]}"


def words(name: str) -> str:
    """An identifier in words: ``no_red_team`` becomes ``no red team``."""
    return name.replace("_", " ")


def prose(text: str) -> Markup:
    """Markdown of a model, rendered and cleaned: no links, no images, no attributes."""
    return Markup(_cleaned(text.translate(BARE)))  # noqa: S704 - nh3 has cleaned it


def own_markdown(text: str) -> Markup:
    """Markdown that comes with the software, with its links; tags in it are shown, not obeyed."""
    return Markup(_markdown().render(text))  # noqa: S704 - our own file, and the renderer escapes HTML


def marked(text: str, passages: Passages) -> Markup:
    """Like prose, with every passage that lies in ``text`` marked."""
    return Markup(_cleaned(_with_ends(text, passages)))  # noqa: S704 - nh3 has cleaned it


def spans(text: str, passages: Passages) -> Markup:
    """A line of plain text with every passage that lies in it marked."""
    html = str(escape(_with_ends(text, passages))).translate(HTML)
    return Markup(html)  # noqa: S704 - everything but our own marks was escaped


def _with_ends(text: str, passages: Passages) -> str:
    """The text with the ends of its marks; a mark may lie in another, and of two that overlap the later is cut."""
    bare = text.translate(BARE)
    ends: list[tuple[int, int, int, str]] = []  # where, closing before opening, outermost last or first, what
    enclosing: list[int] = []
    for first, end, name in sorted(_places(bare, passages), key=lambda one: (one[0], -one[1])):
        while enclosing and enclosing[-1] <= first:
            enclosing.pop()
        start = first if not enclosing or end <= enclosing[-1] else enclosing.pop()
        if start < end:
            said = f"{NAME}{name}{NAMED}" if name else ""
            ends += [(start, 1, -end, OPEN), (end, 0, -start, f"{said}{CLOSE}")]
            enclosing.append(end)
    for where, _, _, sign in sorted(ends, reverse=True):
        bare = f"{bare[:where]}{sign}{bare[where:]}"
    return bare


def _places(text: str, passages: Passages) -> Iterator[tuple[int, int, str]]:
    for one in passages:
        if not isinstance(one, str):
            if one.text == text:
                yield *one.span, one.name
        elif one.strip() and (start := text.find(one)) >= 0:
            yield start, start + len(one), ""


@lru_cache(maxsize=2_048)
def _cleaned(text: str) -> str:
    html = str(_markdown().render(text)) if _needs_markdown(text) else f"<p>{escape(text)}</p>"
    return nh3.clean(html.translate(HTML), tags=TAGS, attributes={}, link_rel=None)


def _needs_markdown(text: str) -> bool:
    return any(sign in text for sign in "*_`#>\n[-|")


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
