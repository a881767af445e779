"""The audit's sections in a study's report: what probes counted, the judge against the truth, checks of the judge."""

from collections.abc import Iterable, Sequence

from app.domain.audit.captures import CaptureContrast
from app.domain.audit.layer_truth import LayerAccuracy
from app.domain.protocol.eras import Schedule
from app.domain.reports.blocks import NONE, Align, Block, Column, Section, Table, number, plain, prose, shown, words
from app.domain.scoring.measures import Measure
from app.services.audit_pages import AuditView, RateCell, audit_of
from app.services.boards import StudyView
from app.services.judged_runs import StudiedRun
from app.services.probe_quality import ProbeQuality
from app.services.report_judgings import checks_section, found_table
from app.services.selections import SelectionLean, SelectionSum
from app.services.treatments import treatment_words
from app.services.unit_of_work import Reading

BEFORE = (
    "Probes look for passages that nobody could have written at the era's start: words first used later, dates stated "
    "as fact, names of the outcome window. A hit is sure or was decided by a person; passages that wait for one are "
    "counted apart. Every passage with its place and every decision is in the exports."
)
_RATES = ("Hits per 1,000 words", "Hits", "By people", "Waiting", "Words", "Documents")
_SELECTION = ("Briefings", "Mean excess", "Tested", "p at most .05")


def audit_sections(look: Reading, page: StudyView, studied: Sequence[StudiedRun]) -> tuple[Section, ...]:
    """What the audit found in a study so far, a table of rates for every schedule, and the checks of the judge.

    Where something carries an intervention, both stand with it and without.
    """
    first = audit_of(look, page, studied, page.study.design.analysis.interventions)
    other = audit_of(look, page, studied, first.treatment.other) if first.touched else None
    said = treatment_words(other.touched, other.treatment) if other else ""
    checks = checks_section(first.checks, other.checks if other else (), said)
    return (Section("Leakage audit", _blocks(first, other)), checks)


def _blocks(first: AuditView, other: AuditView | None) -> tuple[Block, ...]:
    if first.audited_at is None:
        return (prose("No document was audited yet."),)
    views = (first, other) if other else (first,)
    return (prose(BEFORE), *(block for view in views for block in _read(view)))


def _read(audit: AuditView) -> list[Block]:
    """What was found with one treatment of interventions."""
    treated, _, said = treatment_words(audit.touched, audit.treatment).partition(": ")
    blocks: list[Block] = [prose(said, f"{treated}:")] if said else []
    if not audit.words:
        return [*blocks, prose("No document is left.")]
    blocks += [_rates(audit, schedule) for schedule in audit.page.study.design.schedules]
    if audit.selection_sums:
        blocks.append(_selections(audit.selection_sums, audit.leans))
    if audit.layers:
        blocks.append(layers_table((("All invented eras", audit.layers), *audit.worlds)))
    if audit.captures:
        blocks.append(_captures(audit.captures))
    if audit.fiction:
        blocks.append(found_table([audit.fiction], "Judged leakage where none is possible"))
    return blocks


def rate_columns(place: str) -> tuple[Column, ...]:
    """Columns of a table of rates, by probe and ``place``."""
    return (Column("Probe"), Column(place, 1), *(Column(name, align=Align.RIGHT) for name in _RATES))


def rate_row(cell: RateCell) -> tuple[str, ...]:
    """A rate as the cells under ``rate_columns`` after the first two."""
    counts = (cell.hits, cell.by_people, cell.waiting, cell.words, cell.documents)
    return (number(cell.rate, 2), *(f"{count:,}" for count in counts))


def quality_words(name: str, version: str, quality: ProbeQuality) -> str:
    """How well a probe finds planted leaks."""
    measured = f"precision {_share(quality.planted.precision)}, recall {_share(quality.planted.recall)}"
    return f"{name} {version}: {measured} on {quality.texts} planted and clean texts."


def layers_table(worlds: Sequence[tuple[str, LayerAccuracy]]) -> Table:
    """The layers that the judge named against those in which an invented market pooled its profit."""
    names = ("Eras", "Named", "Near", "Distance the same")
    columns = (Column("World", 1), *(Column(name, align=Align.RIGHT) for name in names))
    rows = tuple(
        (shown(title), str(one.eras), number(one.named, 2), number(one.near, 2), number(one.distance, 2))
        for title, one in worlds
    )
    note = "Shares of eras in which the judge's layer is a true one, is that or adjoins it, and the distance agrees."
    return Table(columns, rows, caption="The judge's layers against the market's truth", note=note)


def _rates(audit: AuditView, schedule: Schedule) -> Table:
    tables, several = audit.tables_on(schedule), len(audit.page.study.design.schedules) > 1
    rows = tuple(
        (shown(table.probe.name), shown(words(condition)), *rate_row(whole))
        for table in tables
        for condition, _, whole in table.rows
    )
    caption = "Rates" + (f": {shown(schedule.title)}" if several else "")
    note = " ".join(quality_words(table.probe.name, table.version, table.quality) for table in tables)
    return Table(rate_columns("Condition"), rows, caption=caption, note=note)


def _share(measure: Measure) -> str:
    return f"{number(measure, 2)} (n {measure.n})"


def _selections(sums: Sequence[SelectionSum], leans: Sequence[SelectionLean]) -> Table:
    columns = (Column("Briefings by"), Column("Schedule", 1), *(Column(name, align=Align.RIGHT) for name in _SELECTION))
    rows = tuple((shown(one.author), shown(one.schedule), *_leaning(one)) for one in sums)
    note = (
        "Excess: share of facts about what came to dominate, less what a draw from the same strata gives. With drawn "
        "briefings p is at most .05 in one of twenty. The projected world of a forecast era takes no "
        "facts of a record, and has no excess."
    )
    beyond = "".join(_beyond(one) for one in leans if one.beyond.value is not None)
    return Table(columns, rows, caption="Selection of facts", note=f"{note}{beyond}")


def _beyond(one: SelectionLean) -> str:
    """An author's lean on history, on invented worlds, and what is left: what already dominates is prominent anyway."""
    real, fictional, beyond = (number(value, 3, signed=True) for value in (one.real, one.fictional, one.beyond))
    author = shown(one.author)
    return f" Briefings ({author}): {real} on history, {fictional} on invented worlds, {beyond} beyond prominence."


def _leaning(one: SelectionSum) -> tuple[str, ...]:
    return (str(one.briefings), number(one.excess, 3, signed=True), str(one.tested), str(one.small))


def _captures(contrasts: Sequence[CaptureContrast]) -> Table:
    names = ("Historical", "Cannot be recalled", "Difference", "95 %")
    columns = (Column("Condition", 1), Column("Model", 1), *(Column(name, align=Align.RIGHT) for name in names))
    rows = tuple((words(one.condition), shown(one.model), *_contrast(one)) for one in contrasts)
    note = (
        "Mean capture per run where the outcome may be remembered, less that where it cannot be: the part of apparent "
        "foresight that recall may explain."
    )
    reasons = dict.fromkeys(one.interval.reason for one in contrasts if one.interval.reason)
    return Table(columns, rows, caption="Capture without recall", note=f"{note}{_none(reasons)}")


def _none(reasons: Iterable[str]) -> str:
    """Why there is no interval, each reason once."""
    told = "; ".join(reasons)
    return f" Where there is no interval: {told}." if told else ""


def _contrast(one: CaptureContrast) -> tuple[str, ...]:
    bounds = one.interval.bounds
    ends = f"{plain(bounds[0], 2)} to {plain(bounds[1], 2)}" if bounds else NONE
    means = (number(one.historical, 2), number(one.unrecallable, 2), number(one.difference, 2, signed=True))
    return (*means, ends)
