"""The audit's section in a study's report: what the probes counted, per schedule, and the judge against the truth."""

from uuid import UUID

from app.domain.audit.layer_truth import LayerAccuracy
from app.domain.reports.blocks import Align, Block, Column, Section, Table, number, prose, shown, words
from app.domain.scoring.measures import Measure
from app.services.audit_pages import AuditView, ProbeTable, RateCell, SelectionSum, show_audit
from app.services.unit_of_work import Reading

BEFORE = (
    "Probes look for passages that nobody could have written at the era's start: words first used later, dates stated "
    "as fact, names of the outcome window. A hit is sure or was decided by a person; passages that wait for one are "
    "counted apart. Every passage with its place and every decision is in the exports."
)
_RATES = ("Hits per 1,000 words", "Hits", "By people", "Waiting", "Words", "Documents")
_SELECTION = ("Briefings", "Mean excess", "Tested", "p at most .05")


def audit_section(look: Reading, study_id: UUID) -> Section:
    """What the audit found in a study so far, a table of rates for every schedule."""
    first = show_audit(look, study_id)
    if not first.documents:
        return Section("Leakage audit", (prose("No document was audited yet."),))
    rest = first.page.study.design.schedules[1:]
    views = (first, *(show_audit(look, study_id, one.id) for one in rest))
    blocks: list[Block] = [prose(BEFORE), *(_rates(view, several=bool(rest)) for view in views)]
    if first.selection_sums:
        blocks.append(_selections(first.selection_sums))
    if first.layers:
        blocks.append(_layers((("All invented eras", first.layers), *first.worlds)))
    return Section("Leakage audit", tuple(blocks))


def _rates(view: AuditView, *, several: bool) -> Table:
    columns = (Column("Probe"), Column("Condition", 1), *(Column(name, align=Align.RIGHT) for name in _RATES))
    rows = [
        (shown(table.probe.name), shown(words(condition)), *_cell(whole))
        for table in view.tables
        for condition, _, whole in table.rows
    ]
    caption = "Rates" + (f": {shown(view.page.schedule.title)}" if several else "")
    return Table(columns, tuple(rows), caption=caption, note=" ".join(_quality(table) for table in view.tables))


def _cell(cell: RateCell) -> tuple[str, ...]:
    counts = (cell.hits, cell.by_people, cell.waiting, cell.words, cell.documents)
    return (number(cell.rate, 2), *(f"{count:,}" for count in counts))


def _quality(table: ProbeTable) -> str:
    found = table.quality.planted
    measured = f"precision {_share(found.precision)}, recall {_share(found.recall)}"
    return f"{table.probe.name} {table.version}: {measured} on {table.quality.texts} planted and clean texts."


def _share(measure: Measure) -> str:
    return f"{number(measure, 2)} (n {measure.n})"


def _selections(sums: tuple[SelectionSum, ...]) -> Table:
    columns = (Column("Briefings by"), Column("Schedule", 1), *(Column(name, align=Align.RIGHT) for name in _SELECTION))
    rows = tuple((shown(one.author), shown(one.schedule), *_leaning(one)) for one in sums)
    note = (
        "Excess: share of facts about what came to dominate, less what a draw from the same strata gives. With drawn "
        "briefings p is at most .05 in one of twenty."
    )
    return Table(columns, rows, caption="Selection of facts", note=note)


def _leaning(one: SelectionSum) -> tuple[str, ...]:
    return (str(one.briefings), number(one.excess, 3, signed=True), str(one.tested), str(one.small))


def _layers(worlds: tuple[tuple[str, LayerAccuracy], ...]) -> Table:
    names = ("Eras", "Named", "Near", "Distance the same")
    columns = (Column("World", 1), *(Column(name, align=Align.RIGHT) for name in names))
    rows = tuple(
        (shown(title), str(one.eras), number(one.named, 2), number(one.near, 2), number(one.distance, 2))
        for title, one in worlds
    )
    note = "Shares of eras in which the judge's layer is a true one, is that or adjoins it, and the distance agrees."
    return Table(columns, rows, caption="The judge's layers against the market's truth", note=note)
