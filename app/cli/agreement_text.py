"""The agreement report as aligned text."""

from __future__ import annotations

from app.domain.agreement.estimate import Estimate
from app.domain.agreement.report import AgreementReport, DimensionAgreement
from app.domain.agreement.words import band
from app.imports.ratings import RatingsFile

LABELS = {
    "alpha_interval": "alpha (interval)",
    "alpha_ordinal": "alpha (ordinal)",
    "alpha_nominal": "alpha (nominal)",
    "icc_a1": "ICC(A,1), one rater",
    "icc_ak": "ICC(A,k), panel mean",
    "icc_c1": "ICC(C,1)",
    "icc_ck": "ICC(C,k)",
    "exact": "exactly alike",
    "within_1": "within 1 point",
    "within_2": "within 2 points",
    "mad": "mean |difference|",
    "sem": "SEM",
    "sdd": "smallest detectable",
    "sem_consistency": "SEM, severity aside",
    "ac1": "AC1",
    "ac2_quadratic": "AC2 (quadratic)",
    "ac2_linear": "AC2 (linear)",
    "kendall_w": "Kendall's W",
    "kappa": "kappa",
    "kappa_quadratic": "kappa (quadratic)",
    "kappa_linear": "kappa (linear)",
    "spearman": "Spearman",
    "bias": "bias",
    "loa_low": "lower limit",
    "loa_high": "upper limit",
}


def as_text(report: AgreementReport, ratings: RatingsFile, *, bands: bool = True) -> str:
    """How the file was read, then each dimension; `bands` adds a word for the lower limit of the headline."""
    lines = list(ratings.said)
    if ratings.names:
        lines.append(f"Categories: {', '.join(ratings.names)}.")
    for name, dimension in report.dimensions.items():
        lines += ["", *_dimension_lines(name, dimension, report.headline, bands=bands)]
    return "\n".join(lines)


def _dimension_lines(name: str, dimension: DimensionAgreement, headline: str, *, bands: bool) -> list[str]:
    usage = dimension.usage
    title = (
        f"{name}: {usage.items} items, {len(dimension.matrix.raters)} raters, {usage.pairable} items with two ratings "
        f"or more, {usage.complete} complete, G = {dimension.clusters} {dimension.unit}s"
    )
    lines = [title, "-" * len(title), *_headline(dimension.statistics[headline], headline, bands=bands)]
    lines += [line for key, one in dimension.statistics.items() for line in _line(LABELS[key], one)]
    if dimension.severity:
        lines += ["", "Severity in points (below 0: stricter than the panel)"]
        lines += [line for rater, one in dimension.severity.items() for line in _line(rater, one, signed=True)]
    for pair in dimension.pairs:
        lines += ["", f"{pair.raters[0]} and {pair.raters[1]}"]
        lines += [line for key, one in pair.statistics.items() for line in _line(LABELS[key], one, signed=True)]
    lines += _histories(dimension)
    if dimension.population:
        lines += ["", "Weighted to the population by inclusion probability"]
        lines += [line for key, one in dimension.population.items() for line in _line(LABELS[key], one)]
    if dimension.collapsed:
        lines += ["", "On a coarser scale"]
        for groups, values in dimension.collapsed.items():
            shown = ", ".join(f"{LABELS[key]} {_figure(value)}" for key, value in values.items())
            lines.append(f"  {groups} bands: {shown}")
    return [*lines, "", *(f"Note: {note}" for note in dimension.notes)]


def _histories(dimension: DimensionAgreement) -> list[str]:
    lines = []
    if dimension.drift:
        lines += ["", "Drift in points per ten positions"]
        lines += [line for rater, one in dimension.drift.items() for line in _line(rater, one, signed=True)]
    for rater, found in dimension.intra_rater.items():
        lines += ["", f"Repeats: {rater}"]
        lines += [line for key, one in found.items() for line in _line(key.replace("_", " "), one)]
    return lines


def _headline(found: Estimate, headline: str, *, bands: bool) -> list[str]:
    shown = f"Headline: {LABELS[headline]} {_figure(found.value)}"
    if found.ci95:
        shown += f", 95 % {_figure(found.ci95[0])} to {_figure(found.ci95[1])}"
        word = band(found) if bands else None
        shown += f"; by its lower limit {word} (Krippendorff's bands)" if word else ""
    return [shown, f"Intervals: {found.method}", ""]


def _line(label: str, found: Estimate, *, signed: bool = False) -> list[str]:
    if found.value is None:
        return [f"  {label:<22} undefined: {found.reason}"]
    figure = f"{found.value:+.3f}" if signed else f"{found.value:.3f}"
    if found.ci95 is None:
        return [f"  {label:<22} {figure:>7}  n {found.n:<5} {found.reason}"]
    low, high = found.ci95
    lines = [f"  {label:<22} {figure:>7}  n {found.n:<5} 95 % {low:.3f} to {high:.3f}"]
    for other in found.others:
        if other.bounds is not None:
            name = other.method.split(",", maxsplit=1)[0]
            lines[0] += f"   {name} {other.bounds[0]:.3f} to {other.bounds[1]:.3f}"
    return lines


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
