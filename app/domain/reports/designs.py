"""The design of a study as sections of a report."""

from app.domain.protocol.eras import Schedule
from app.domain.reports.blocks import NONE, Column, Facts, Section, Table, joined, shown, words
from app.domain.study import FurtherJudge, ModelChoice, StudyDesign
from app.domain.wording import counted


def design_sections(design: StudyDesign, design_hash: str) -> tuple[Section, ...]:
    """What was frozen before the first call: settings, eras, and the plan of the analysis."""
    return (
        Section("Design", (Facts(_settings(design, design_hash)), *(_eras(one) for one in design.schedules))),
        Section("Analysis plan, fixed before launch", (Facts(_plan(design)),), level=2),
    )


def _settings(design: StudyDesign, design_hash: str) -> tuple[tuple[str, str], ...]:
    players = joined([_model(player) for player in design.players])
    several = len(design.schedules) > 1
    factors = [len(design.conditions), design.repetitions, len(design.players), *([len(design.schedules)] * several)]
    runs = f"{' × '.join(map(str, factors))} = {design.run_count}"
    named = "conditions × repetitions × player models" + " × schedules" * several
    schedules = joined([f"{shown(one.title)} ({shown(one.id)})" for one in design.schedules])
    found = [
        ("Design SHA-256", shown(design_hash)),
        ("Preset", str(design.preset)),
        ("Schedules" if several else "Schedule", schedules),
        ("Conditions", joined([words(one) for one in design.conditions])),
        ("Runs", f"{named}: {runs}"),
        ("Player models", players),
        ("Judge", _model(design.judge)),
        ("Briefing author", _model(design.author)),
        ("Context mapping", str(design.mapping)),
        ("Briefings", _briefings(design)),
        ("Seed", str(design.seed)),
        ("Personas", str(len(design.roster.personas)) if design.roster else "the library's"),
    ]
    if design.further_judges:
        found.append(("Judged again by", joined([_further(one) for one in design.further_judges])))
    if design.same_family_reason:
        found.append(("Judge of a player's family", shown(design.same_family_reason)))
    if design.budgets:
        found += [
            ("Budget of the study", shown(design.budgets.study.words)),
            ("Budget of a run", shown(design.budgets.run.words)),
        ]
    if design.library:
        found.append(("Library", f"{len(design.library)} files of rubrics, prompts and data, hashed with the design"))
    return tuple(found)


def _model(choice: ModelChoice) -> str:
    heat = "the provider's own temperature" if choice.temperature is None else f"temperature {choice.temperature:g}"
    return shown(f"{choice.model} (family {choice.family}, {heat})")


def _further(further: FurtherJudge) -> str:
    return f"{_model(further.judge)} under the {words(further.anchors)} anchors"


def _briefings(design: StudyDesign) -> str:
    return (
        f"drawn by code, {counted(design.briefing_facts, 'fact')}"
        if design.briefings == "drawn"
        else "written by a model"
    )


def _eras(schedule: Schedule) -> Table:
    columns = (
        Column("Era"),
        Column("Mode"),
        Column("Players know what is before"),
        Column("Judged up to"),
        Column("Title", 1),
    )
    rows = tuple(
        (shown(era.id), words(era.mode), era.start.isoformat(), era.end.isoformat(), shown(era.title) or NONE)
        for era in schedule.eras
    )
    return Table(columns, rows, caption=f"Eras: {shown(schedule.title)}")


def _plan(design: StudyDesign) -> tuple[tuple[str, str], ...]:
    plan = design.analysis
    treat = (
        "kept; beside them the analysis without"
        if plan.interventions == "keep"
        else "left out; beside them the analysis with"
    )
    incomplete = "left out" if plan.incomplete == "leave_out" else "kept"
    return (
        ("Hypotheses", joined([str(one) for one in plan.hypotheses])),
        ("Level", f"{plan.alpha:g}, adjusted by Holm's method over all six"),
        (
            "Margins",
            f"H3: ±{plan.leakage_margin:g} points of the hindsight subscore; H4's calibration: ±{plan.gap_margin:g}",
        ),
        ("Eras and runs with an intervention", treat),
        ("Runs that are not complete", incomplete),
        ("Randomization", f"seed {plan.seed}, {plan.resamples:,} resamples where exact counting is too long"),
    )
