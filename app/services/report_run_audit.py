"""The audit's section in a run's report: what the probes counted in its documents, and every passage they marked."""

from app.domain.audit.layer_truth import layer_accuracy
from app.domain.protocol.eras import Era
from app.domain.reports.blocks import Align, Block, Column, Section, Table, plain, prose, shown, words
from app.services.audit_pages import rate_cell
from app.services.check_results import fiction_found
from app.services.finding_pages import FindingLine, finding_lines
from app.services.judged_runs import StudiedRun
from app.services.layer_cases import layer_cases
from app.services.probe_quality import probe_qualities
from app.services.probes import TEXT_PROBES, probe_versions
from app.services.report_audit import BEFORE, layers_table, quality_words, rate_columns, rate_row
from app.services.report_judgings import found_table
from app.services.selections import SelectionLine, selection_line
from app.services.unit_of_work import Reading
from app.storage.findings import CountSum
from app.storage.studies import Study

MOST = 80
"""Passages that a report shows; the exports have all."""


def run_audit_section(look: Reading, study: Study, studied: StudiedRun, eras: tuple[Era, ...]) -> Section:
    """Rates of every era, passages with how they stand, briefings' selections, layers against an invented world."""
    versions, run = probe_versions().items(), studied.record
    sums = look.findings.sums(study.id, versions, run_id=run.id)
    if not sums:
        return Section("Leakage audit", (prose("No document of this run was audited yet."),))
    placed = [one for era in eras for one in look.findings.of_era(run.id, era.id, versions)]
    blocks: list[Block] = [
        prose(BEFORE),
        _rates(sums, eras),
        _passages(finding_lines(look, placed[:MOST]), len(placed)),
    ]
    selected = [selection_line(study, *row) for row in look.findings.selections(study.id, versions, run_id=run.id)]
    blocks += [_selections(selected)] if selected else []
    blocks += [
        layers_table(((title, layer_accuracy(cases)),))
        for title, cases in layer_cases(look, study.design, [studied]).items()
    ]
    fiction = fiction_found(look, study, [run])
    blocks += [found_table([fiction], "Judged leakage where none is possible")] if fiction and fiction.value.n else []
    return Section("Leakage audit", tuple(blocks))


def _rates(sums: tuple[CountSum, ...], eras: tuple[Era, ...]) -> Table:
    rows = []
    for probe in TEXT_PROBES:
        own = [one for one in sums if one.probe == probe.name]
        by_era = [(era.id, [one for one in own if one.era == era.id]) for era in eras]
        rows += [(shown(probe.name), shown(era), *rate_row(rate_cell(here))) for era, here in by_era if here]
        rows.append((shown(probe.name), "all", *rate_row(rate_cell(own))))
    known = ((probe.name, probe_versions()[probe.name], probe_qualities()[probe.name]) for probe in TEXT_PROBES)
    return Table(rate_columns("Era"), tuple(rows), caption="Rates", note=" ".join(quality_words(*one) for one in known))


def _passages(lines: tuple[FindingLine, ...], count: int) -> Table:
    columns = (Column("Document", 2), Column("Probe"), Column("Passage, in its sentence", 4), Column("Standing", 3))
    rows = tuple(
        (
            shown(line.placed.key),
            line.name,
            shown(_quoted(line)),
            shown(_standing(line)),
        )
        for line in lines
    )
    more = f" The first {len(lines)} of {count}; the exports have all." if count > len(lines) else ""
    return Table(
        columns,
        rows,
        caption="Passages that the probes marked",
        note=f"In the order of the eras.{more}" if rows else "",
    )


def _quoted(line: FindingLine) -> str:
    if line.text:
        start, end = line.span
        return f"{line.text[:start]}“{line.text[start:end]}”{line.text[end:]}"
    return f"“{line.placed.finding.quote}”" if line.placed.finding.quote else "the text was taken out"


def _standing(line: FindingLine) -> str:
    if line.placed.finding.state == "hit":
        return f"a hit: {line.placed.finding.why}"
    if not line.decisions:
        return f"waits for a person: {line.placed.finding.why}"
    made, author = line.decisions[-1]
    return f"{'a hit' if made.is_hit else 'not a hit'}, decided by {author}: {made.reason}"


def _selections(lines: list[SelectionLine]) -> Table:
    names = ("Facts", "Dominant", "Expected", "Excess", "p")
    columns = (Column("Era"), Column("Briefing by", 1), *(Column(name, align=Align.RIGHT) for name in names))
    rows = tuple((shown(line.era), shown(words(line.author)), *_numbers(line)) for line in lines)
    note = "Share of facts whose fate was to dominate, over what a draw from the same strata gives; randomized p."
    return Table(columns, rows, caption="Selection of facts", note=note)


def _numbers(line: SelectionLine) -> tuple[str, ...]:
    ends = (plain(line.expected, 2), plain(line.excess, 2, signed=True), plain(line.p_value, 3))
    return (str(line.used), str(line.dominant), *ends)
