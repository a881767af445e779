"""The agreement report of a closed panel: read once, computed once, shown as page, plots, files and PDF."""

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from uuid import UUID

from app.domain.rating.closing import rater_label
from app.domain.rating.packets import Packet
from app.domain.rating.sessions import Kind, PanelState, Status
from app.domain.reports.agreement_comparison import PanelComparison, compare_panels
from app.domain.reports.agreement_ratings import (
    COMPOSITE,
    GivenRating,
    GuessMade,
    PanelRatings,
    ReportedItem,
)
from app.domain.reports.agreement_report import DimensionReport, PanelAgreement, agreement_report
from app.domain.reports.agreement_sections import paper
from app.domain.reports.blocks import Picture, shown
from app.domain.wording import counted
from app.exports.agreement_figures import (
    AgreementFigure,
    AgreementFigureName,
    agreement_figure,
    agreement_figures,
)
from app.exports.agreement_files import agreement_csv, agreement_dictionary, agreement_json
from app.exports.agreement_plots import agreement_specification
from app.exports.figures import figure_csv
from app.exports.looks import Look, as_json, as_pdf
from app.services.drawings import REHEARSAL
from app.services.errors import NotFoundError, RefusedError
from app.services.panel_exports import export_panel, rated_places
from app.services.plotting import MEDIA_TYPES, Drawn, drawn_as
from app.services.plotting import Picture as Wanted
from app.services.reports import Typeset
from app.services.unit_of_work import Reading
from app.storage.panels import Panel, PanelItem

MOST_KEPT = 8
WHOLE, HALF = 80, 46
"""Widths of plots on paper, in per cent of the line."""
FILES = {
    "agreement.json": "every number with interval, method, n used and reason",
    "agreement-statistics.csv": "the statistics, one a line, unrounded",
    "agreement-dictionary.md": "what every column and field means",
}
_kept: OrderedDict[tuple[str, str], PanelAgreement] = OrderedDict()
_lock = Lock()


def show_agreement(reading: Reading, panel_id: UUID) -> PanelAgreement:
    """The report. Raises NotFoundError, and RefusedError before the panel is closed.

    A closed panel takes no rating, so its report is computed once a process; only settled values are counted anew.
    """
    panel = _closed(reading, panel_id)
    key = str(panel_id), str(panel.closed_at)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
        else:
            _kept[key] = agreement_report(read_ratings(reading, panel_id))
            while len(_kept) > MOST_KEPT:
                _kept.popitem(last=False)
        found = _kept[key]
    settled = len(reading.panels.adjudications(panel.id))
    return replace(found, panel=replace(found.panel, adjudicated=settled))


def read_ratings(reading: Reading, panel_id: UUID) -> PanelRatings:
    """A closed panel as its report reads it: raters by their pseudonyms. Raises as show_agreement does."""
    panel = _closed(reading, panel_id)
    items = reading.panels.rated_items(panel.id)
    raters = {one.id: rater_label(one.slot) for one in reading.raters.of_panel(panel.id)}
    places = reading.ratings.of_panel(panel.id)
    numbers = {item.id: item.number or 0 for item in items}
    by_id = {one.id: one for one in places}
    training = Counter(raters[one.rater_id] for one in places if one.kind is Kind.TRAINING and one.answered_at)
    return PanelRatings(
        name=panel.design.name,
        panel_hash=panel.locked_hash or "",
        closed_at=panel.closed_at.isoformat(timespec="milliseconds") if panel.closed_at else "",
        rubric=panel.design.rubric,
        plan=panel.design.plan,
        raters=tuple(raters.values()),
        items=tuple(_item(item) for item in items),
        given=tuple(
            GivenRating(one.item.number, one.rater, one.occasion, one.position, one.values, one.skip_reason)
            for one in rated_places(reading, panel)
        ),
        seed=panel.design.seed,
        guesses=tuple(
            GuessMade(numbers[place.item_id], raters[place.rater_id], one.about, one.guess)
            for one in reading.ratings.guesses(panel.id)
            if (place := by_id[one.assignment_id]).item_id in numbers
        ),
        arms=reading.panels.arms(panel.id),
        unopened=Counter(
            raters[one.rater_id]
            for one in places
            if one.kind is Kind.MAIN and one.occasion == 1 and one.status is Status.OPEN
        ),
        trained=training,
        adjudicated=len(reading.panels.adjudications(panel.id)),
        mark=_mark(items),
    )


def _mark(items: Sequence[PanelItem]) -> str:
    """What must be said of the whole report: a rehearsal's texts, and items from eras that people changed."""
    rehearsed = any(item.strata.get("model", "").startswith("rehearsal/") for item in items)
    touched = sum(item.intervened for item in items)
    said = f"{counted(touched, 'item')} of {len(items)} from an era with an intervention." if touched else ""
    return " ".join(filter(None, (REHEARSAL if rehearsed else "", said)))


def dimension_of(report: PanelAgreement, wanted: str) -> DimensionReport:
    """A dimension by id, the first one for an empty id. Raises NotFoundError."""
    found = report.dimension(wanted) if wanted else report.dimensions[0]
    if found is None:
        raise NotFoundError("dimension", wanted)
    return found


def figures_of(report: PanelAgreement, one: DimensionReport, names: Sequence[str]) -> tuple[AgreementFigure, ...]:
    """The dimension's plots of these names, as far as there are any."""
    return tuple(figure for figure in agreement_figures(report, one) if figure.name in names)


def draw_agreement(reading: Reading, panel_id: UUID, dimension: str, name: str, wanted: Wanted) -> Drawn:
    """One plot as a file. Raises NotFoundError for a plot or form that there is not."""
    if wanted.form not in MEDIA_TYPES:
        raise NotFoundError("form of a figure", wanted.form)
    report = show_agreement(reading, panel_id)
    figure = agreement_figure(report, dimension_of(report, dimension), name)
    if figure is None:
        raise NotFoundError("figure", name)
    file_name = f"{dimension}-{name}-{report.panel.panel_hash[:8]}.{wanted.form}"
    content = drawn_as(
        wanted,
        lambda: figure_csv(figure, panel_hash=report.panel.panel_hash),
        lambda look: agreement_specification(figure, look),
    )
    return Drawn(content, MEDIA_TYPES[wanted.form], file_name)


def agreement_file(reading: Reading, panel_id: UUID, name: str) -> str:
    """The text of one of FILES. Raises NotFoundError for another name."""
    report = show_agreement(reading, panel_id)
    if name == "agreement.json":
        return agreement_json(report)
    if name == "agreement-statistics.csv":
        return agreement_csv(report)
    if name == "agreement-dictionary.md":
        return agreement_dictionary(export_panel(reading, panel_id, "dictionary.md"))
    raise NotFoundError("file", name)


def typeset_agreement(reading: Reading, panel_id: UUID, *, bands: bool) -> Typeset:
    """The report ready for paper: the composite (or the only dimension) with all its plots."""
    report = show_agreement(reading, panel_id)
    files: dict[str, bytes] = {}

    def pictures(one: DimensionReport) -> list[Picture]:
        whole = one.id == COMPOSITE or len(report.dimensions) == 1
        names = tuple(AgreementFigureName) if whole else (AgreementFigureName.PAIRS, AgreementFigureName.JUDGE)
        made = []
        for figure in figures_of(report, one, names):
            name = f"{one.id}-{figure.name}.pdf"
            files[name] = as_pdf(as_json(agreement_specification(figure, Look())))
            made.append(Picture(name, shown(figure.title), width=WHOLE if figure.is_faceted else HALF))
        return made

    made = paper(report, pictures, bands=bands)
    return Typeset(made, files, reading.now, f"agreement-{report.panel.panel_hash[:12]}.pdf")


def other_panels(reading: Reading, panel_id: UUID) -> tuple[Panel, ...]:
    """Closed panels that share an item with this one."""
    mine = _sample(reading, reading.panels.get(panel_id))
    closed = (one for one in reading.panels.newest() if one.state is PanelState.CLOSED and one.id != panel_id)
    return tuple(one for one in closed if _sample(reading, one) & mine)


def compare_with(reading: Reading, panel_id: UUID, other_id: UUID) -> PanelComparison:
    """Two closed panels on the items they share. Raises NotFoundError, and RefusedError while one is open."""
    return compare_panels(show_agreement(reading, panel_id).panel, show_agreement(reading, other_id).panel)


def _closed(reading: Reading, panel_id: UUID) -> Panel:
    panel = reading.panels.get(panel_id)
    if panel.state is not PanelState.CLOSED:
        raise RefusedError("The agreement report opens once the panel is closed: numbers must not steer the raters.")
    return panel


def _sample(reading: Reading, panel: Panel) -> set[str]:
    return {line.key for line in reading.panels.lines(panel.id) if line.use == "sample"}


def _item(item: PanelItem) -> ReportedItem:
    return ReportedItem(
        number=item.number or 0,
        name=f"item-{item.number or 0:03d}",
        key=item.key,
        unit=item.unit,
        strata=item.strata,
        probability=item.probability or 0.0,
        words=item.words,
        judge=item.judge,
        intervened=item.intervened,
        text=_text(item.packet),
    )


def _text(packet: Packet | None) -> str:
    """What raters read of the decision itself: facts of the world are the same in every arm."""
    sections = packet.sections if packet else ()
    return "\n".join(section.text for section in sections if not section.world and not section.outcome)
