"""The report's numbers as lines of text, the same on the page and on paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.domain.agreement.estimate import Estimate
from app.domain.reports.agreement_report import DimensionReport, PanelAgreement
from app.domain.reports.blocks import NONE, plain

AS_ABOVE = "as above"
SHARES = frozenset({"exact", "within_1", "within_2"})
TITLES = {
    "alpha_interval": "Krippendorff’s alpha, interval",
    "alpha_ordinal": "Krippendorff’s alpha, ordinal",
    "alpha_nominal": "Krippendorff’s alpha, nominal",
    "icc_a1": "ICC(A,1): one rater, absolute agreement",
    "icc_ak": "ICC(A,k): the panel’s mean",
    "icc_c1": "ICC(C,1): one rater, severity aside",
    "icc_ck": "ICC(C,k): the panel’s mean, severity aside",
    "exact": "All raters of an item equal",
    "within_1": "All raters within 1 point",
    "within_2": "All raters within 2 points",
    "mad": "Mean absolute difference, points",
    "sem": "Standard error of measurement (SEM), points",
    "sdd": "Smallest detectable difference, points",
    "sem_consistency": "SEM, severity aside, points",
    "ac1": "Gwet’s AC1",
    "ac2_quadratic": "Gwet’s AC2, quadratic weights",
    "ac2_linear": "Gwet’s AC2, linear weights",
    "kendall_w": "Kendall’s W",
    "kappa": "kappa",
    "kappa_quadratic": "kappa, quadratic weights",
    "kappa_linear": "kappa, linear weights",
    "spearman": "Spearman’s rho",
    "bias": "mean difference, points",
    "loa_low": "lower limit of agreement",
    "loa_high": "upper limit of agreement",
    "within_sd": "within-rater SD",
    "repeatability": "repeatability",
    "shift": "mean shift",
    "human_mean": "Mean of the human ratings, points",
}
SUMMARY = ("alpha_interval", "alpha_ordinal", "icc_a1", "icc_ak", "within_1", "sem")
SHORT = {
    "alpha_interval": "alpha",
    "alpha_ordinal": "ordinal",
    "alpha_nominal": "nominal",
    "icc_a1": "ICC(A,1)",
    "icc_ak": "ICC(A,k)",
    "within_1": "within 1",
    "sem": "SEM",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One statistic in words; ``weighted`` is for all decisions, ``second`` its second-line intervals with methods.

    ``said`` is the reason as a table shows it, not repeated from line to line.
    """

    name: str
    title: str
    value: str
    interval: str
    method: str
    n: int
    reason: str
    weighted: str
    second: tuple[tuple[str, str], ...]
    said: str


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A dimension's row of the first table; ``bounds`` and ``point`` draw its interval, None where there is none."""

    id: str
    name: str
    cells: tuple[str, ...]
    point: float | None
    bounds: tuple[float, float] | None
    reason: str
    band: str
    weighted: str


def number(name: str, value: float | None, *, signed: bool = False) -> str:
    """A statistic's value: shares in per cent, all others with two digits; a dash for none."""
    if value is None:
        return NONE
    if name in SHARES:
        return f"{value:.0%}".replace("%", " %")
    # A rounded zero has no sign.
    return plain(round(value, 2) + 0.0, 2, signed=signed and round(value, 2) != 0)


def interval(name: str, found: Estimate, *, signed: bool = False) -> str:
    """The 95 % interval; a dash for none."""
    if found.ci95 is None:
        return NONE
    low, high = (number(name, end, signed=signed) for end in found.ci95)
    return f"{low} … {high}"


def line(
    name: str, found: Estimate, weighted: Estimate | None = None, *, title: str = "", signed: bool = False
) -> Line:
    """One estimate as a line."""
    others = ((number_pair(name, one.bounds), one.method) for one in found.others if one.bounds)
    return Line(
        name=name,
        title=TITLES[name],
        value=number(name, found.value, signed=signed),
        interval=interval(name, found, signed=signed),
        method=found.method,
        n=found.n,
        reason=found.reason or "",
        said=found.reason or "",
        weighted=number(name, weighted.value) if weighted else NONE,
        second=tuple(others),
    )


def number_pair(name: str, bounds: tuple[float, float]) -> str:
    """Two ends of an interval."""
    return f"{number(name, bounds[0])} … {number(name, bounds[1])}"


def statistic_lines(one: DimensionReport) -> tuple[Line, ...]:
    """Every statistic of a dimension that its scale allows."""
    names = [name for name in one.found.statistics if one.ratings.numeric or name in {"alpha_nominal", "ac1", "exact"}]
    lines = [line(name, one.statistic(name), one.weighted(name)) for name in names]
    before = ["", *(each.reason for each in lines)]
    return tuple(
        replace(each, said=AS_ABOVE) if each.reason and each.reason == above else each
        for each, above in zip(lines, before, strict=False)
    )


def summary_lines(report: PanelAgreement) -> tuple[SummaryLine, ...]:
    """A row per dimension, its headline's interval to be drawn."""
    return tuple(_summary(one) for one in report.dimensions)


def _summary(one: DimensionReport) -> SummaryLine:
    names = SUMMARY if one.ratings.numeric else ("alpha_nominal",)
    values = {name: number(name, one.statistic(name).value) for name in names}
    return SummaryLine(
        id=one.id,
        name=one.name,
        cells=(number(one.headline_name, one.headline.value), *(values.get(name, NONE) for name in SUMMARY[1:])),
        point=one.headline.value,
        bounds=one.headline.ci95,
        reason=one.headline.reason or "",
        band=one.band or "",
        weighted=number(one.headline_name, one.weighted(one.headline_name).value),
    )


def severity_lines(one: DimensionReport) -> tuple[tuple[str, Line, Line | None], ...]:
    """Each rater's severity in points, and drift per ten positions."""
    drift = one.found.drift
    return tuple(
        (rater, line("bias", found, signed=True), line("bias", drift[rater], signed=True) if rater in drift else None)
        for rater, found in one.found.severity.items()
    )


def pair_lines(one: DimensionReport) -> tuple[tuple[str, tuple[Line, ...]], ...]:
    """Every pair of raters with its statistics."""
    return tuple(
        (f"{pair.raters[0]}, {pair.raters[1]}", _signed_lines(pair.statistics.items())) for pair in one.found.pairs
    )


def repeat_lines(one: DimensionReport) -> tuple[tuple[str, tuple[Line, ...]], ...]:
    """Each rater against herself on the hidden repeats."""
    return tuple((rater, _signed_lines(found.items())) for rater, found in one.found.intra_rater.items())


def _signed_lines(found: Iterable[tuple[str, Estimate]]) -> tuple[Line, ...]:
    return tuple(line(name, one, signed=name in {"bias", "shift"}) for name, one in found)


def axis(lines: Sequence[SummaryLine]) -> tuple[float, float]:
    """The ends of the axis on which intervals are drawn: 0 to 1, further down where something is negative."""
    ends = [end for one in lines for end in ((one.bounds or ()) + ((one.point,) if one.point is not None else ()))]
    lowest = min([0.0, *ends])
    return (max(-1.0, math.floor(lowest * 4) / 4), 1.0)
