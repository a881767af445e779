"""What further judges and checks of the judge found, as sections of a report: judged again, and never averaged."""

from collections.abc import Sequence
from uuid import UUID

from app.domain.audit.judge_checks import CONTROLLED, Judged, value_of
from app.domain.engine.judgings import JudgingPlan, Purpose, Variant
from app.domain.protocol.rubrics import RECORD_DIMENSIONS, RubricId, dimensions_of
from app.domain.reports.agreement_lines import AS_ABOVE
from app.domain.reports.blocks import NONE, Align, Block, Column, Section, Table, number, plain, prose, shown, words
from app.domain.scoring.scored_eras import ScoredEra
from app.services.check_results import ResultLine
from app.services.hypothesis_lines import HypothesisLine
from app.services.judged_runs import StudiedRun
from app.services.judging_pages import FindingLine, JudgeRow, JudgeTable, JudgingLine, JudgingsView, show_judgings
from app.services.treatments import treatment_words
from app.services.unit_of_work import Reading
from app.storage.judgements import Judgements, Sat
from app.storage.runs import RunRecord
from app.storage.studies import Study

BEFORE = (
    "The same decisions, judged by other models or under other anchors. The first judge’s column is the study’s "
    "result; the others say how far it hangs on who judged. Scores of two judges are never averaged."
)
NOT_CHECKED = (
    "No check of the judge was made: nothing was judged twice, by another family, padded, or with its outcome flipped, "
    "and nobody was asked to guess what is hidden or what happened next."
)
OF_RUN = (
    "Judgements of this run’s decisions by further judges and by checks of the judge, beside the first judge’s. None "
    "of them enters a result of the study."
)
SHOWN = {
    Variant.PLAIN: "as it was",
    Variant.PADDED: "padded",
    Variant.SUCCESS: "as a success",
    Variant.FAILURE: "as a failure",
    Variant.EXACT: "in the exact layer",
}
WHOLE = frozenset({Purpose.EXACT_LAYER, Purpose.BLINDNESS, Purpose.RECALL})
"""Checks whose lines are of different things: of the others the first is the main one."""

RIGHT = Align.RIGHT


def other_judges(look: Reading, study_id: UUID) -> tuple[Section, ...]:
    """Further judges and other anchors beside the first judge; nothing where a design has none."""
    view = show_judgings(look, study_id)
    if not view.further and not view.owed:
        return ()
    state = [f"{line.run.name}: {_progress(line.run)}" for line in view.further]
    state += [f"{one.name}: not begun" for one in view.owed]
    several = len(view.page.study.design.schedules) > 1
    blocks: list[Block] = [prose(BEFORE), prose("; ".join(state), "State.")]
    blocks += _judged_beside(view, several=several)
    if view.touched:
        other = show_judgings(look, study_id, view.treatment.other)
        blocks += _judged_beside(other, several=several)
    return (Section("Other judges", tuple(blocks), level=2),)


def checks_section(checks: Sequence[JudgingLine], others: Sequence[JudgingLine], said: str) -> Section:
    """Every check of the judge with all its lines, the first started first.

    ``others`` are the same checks under the other treatment of interventions, of which ``said`` tells: where it changes
    something, its main lines stand below.
    """
    if not checks:
        return Section("Checks of the judge", (prose(NOT_CHECKED),), level=2)
    otherwise = {line.run.id: line for line in others}
    blocks: list[Block] = []
    for line in reversed(checks):
        blocks.append(_check(line))
        other = otherwise.get(line.run.id, line)
        if other.found != line.found:
            blocks.append(_check(other, said))
    return Section("Checks of the judge", tuple(blocks), level=2)


def found_table(lines: Sequence[ResultLine], caption: str, note: str = "") -> Table:
    """Statistics with estimate, interval and p, or why there is none."""
    columns = (
        Column("Measured", 4), Column("On", 2), Column("Estimate", 0, RIGHT), Column("95 %", 0, RIGHT),
        Column("p", 0, RIGHT), Column("Beside it", 4),
    )  # fmt: skip
    reasons = [(line.interval.reason if line.interval else None) or "" for line in lines]
    above = ["", *reasons]
    rows = tuple(
        _found(line, AS_ABOVE if reason and reason == before else reason)
        for line, reason, before in zip(lines, reasons, above, strict=False)
    )
    return Table(columns, rows, caption=shown(caption), note=shown(note))


def judged_again_section(look: Reading, study: Study, studied: StudiedRun) -> tuple[Section, ...]:
    """What judgings gave to one run's decisions, a table a rubric; nothing where nobody judged them again."""
    run = studied.record
    rows: list[tuple[str, str, Variant, int, dict[str, int]]] = []
    for judging in look.runs.judgings(study.id):
        plan = JudgingPlan.model_validate(judging.plan)
        rows += [(judging.name, *one) for one in _scored(plan, Judgements(look.session).sittings(judging.id), run)]
    if not rows:
        return ()
    first = [(f"the study’s judge, {study.design.judge.model}", era) for era in studied.judged.eras]
    tables = tuple(table for rubric in RubricId if (table := _again(rubric, first, rows)).rows)
    return (Section("Judged again", (prose(OF_RUN), *tables)),)


def _judged_beside(view: JudgingsView, *, several: bool) -> list[Block]:
    """The judges on every scale and under every hypothesis, with one treatment of interventions."""
    treated, _, said = treatment_words(view.touched, view.treatment).partition(": ")
    before: list[Block] = [prose(shown(said), f"{treated}:")] if said else []
    tables = [_side_by_side(table, several=several) for table in view.tables if len(table.rows) > 1]
    findings = [_findings(view.findings, view.judges)] if view.findings else []
    return [*before, *tables, *findings]


def _progress(run: RunRecord) -> str:
    return f"{run.state}, {run.calls_made:,} of {run.calls_owed:,} calls"


def _side_by_side(table: JudgeTable, *, several: bool) -> Table:
    record = table.scale.rubric is RubricId.RECORD
    names = ["Runs", "Eras", *(["mean T*"] if record else []), "mean T̃", *(["mean gap", "mean h"] if record else [])]
    columns = (Column("Judge", 2), Column("Anchors", 1), *(Column(name, align=RIGHT) for name in names))
    rows = tuple(_judge(row, record=record) for row in table.rows)
    title = f"; {table.schedule.title}" if several else ""
    return Table(columns, rows, caption=shown(f"Judges side by side: {table.scale.words}{title}"))


def _judge(row: JudgeRow, *, record: bool) -> tuple[str, ...]:
    name = row.judge if row.run else f"{row.judge} (first judge)"
    totals = [number(row.controlled)] if record else []
    beside = [number(row.gap, 2, signed=True), number(row.hindsight, 2)] if record else []
    return (
        shown(name),
        shown(words(row.anchors)),
        str(row.runs),
        str(row.eras),
        *totals,
        number(row.mechanical),
        *beside,
    )


def _findings(lines: Sequence[FindingLine], judges: Sequence[str]) -> Table:
    columns = (Column("", 0), Column("Comparison", 2), *(Column(shown(words(name)), 3) for name in judges))
    rows = tuple((line.hypothesis, shown(line.comparison), *(_effect(one) for one in line.by_judge)) for line in lines)
    note = (
        "Effect, interval and p of the analysis as it was fixed before launch, with nothing exchanged but the scores."
    )
    return Table(columns, rows, caption="Does the judge decide the finding?", note=note)


def _effect(line: HypothesisLine | None) -> str:
    if line is None or line.effect == NONE:
        return NONE
    p = f"; p {line.p_value}" if line.p_value and line.p_value != NONE else ""
    return shown(f"{line.effect} ({line.interval if line.interval != NONE else 'no interval'}){p}")


def _check(line: JudgingLine, said: str = "") -> Table:
    question = line.found.question if line.found else ""
    lines = line.found.lines if line.found else ()
    if said:
        main = lines if line.plan.purpose in WHOLE else lines[:1]
        return found_table(main, f"{line.run.name}, {said.partition(':')[0].lower()}", said)
    return found_table(lines, line.run.name, f"{question} {_progress(line.run)[0].upper()}{_progress(line.run)[1:]}.")


def _found(line: ResultLine, reason: str) -> tuple[str, ...]:
    unit = f" {line.unit}" if "points" in line.unit else ""
    known = line.value.value is not None
    beside = [f"no interval: {reason}" if known and reason else "", "" if known else line.value.reason or "", line.note]
    return (
        shown(words(line.name)),
        line.of,
        f"{number(line.value, 2)}{unit if known else ''}",
        _interval(line),
        NONE if line.p_value is None else f"{line.p_value:.2g}",
        shown("; ".join(part for part in beside if part)) or " ",
    )


def _interval(line: ResultLine) -> str:
    bounds = line.interval.bounds if line.interval else None
    return f"{plain(bounds[0], 2)} to {plain(bounds[1], 2)}" if bounds else NONE


def _scored(plan: JudgingPlan, sat: Sequence[Sat], run: RunRecord) -> list[tuple[str, Variant, int, dict[str, int]]]:
    """Era, variant, repetition and scores of every sitting over a run's decisions that gave scores."""
    if plan.purpose is Purpose.RECALL:
        return []
    sittings = plan.sittings
    mine = ((one, sittings[one.key]) for one in sat if one.scores and one.key in sittings)
    return [
        (one.era, sitting.variant, sitting.repetition, one.scores) for one, sitting in mine if sitting.run == run.number
    ]


def _again(
    rubric: RubricId,
    first: Sequence[tuple[str, ScoredEra]],
    rows: Sequence[tuple[str, str, Variant, int, dict[str, int]]],
) -> Table:
    names = dimensions_of(rubric)
    eras = [(name, era) for name, era in first if era.rubric is rubric]
    found = []
    for name, era in eras:
        found.append(_row(era.era, name, SHOWN[Variant.PLAIN], dict(era.subscores)))
        found += [
            _row(era.era, who, _shown_as(variant, repetition), scores)
            for who, place, variant, repetition, scores in rows
            if place == era.era and set(scores) == set(names)
        ]
    totals = ["T̃", "T*"] if rubric is RubricId.RECORD else ["T̃"]
    columns = (
        Column("Era"), Column("Judged by", 1), Column("Shown"),
        *(Column(words(name).replace(" ", "\n"), 0, RIGHT) for name in names),
        *(Column(name, align=RIGHT) for name in totals),
    )  # fmt: skip
    judge = "The Record" if rubric is RubricId.RECORD else "The Auditor"
    return Table(columns, tuple(found), caption=f"By the rubric of {judge}")


def _shown_as(variant: Variant, repetition: int) -> str:
    return f"{SHOWN[variant]}{f', {repetition}' if repetition > 1 else ''}"


def _row(era: str, who: str, variant: str, scores: dict[str, int]) -> tuple[str, ...]:
    record = set(scores) == set(RECORD_DIMENSIONS)
    totals = [str(2 * sum(scores.values()))]
    totals += [plain(value_of(Judged("", era, "", scores), CONTROLLED), 1)] if record else []
    ordered = dimensions_of(RubricId.RECORD if record else RubricId.AUDITOR)
    return (shown(era), shown(who), variant, *(str(scores[name]) for name in ordered), *totals)
