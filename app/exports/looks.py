"""How plots look on a light or dark page, wide or narrow, and their rendering to SVG and PDF."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import vl_convert

VEGA_LITE = "6.4"
LIGHT_SERIES = ("#0a5a78", "#b45309", "#6b3fa0", "#1f6f4a", "#a3262a", "#5a6169")
DARK_SERIES = ("#6cc3e6", "#f0b860", "#c5a6f0", "#7fd0a6", "#f39a95", "#a3a9b0")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


@dataclass(frozen=True, slots=True)
class Look:
    """One way to show a plot: the page's theme, whether the page is narrow, whether title and notes are drawn."""

    dark: bool = False
    narrow: bool = False
    titled: bool = True

    @property
    def ink(self) -> str:
        """Colour of text."""
        return "#e8e6e1" if self.dark else "#1c2024"

    @property
    def soft(self) -> str:
        """Colour of what stands behind."""
        return "#a3a9b0" if self.dark else "#5a6169"

    @property
    def paper(self) -> str:
        """Colour of the background."""
        return "#1b1f23" if self.dark else "#ffffff"

    @property
    def hand(self) -> str:
        """Colour of what a person changed."""
        return "#c5a6f0" if self.dark else "#6b3fa0"

    @property
    def series(self) -> tuple[str, ...]:
        """Colours of series in their order."""
        return DARK_SERIES if self.dark else LIGHT_SERIES

    @property
    def columns(self) -> int:
        """Panels beside each other."""
        return 1 if self.narrow else 2

    def width(self, panels: int) -> int:
        """Width of one of so many panels, in pixels."""
        if self.narrow:
            return 240
        return 440 if panels < 2 else 212

    def config(self) -> dict[str, Any]:
        """Vega-Lite's configuration for this look."""
        line = "#32383e" if self.dark else "#dedad0"
        axis = {"labelColor": self.soft, "titleColor": self.ink, "gridColor": line, "domainColor": line}
        return {
            "background": self.paper,
            "font": FONT,
            "padding": 6,
            "axis": {**axis, "tickColor": line, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": 500},
            "legend": {"labelColor": self.ink, "titleColor": self.ink, "labelFontSize": 12, "orient": "bottom"},
            "header": {"labelColor": self.ink, "titleColor": self.soft, "labelFontSize": 13, "labelFontWeight": 600},
            "title": {
                "color": self.ink,
                "subtitleColor": self.soft,
                "anchor": "start",
                "fontSize": 14 if self.narrow else 15,
                "subtitleFontSize": 12,
                "subtitleLineHeight": 15,
                "offset": 12,
            },
            "view": {"stroke": None},
        }


def as_svg(spec: str) -> str:
    """A Vega-Lite specification as SVG; it carries its numbers in no script."""
    return _svg(spec)


def as_pdf(spec: str) -> bytes:
    """A Vega-Lite specification as a page of its own size in PDF.

    Its letters have no tilde that stands over a T: the mechanical total goes by its name.
    """
    return vl_convert.vegalite_to_pdf(spec.replace("total T̃", "total"), vl_version=VEGA_LITE)


def as_json(spec: dict[str, Any]) -> str:
    """A specification as text, the same for the same content."""
    return json.dumps(spec, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@lru_cache(maxsize=128)
def _svg(spec: str) -> str:
    return vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)
