"""The agreement report as sections for paper: the numbers the page shows, in reading order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.domain.reports.agreement_blinding import Blinding
from app.domain.reports.agreement_judge_blocks import judge_blocks
from app.domain.reports.agreement_lines import (
    SHORT,
    SUMMARY,
    Line,
    interval,
    number,
    pair_lines,
    repeat_lines,
    severity_lines,
    statistic_lines,
    summary_lines,
)
from app.domain.reports.agreement_methods import BANDS_NOTE, METHOD
from app.domain.reports.agreement_ratings import COMPOSITE
from app.domain.reports.agreement_report import DimensionReport, PanelAgreement
from app.domain.reports.blocks import (
    NONE,
    Align,
    Block,
    Column,
    Facts,
    Listed,
    Picture,
    Report,
    Section,
    Table,
    shown,
    words,
)
from app.domain.wording import counted

Pictures = Callable[[DimensionReport], Sequence[Picture]]


def agreement_sections(report: PanelAgreement, pictures: Pictures, *, bands: bool) -> tuple[Section, ...]:
    """Every section; ``pictures`` gives the plots of a dimension, ``bands`` puts a word to lower limits."""
    return (
        Section("In brief", (Facts(brief(report)),)),
        _summary(report, bands=bands),
        _usage(report),
        *(_dimension(one, tuple(pictures(one))) for one in report.dimensions),
        *_blinding(report),
        Section("Method", (Facts(METHOD),)),
    )


def paper(report: PanelAgreement, pictures: Pictures, *, bands: bool) -> Report:
    """The whole report for paper, with the panel's hash on every page."""
    panel = report.panel
    return Report(
        title=shown(title(report)),
        subtitle=shown(f"Agreement report · {panel.name} · closed {panel.closed_at[:10]} · Frontier Autolab"),
        mark=panel.mark,
        footer=f"design {panel.panel_hash}",
        sections=agreement_sections(report, pictures, bands=bands),
    )


def title(report: PanelAgreement) -> str:
    """What the report is of."""
    count = len(report.panel.raters)
    return f"Agreement of {counted(count, 'rater')} on {counted(len(report.panel.items), 'decision')}"


def brief(report: PanelAgreement) -> tuple[tuple[str, str], ...]:
    """The facts that stand on top."""
    panel = report.panel
    return (
        ("Panel", shown(panel.name)),
        ("Design, SHA-256", shown(panel.panel_hash)),
        ("Rubric", shown(f"{panel.rubric.title}, version {panel.rubric.version}")),
        ("Runs", str(panel.runs)),
        ("Ratings", f"{report.ratings} of {report.places} items × raters"),
        ("Closed", f"{panel.closed_at[:16].replace('T', ' ')} UTC"),
        ("Planned headline", f"{words(panel.plan.headline)}, {panel.plan.interval}"),
    )


def _summary(report: PanelAgreement, *, bands: bool) -> Section:
    names = tuple(SHORT[name] for name in SUMMARY[1:])
    right = Align.RIGHT
    columns: tuple[Column, ...] = (Column("Dimension", 2), Column("headline", align=right), Column("95 %", align=right))
    columns += tuple(Column(name, align=right) for name in names)
    columns += (Column("all decisions", align=right),) if report.panel.is_weighted else ()
    columns += (Column("lower limit", 2),) if bands else ()
    rows = []
    for one, found in zip(summary_lines(report), report.dimensions, strict=True):
        ends = interval(found.headline_name, found.headline)
        row = (shown(one.name), one.cells[0], ends, *one.cells[1:])
        row += (one.weighted,) if report.panel.is_weighted else ()
        rows.append(row + ((one.band or "no interval",) if bands else ()))
    table = Table(columns, tuple(rows), note=BANDS_NOTE if bands else "")
    return Section("How far do the raters agree?", (table, Listed("To be read with it", said_words(report))))


def said_words(report: PanelAgreement) -> tuple[str, ...]:
    """What a reader must be told: sentences that hold of every dimension first, the others with the names of theirs."""
    found: dict[str, list[str]] = {}
    for one in report.dimensions:
        for note in one.found.notes:
            # A sum has so many steps that those nobody reached say nothing.
            if not (one.id == COMPOSITE and note.startswith("Never used")):
                found.setdefault(note, []).append(one.name)
    everywhere = [note for note, names in found.items() if len(names) == len(report.dimensions)]
    rest = [f"{', '.join(names)}: {note}" for note, names in found.items() if note not in everywhere]
    return tuple(shown(one) for one in [*everywhere, *rest])


def _usage(report: PanelAgreement) -> Section:
    right = Align.RIGHT
    by_dimension = Table(
        (
            Column("Dimension", 1),
            *(Column(name, align=right) for name in ("items", "rated by all", "by two or more", "by one", "by nobody")),
        ),
        tuple(
            (
                shown(one.name),
                *(str(count) for count in (use.items, use.complete, use.pairable, use.single, use.unrated)),
            )
            for one in report.dimensions
            for use in (one.found.usage,)
        ),
        caption="Items",
    )
    by_rater = Table(
        (
            Column("Rater"),
            Column("rated", align=right),
            Column("skipped, by reason", 1),
            Column("not reached", align=right),
            Column("repeats", align=right),
            Column("training", align=right),
        ),
        tuple(
            (use.rater, str(use.rated), use.skip_words, str(use.unopened), str(use.repeats), str(use.trained))
            for use in report.raters
        ),
        caption="Raters",
        note="Repeats enter repeatability alone; training never enters. "
        f"{report.panel.adjudicated} values were settled after closing: none of them enters.",
    )
    return Section("What entered, and what did not", (by_dimension, by_rater))


def _dimension(one: DimensionReport, pictures: tuple[Picture, ...]) -> Section:
    blocks: list[Block] = [_statistics(one)]
    if one.found.severity:
        blocks.append(_severity(one))
    if one.found.pairs:
        blocks.append(_pairs(one))
    if one.found.intra_rater:
        blocks.append(_repeats(one))
    blocks += pictures[:-1] if one.judge else pictures
    if one.judge:
        blocks += [*judge_blocks(one.judge), *pictures[-1:]]
    name = f"{one.name}, {one.ratings.scale_words}"
    return Section(shown(name if one.id != COMPOSITE else f"{name} points"), tuple(blocks), on_new_page=True)


def _statistics(one: DimensionReport) -> Table:
    weighted = one.found.population is not None
    columns: tuple[Column, ...] = (
        Column("Statistic", 3),
        Column("value", align=Align.RIGHT),
        Column("95 %", align=Align.RIGHT),
    )
    columns += (Column("all decisions", align=Align.RIGHT),) if weighted else ()
    columns += (Column("n", align=Align.RIGHT), Column("item bootstrap, or why not", 3))
    rows = tuple(
        (found.title, found.value, found.interval)
        + ((found.weighted,) if weighted else ())
        + (str(found.n), found.said or (found.second[0][0] if found.second else " "))
        for found in statistic_lines(one)
    )
    note = f"G = {one.found.clusters} {one.found.unit}s; n counts items.{_coarser(one)}"
    return Table(columns, rows, caption="Statistics", note=note)


def _severity(one: DimensionReport) -> Table:
    columns = (
        Column("Rater", 1),
        *(Column(name, align=Align.RIGHT) for name in ("points above the panel", "95 %", "drift per 10 items", "95 %")),
    )
    rows = tuple(
        (rater, found.value, found.interval, drift.value if drift else NONE, drift.interval if drift else NONE)
        for rater, found, drift in severity_lines(one)
    )
    return Table(columns, rows, caption="Is one rater harsher?")


def _pairs(one: DimensionReport) -> Table:
    wanted = ("kappa_quadratic", "spearman", "bias", "loa_low", "loa_high") if one.ratings.numeric else ("kappa",)
    heads = {
        "kappa_quadratic": "kappa (quadratic)",
        "spearman": "Spearman",
        "bias": "difference",
        "loa_low": "limits from",
        "loa_high": "to",
    }
    columns = (Column("Pair", 1), *(Column(heads.get(name, name), align=Align.RIGHT) for name in wanted))
    rows = tuple((pair, *(_picked(lines, name) for name in wanted)) for pair, lines in pair_lines(one))
    note = "Difference: first less second, points." if one.ratings.numeric else ""
    return Table(columns, rows, caption="Pairs of raters", note=note)


def _coarser(one: DimensionReport) -> str:
    """Alpha and AC2 on a scale cut into fewer bands, in a sentence; nothing where no scale is declared."""
    if not one.found.collapsed:
        return ""
    bands = ", ".join(str(count) for count in one.found.collapsed)
    found = [
        f"{SHORT.get(name, 'AC2')} {', '.join(number(name, values[name]) for values in one.found.collapsed.values())}"
        for name in ("alpha_interval", "alpha_ordinal", "ac2_quadratic")
    ]
    return f" On {bands} bands of the scale: {'; '.join(found)}."


def _repeats(one: DimensionReport) -> Table:
    wanted = ("within_sd", "repeatability", "shift")
    columns = (
        Column("Rater", 1),
        *(Column(name, align=Align.RIGHT) for name in ("within-rater SD", "repeatability", "mean shift", "n")),
    )
    rows = tuple(
        (rater, *(_picked(lines, name) for name in wanted), str(lines[0].n)) for rater, lines in repeat_lines(one)
    )
    return Table(columns, rows, caption="A rater against herself, on the hidden repeats")


def _picked(lines: Sequence[Line], name: str) -> str:
    return next(found.value for found in lines if found.name == name)


def _blinding(report: PanelAgreement) -> tuple[Section, ...]:
    if not report.blinding:
        return ()
    right = Align.RIGHT
    columns = (
        Column("Asked"),
        Column("Arm", 1),
        *(Column(name, align=right) for name in ("asked", "right", "don’t know", "chance", "Bang index", "95 %")),
    )
    rows = tuple(
        (
            words(one.about),
            shown(arm.arm),
            str(arm.asked),
            str(arm.right),
            str(arm.unsure),
            f"1 in {one.offered}",
            number("bias", arm.index.value, signed=True),
            interval("bias", arm.index, signed=True),
        )
        for one in report.blinding
        for arm in one.arms
    )
    told = tuple(classifier_words(one) for one in report.blinding)
    return (Section("Were they blind?", (Table(columns, rows), Listed("", told))),)


def classifier_words(one: Blinding) -> str:
    """How well a classifier tells the arms apart by the texts alone."""
    found = one.classifier
    if found.value is None:
        return f"Which {words(one.about)}: no classifier was trained: {found.reason}."
    ends = f" ({interval('exact', found)})" if found.ci95 else ""
    return (
        f"Which {words(one.about)}: by words alone a classifier tells it on {number('exact', found.value)} of items"
        f"{ends}; always naming the commonest arm is right on {number('exact', one.chance)}."
    )
