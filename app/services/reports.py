"""Reports of a study and of a run that a reviewer can read alone, put together from what the pages show."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from app.domain.engine.state import RunState
from app.domain.protocol.analysis import Treatment
from app.domain.reports.blocks import (
    Align,
    Block,
    Column,
    Facts,
    Listed,
    Picture,
    Report,
    Section,
    Table,
    prose,
    shown,
    words,
)  # fmt: skip
from app.domain.reports.designs import design_sections
from app.domain.reports.methods import methods_section
from app.domain.reports.results import ResultLine, gap_words, measures_table, totals_table
from app.domain.reports.run_eras import era_section, scores_tables
from app.domain.wording import counted, of_number
from app.exports.as_json import utc
from app.exports.as_pdf import as_pdf, as_pngs
from app.exports.looks import Look, as_json
from app.exports.looks import as_pdf as drawn_as_pdf
from app.exports.plots import specification
from app.services.boards import StudyView, show_study
from app.services.drawings import REHEARSAL
from app.services.hypothesis_lines import Comparison, Judged
from app.services.judged_runs import HARMLESS, StudiedRun, studied_runs
from app.services.playbooks import final_playbook, read_run, uses_of_lessons
from app.services.report_audit import audit_sections
from app.services.report_judgings import judged_again_section, other_judges
from app.services.report_results import calibration_blocks, similarity_table
from app.services.report_run_audit import run_audit_section
from app.services.report_sections import (
    deviations_section,
    interventions_section,
    leakage_section,
    provenance_section,
)  # fmt: skip
from app.services.results import Choice, ResultsView, results_of
from app.services.scales import scales_of, schedules_on
from app.services.treatments import treatment_words
from app.services.unit_of_work import Reading, reading
from app.services.worlds import library_of
from app.storage.runs import RunRecord
from app.storage.studies import Study


@dataclass(frozen=True, slots=True)
class Typeset:
    """A report with the pictures it names, ready to be set; ``file_name`` is for its PDF."""

    report: Report
    pictures: dict[str, bytes]
    made_at: datetime
    file_name: str

    def pdf(self) -> bytes:
        """The report as PDF."""
        return as_pdf(self.report, self.pictures, self.made_at)

    def pngs(self) -> list[bytes]:
        """Its pages as pictures."""
        return as_pngs(self.report, self.pictures, self.made_at)


def report_study(study_id: UUID) -> Typeset:
    """The report of a study as it is at one moment; opens a transaction of its own. Raises NotFoundError."""
    with reading(one_moment=True) as look:
        page = show_study(look, study_id)
        study, runs = page.study, look.runs.of_study(study_id)
        studied = studied_runs(look, study.design, runs)
        judgings = look.runs.judgings(study_id)
        labels: dict[UUID, str] = {run.record.id: run.label for run in studied}
        labels |= {judging.id: judging.name for judging in judgings}
        pictures: dict[str, bytes] = {}
        sections = [
            Section("In brief", (Facts(_brief(study, runs)),)),
            *design_sections(study.design, study.design_hash),
            deviations_section(look, study),
            interventions_section(look, [*runs, *judgings], labels),
            *_results(look, page, studied, pictures),
            *other_judges(look, study_id),
            leakage_section(studied, _suspected(look, study, runs)),
            *audit_sections(look, page, studied),
            provenance_section(look, study, [*runs, *judgings], labels),
            methods_section(),
        ]
        report = _report("Report of a study", study.design.name, study, look.now, sections)
        return Typeset(report, pictures, look.now, f"study-{study.design_hash[:12]}.pdf")


def report_run(run_id: UUID) -> Typeset:
    """The report of a run, likewise. Raises NotFoundError."""
    with reading(one_moment=True) as look:
        run = look.runs.get(run_id)
        study = look.studies.get(run.study_id)
        state = read_run(look, study.design, run)
        studied = studied_runs(look, study.design, [run])
        labels: dict[UUID, str] = {run.id: studied[0].label}
        sections = [
            Section("In brief", (Facts((*_of_run(run), *_brief(study, [run]))),)),
            *design_sections(study.design, study.design_hash),
            deviations_section(look, study, run),
            interventions_section(look, [run], labels),
            *_eras(state, studied[0]),
            _playbook(state),
            *judged_again_section(look, study, studied[0]),
            leakage_section(studied, _suspected(look, study, [run])),
            run_audit_section(look, study, studied[0], state.schedule.eras),
            provenance_section(look, study, [run], labels),
            methods_section(),
        ]
        title = f"{words(run.name)}, {run.player}"
        report = _report("Report of a run", title, study, look.now, sections)
        return Typeset(report, {}, look.now, f"run-{study.design_hash[:12]}-{run.number}.pdf")


def _report(what: str, title: str, study: Study, at: datetime, sections: Sequence[Section]) -> Report:
    made = utc(at)[:16].replace("T", " ")
    return Report(
        title=shown(title),
        subtitle=f"{what} · made {made} UTC by Frontier Autolab",
        mark=REHEARSAL if study.rehearsal else "",
        footer=shown(f"{study.design.name} · design {study.design_hash[:16]} · {made} UTC"),
        sections=tuple(sections),
    )


def _brief(study: Study, runs: Sequence[RunRecord]) -> tuple[tuple[str, str], ...]:
    states = Counter(run.state for run in runs)
    steps = f"{sum(run.steps_done for run in runs):,} of {sum(run.steps_owed for run in runs):,}"
    made = sum(run.interventions for run in runs)
    return (
        ("Study", shown(study.design.name)),
        ("Study id", str(study.id)),
        ("Launched", f"{utc(study.launched_at)[:16].replace('T', ' ')} UTC"),
        ("Runs", ", ".join(f"{count} {state}" for state, count in sorted(states.items()))),
        ("Steps done", steps),
        ("Interventions", f"{made:,}" if made else "none"),
    )


def _of_run(run: RunRecord) -> tuple[tuple[str, str], ...]:
    return (
        ("Run", f"{words(run.name)}, number {run.number} of its study"),
        ("Run id", str(run.id)),
        ("Condition", words(run.condition)),
        ("Replicate", str(run.replicate)),
        ("Player model", shown(run.player)),
        *((("Schedule", shown(run.schedule)),) if run.schedule else ()),
    )


def _results(
    look: Reading, page: StudyView, studied: Sequence[StudiedRun], pictures: dict[str, bytes]
) -> list[Section]:
    """A section for every scale and schedule, since scores of two scales or schedules are never shown as one."""
    views = []
    for scale in scales_of(page.study.design.eras):
        for schedule in schedules_on(page.study.design, scale):
            views += _with_and_without(look, page, studied, Choice(scale=scale, schedule=schedule.id))
    judged = [view for view in views if view.lines]
    if not judged:
        return [Section("Results", (prose("No era is judged yet."),))]
    sections = [Section("Results", (prose(_complete(judged[0])),))]
    for view in judged:
        sections += _scale(view, pictures)
    tested = next((view for view in judged if view.judged), None)
    if tested and tested.judged:
        beside = [*_beside(tested.judged), *calibration_blocks(tested.calibrations)]
        other = next((view for view in judged if view.judged and view.treatment is not tested.treatment), None)
        if other and other.calibrations != tested.calibrations:
            said = treatment_words(other.touched, other.treatment)
            beside += [prose(shown(said)), *calibration_blocks(other.calibrations)]
        sections.append(Section("Hypotheses", (_hypotheses(tested.judged), *beside), level=2))
    return sections


def _with_and_without(
    look: Reading, page: StudyView, studied: Sequence[StudiedRun], choice: Choice
) -> list[ResultsView]:
    """The results as the design treats interventions; and treated otherwise, where there are any."""
    view = results_of(look, page, studied, choice)
    if not view.touched:
        return [view]
    return [view, results_of(look, page, studied, replace(choice, interventions=view.treatment.other))]


def _complete(view: ResultsView) -> str:
    runs, verb = counted(view.page.sums.runs, "run"), of_number(view.complete, "is", "are")
    return f"{view.complete} of {runs} {verb} complete: every era of the schedule is judged."


def _scale(view: ResultsView, pictures: dict[str, bytes]) -> list[Section]:
    eras = [era.id for era in view.schedule.eras if view.scale.holds(era.mode)]
    lines = [_line(view, place) for place in range(len(view.lines))]
    blocks: list[Block] = [measures_table(lines), totals_table(lines, eras)]
    if view.gaps and view.gaps.n:
        blocks.append(prose(gap_words(view.gaps), "Gaps."))
    if view.similarity:
        blocks.append(similarity_table(view.similarity))
    several = len(view.page.study.design.schedules) > 1
    words_of = view.scale.words + (f": {shown(view.schedule.title)}" if several else "")
    said = treatment_words(view.touched, view.treatment)
    if said:
        words_of += f", {'with' if view.treatment is Treatment.KEEP else 'without'} interventions"
        blocks.insert(0, prose(shown(said)))
    sections = [Section(words_of[0].upper() + words_of[1:], tuple(blocks), level=2)]
    if view.figures:
        drawn = tuple(_picture(view, place, pictures) for place in range(len(view.figures)))
        sections.append(Section(f"Plots: {words_of}", drawn, level=2))
    return sections


def _line(view: ResultsView, place: int) -> ResultLine:
    line = view.lines[place]
    return ResultLine(
        label=line.run.label.replace(f" {view.schedule.id}", "", 1),
        marked=any(kind not in HARMLESS for _, kind in line.run.marks),
        eras=line.eras,
        mechanical=line.mechanical,
        record=line.record,
        capture=line.capture,
        pivots=line.pivots,
        dissents=line.dissents,
        caution=line.caution,
    )


def _hypotheses(judged: Judged) -> Table:
    columns = (
        Column("", 0), Column("Comparison", 3), Column("Effect", 2, Align.RIGHT), Column("Interval", 3),
        Column("p", 1, Align.RIGHT), Column("Holm", 1, Align.RIGHT), Column("Sensitivity", 4),
    )  # fmt: skip
    rows = tuple(
        (
            f"{line.hypothesis}{'' if line.declared else ' (exploratory)'}",
            shown(f"{line.comparison} ({line.method})" if line.method else line.comparison),
            f"{line.effect} {line.units}" if line.effect != "–" else "–",
            line.interval if line.interval != "–" else line.interval_note or "–",
            line.p_value or " ",
            line.holm or " ",
            "; ".join(f"{one.name}: {one.effect}, p {one.p_value}" for one in line.sensitivity) or "–",
        )
        for line in judged.lines
    )
    note = f"{counted(judged.runs, 'run')}. "
    note += "Effects and intervals come first; p-values are adjusted by Holm’s method over all six."
    if judged.schedule_words:
        note += f" Runs by schedule: {judged.schedule_words}; conditions are compared within a schedule."
    if judged.incomplete:
        note += f" Left out as incomplete: {', '.join(judged.incomplete)}."
    return Table(columns, rows, note=shown(note))


def _beside(judged: Judged) -> list[Block]:
    claims = [f"{line.hypothesis}: {line.claim}" for line in judged.lines if line.claim]
    found: list[Block] = [Listed("What the hypotheses claim", tuple(shown(words(claim)) for claim in claims))]
    if judged.removal:
        columns = (Column("Eras", 1), *(Column(name, 2) for name in ("Pivot rate", "Frontier capture", "Hindsight")))
        rows = tuple((line.eras, *(_effect(cell) for cell in line.cells)) for line in judged.removal)
        note = "No Red Team − full; outside Holm’s family. On fictional and post-cutoff eras nothing can be recalled."
        found.append(Table(columns, rows, caption="H5 beside leakage, and where nothing can be recalled", note=note))
    return found


def _effect(found: Comparison) -> str:
    return f"{found.effect}, p {found.p_value}; {found.interval_note if found.interval == '–' else found.interval}"


def _picture(view: ResultsView, place: int, pictures: dict[str, bytes]) -> Picture:
    figure = view.figures[place]
    name = f"{view.scale}-{view.schedules.index(view.schedule)}-{view.treatment}-{figure.name}.pdf"
    pictures[name] = drawn_as_pdf(as_json(specification(figure, Look())))
    return Picture(name, shown(figure.title))


def _suspected(look: Reading, study: Study, runs: Sequence[RunRecord]) -> Counter[str]:
    """Passages that the judge quoted as leakage, by run."""
    found: Counter[str] = Counter()
    for run in runs:
        state = read_run(look, study.design, run)
        for era in state.schedule.eras:
            review, second = state.review(era.id), state.reading(era.id)
            found[str(run.id)] += len(review.leaks if review else ()) + len(second.memo_leaks if second else ())
    return found


def _eras(state: RunState, studied: StudiedRun) -> list[Section]:
    layers = library_of(state.schedule).layers
    names = {layer: layers.layer(layer).name for layer in layers.ids}
    marked = set(studied.touched)
    eras = {era.era: era for era in studied.judged.eras}
    begun = [era for era in state.schedule.eras if state.briefing(era.id) or state.decision(era.id)]
    tables: tuple[Block, ...] = scores_tables(eras, state, marked) or (prose("No era is judged yet."),)
    distances = studied.judged.distances
    rows = tuple(
        (era.id, shown(one.company), names.get(one.layer or "", one.layer or "–"), str(distances.get(era.id, "–")))
        for era in begun
        if (one := studied.decided.get(era.id))
    )
    columns = (Column("Era"), Column("Company", 1), Column("Layer chosen", 1), Column("Distance"))
    whole = any(era is None and kind not in HARMLESS for era, kind in studied.marks)
    mark = (prose("An intervention concerns the run as a whole: every score below carries it."),) if whole else ()
    pooled = "by the market of this invented world" if state.schedule.is_fictional else "as the judge saw it"
    chosen = Table(columns, rows, caption="Layers", note=f"Distance from the layer where value pooled, {pooled}.")
    return [
        Section("Results", (*mark, *tables, chosen)),
        Section("Era by era", ()),
        *(era_section(state, era, names, marked) for era in begun),
    ]


def _playbook(state: RunState) -> Section:
    uses = uses_of_lessons(state)
    rows = []
    for lesson in final_playbook(state).lessons:
        ended = lesson.replaced_by or lesson.retired_by
        standing = "active" if lesson.is_active else f"ended by {ended}"
        used = f"{uses[lesson.id, 'cites']} / {uses[lesson.id, 'disputes']}"
        rows.append((shown(lesson.id), words(lesson.kind), shown(lesson.text), standing, used))
    columns = (
        Column("Lesson"),
        Column("Kind"),
        Column("Text", 1),
        Column("Standing"),
        Column("Uses", align=Align.RIGHT),
    )
    note = "Uses: how often memos and decisions cited / disputed it. Lessons of every era so far, with their history."
    return Section("Playbook", (Table(columns, tuple(rows), note=note),))
