import json
from dataclasses import asdict, replace
from datetime import UTC, datetime

import pytest

from app.domain.engine.judgings import Variant
from app.domain.engine.state import RunState
from app.domain.protocol.artifacts import AuditorReview, Dissent, RecordReview
from app.domain.protocol.budgets import Budget, Budgets
from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Mode
from app.domain.protocol.presets import Briefings, Preset
from app.domain.reports.blocks import (
    BREAK,
    NONE,
    Align,
    Column,
    Facts,
    Listed,
    Picture,
    Report,
    Section,
    Table,
    joined,
    number,
    plain,
    prose,
    shown,
)  # fmt: skip
from app.domain.reports.designs import design_sections
from app.domain.reports.methods import methods_section
from app.domain.reports.results import MARK, ResultLine, gap_words, measures_table, totals_table
from app.domain.reports.run_eras import UNJUDGED, era_section, scores_tables
from app.domain.scoring.dissents import summarize_dissents
from app.domain.scoring.gaps import summarize_gaps
from app.domain.scoring.measures import Measure, undefined
from app.domain.scoring.pivots import count_adjoining_pivots
from app.domain.scoring.run_measures import measure_run
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.study import FurtherJudge
from app.exports.as_pdf import as_pdf, as_pngs
from app.services.audits import audit_run
from app.services.check_plans import CheckForm, start_checks
from app.services.interventions import annotate_exposure
from app.services.judgings import start_further
from app.services.marks import Wish
from app.services.report_judgings import SHOWN
from app.services.reports import report_run, report_study
from app.services.studies import choose_model
from app.services.unit_of_work import reading, unit_of_work
from tests.engine.plays import whole as played
from tests.services.stage import Stage, design

AT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
HOSTILE = '#panic("no") $x$ *bold* `raw` @label <tag> \\ [bracket] = Heading // comment #import "x.typ": y'


def rows_of(section: Section) -> dict[str, str]:
    return {name: value for block in section.blocks if isinstance(block, Facts) for name, value in block.rows}


def of_kind(section: Section, kind: type) -> list:
    return [block for block in section.blocks if isinstance(block, kind)]


def scored(era: str, mode: str, *, intervened: bool = False) -> ScoredEra:
    names = {"training": ("frontier_accuracy", "timing", "layer_choice", "reinvention_courage", "hindsight_leakage")}
    auditor = ("playbook_consistency", "plausibility", "non_consensus", "layer_choice", "groundedness")
    subscores = dict.fromkeys(names.get(mode, auditor), 6)
    return ScoredEra("full r01", era, int(era[1:]), Mode(mode), "Salwade", subscores, intervened=intervened)


def line(*eras: ScoredEra, marked: bool = False, record: bool = True) -> ResultLine:
    verdicts = ("vindicated", "refuted", "unresolved") if marked else ()
    return ResultLine(
        label="no_playbook r01",
        marked=marked,
        eras=eras,
        mechanical=Measure(60.0, 2),
        record=measure_run("full r01", eras) if record else None,
        capture=undefined("no layer"),
        pivots=count_adjoining_pivots((era.index, era.company) for era in eras),
        dissents=summarize_dissents(verdicts),
        caution=Measure(0.5, 2),
    )


def test_texts_fit_on_paper_and_steer_nothing() -> None:
    assert shown("a" * 70).split(BREAK) == ["a" * 32, "a" * 32, "a" * 6]
    assert shown("a" * 32) == "a" * 32
    assert shown("x\x00y\u202ez") == "x y z"
    assert prose("one\n\ntwo\n", "Label.").paragraphs == ("one", "two")
    assert prose(" \n").paragraphs == (NONE,)


def test_numbers_have_true_minus_signs_and_dashes() -> None:
    assert number(Measure(-1.25, 3), 2, signed=True) == "−1.25"
    assert number(undefined("none")) == NONE
    assert plain(None) == NONE
    assert joined(()) == NONE


def test_a_design_says_what_was_fixed() -> None:
    plain_design = design()
    facts = rows_of(design_sections(plain_design, "f" * 64)[0])
    assert facts["Design SHA-256"].replace(BREAK, "") == "f" * 64
    assert facts["Personas"] == "the library's"
    assert "Budget of a run" not in facts
    budgets = Budgets(study=Budget(calls=100, tokens=5_000, cost_usd=2.5, hours=1.5))
    changes = {
        "budgets": budgets,
        "same_family_reason": "only one family at hand",
        "library": {"a": "b"},
        "briefings": "model",
        "further_judges": (FurtherJudge(judge=plain_design.author),),
        "players": (plain_design.players[0].model_copy(update={"temperature": None}),),
        "analysis": plain_design.analysis.model_copy(update={"interventions": "leave_out", "incomplete": "keep"}),
    }
    first, plan = design_sections(plain_design.model_copy(update=changes), "0")
    facts = rows_of(first)
    assert facts["Budget of the study"] == "100 calls, 5,000 tokens, US$ 2.50, 1.5 hours"
    assert facts["Budget of a run"] == "no bound"
    assert facts["Judged again by"].endswith("under the standard anchors")
    assert facts["Judge of a player's family"] == "only one family at hand"
    assert "the provider's own temperature" in facts["Player models"]
    assert rows_of(plan)["Runs that are not complete"] == "kept"


def test_measures_are_marked_where_somebody_intervened() -> None:
    whole = line(scored("E1", "training"), scored("E2", "training", intervened=True), marked=True)
    table = measures_table([line(scored("E1", "training")), whole, line(scored("E1", "training"), record=False)])
    assert [row[0] for row in table.rows] == ["no playbook r01", f"no playbook r01{MARK}", "no playbook r01"]
    assert table.marked == (1,)
    assert "1/2 (1 open)" in table.rows[1]
    assert table.rows[2].count(NONE) >= 4
    totals = totals_table([whole], ["E1", "E2", "E3"])
    assert totals.rows[0][1:] == ("60", f"60{MARK}", NONE)
    assert MARK in totals.note


def test_the_auditor_has_fewer_measures() -> None:
    table = measures_table([line(scored("E7", "live"), record=False)])
    assert [column.name for column in table.columns][:3] == ["Run", "eras", "mean T̃"]
    assert "hindsight" not in table.note


def test_gaps_carry_their_warning() -> None:
    eras = [scored("E1", "training"), scored("E2", "training")]
    assert gap_words(summarize_gaps(eras)).startswith("0 of 2 gaps are positive (sign test, one-sided p = 1)")
    assert gap_words(summarize_gaps([])).startswith("0 of 0 gaps are positive; mean –")


def test_methods_name_every_formula() -> None:
    text = str(methods_section())
    assert all(words in text for words in ("T* = 2.5", "Holm", "Schuirmann", "Efron and Stein"))


@pytest.fixture
def whole() -> tuple[RunState, dict[str, ScoredEra]]:
    """A whole run with eras of both rubrics."""
    state = played(Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL).state
    state = replace(state, design=state.design.model_copy(update={"name": HOSTILE}))
    return state, {era.id: scored(era.id, era.mode) for era in state.schedule.eras}


def test_a_run_is_told_era_by_era(whole: tuple[RunState, dict[str, ScoredEra]]) -> None:
    state, eras = whole
    record, auditor = scores_tables(eras, state, {"E2"})
    assert (record.caption, auditor.caption) == ("Scores by The Record", "Scores by The Auditor")
    assert record.rows[1][0] == f"E2{MARK}"
    assert (record.marked, auditor.marked) == ((1,), ())
    assert scores_tables({}, state, ()) == ()
    for era in state.schedule.eras:
        section = era_section(state, era, {}, {"E2"})
        assert (MARK in section.title) == (era.id == "E2")
        review = state.review(era.id)
        labels = [block.label for block in section.blocks if hasattr(block, "label")]
        expected = {RecordReview: "What happened.", AuditorReview: "Case against."}[type(review)]
        assert expected in labels
        assert of_kind(section, Listed)[0].label == "Lessons"
        assert ".;" not in "".join(rows_of(section).values())


def test_an_era_under_way_says_what_is_missing(whole: tuple[RunState, dict[str, ScoredEra]]) -> None:
    state, _ = whole
    first = state.schedule.eras[0]
    decision = state.decision(first.id)
    dissent = {"id": "D9", "who": "Nobody", "why": "no verdict"}
    without = {key: one for key, one in state.artifacts.items() if "/review" not in key and "/reading" not in key}
    told = decision.model_copy(update={"dissents": (*decision.dissents, Dissent(**dissent))})
    waiting = replace(state, artifacts={**without, "E1/decision": told})
    section = era_section(waiting, first, {}, ())
    assert any(UNJUDGED in block.paragraphs for block in section.blocks if hasattr(block, "paragraphs"))
    assert of_kind(section, Table)[-1].rows[-1] == ("Nobody", "no verdict", NONE)
    quiet = replace(state, artifacts={**without, "E1/decision": decision.model_copy(update={"dissents": ()})})
    assert of_kind(era_section(quiet, first, {}, ()), Table) == []
    empty = era_section(replace(state, artifacts={}), first, {}, ())
    assert "No decision was made in this era yet." in str(empty)
    deferral = decision.deferral.model_copy(update={"deferred": True, "gate": None})
    gated = replace(state, artifacts={"E1/decision": decision.model_copy(update={"deferral": deferral})})
    assert "yes, behind: –" in str(era_section(gated, first, {}, ()))


def test_no_text_is_markup() -> None:
    blocks = (
        Facts(((HOSTILE, HOSTILE),)),
        Table((Column(HOSTILE, 1), Column("n", align=Align.RIGHT)), ((HOSTILE, "1"),), HOSTILE, HOSTILE, marked=(0,)),
        Table((Column("x"),), ()),
        prose(HOSTILE, HOSTILE),
        Listed(HOSTILE, (HOSTILE,)),
        Listed("None", ()),
        Picture("p.svg", HOSTILE),
    )
    picture = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    report = Report(HOSTILE, HOSTILE, HOSTILE, HOSTILE, (Section(HOSTILE, blocks, on_new_page=True),))
    pdf = as_pdf(report, {"p.svg": picture}, AT)
    assert pdf.startswith(b"%PDF")
    assert as_pdf(report, {"p.svg": picture}, AT) == pdf
    assert [page[:4] for page in as_pngs(report, {"p.svg": picture}, AT)] == [b"\x89PNG"] * 2


def test_a_report_without_a_mark_shows_its_title_on_later_pages() -> None:
    sections = (Section("One", ()), Section("Two", (), on_new_page=True))
    assert len(as_pngs(Report("T", "S", "", "F", sections), {}, AT)) == 2


@pytest.mark.services
def test_the_reports_of_a_study_and_a_run_say_everything(stage: Stage) -> None:
    run = stage.launch(name=HOSTILE, conditions=(Condition.FULL,))
    author = stage.user()
    with unit_of_work() as work:
        annotate_exposure(work, run, Wish(author, HOSTILE), seen=["another run"])
    stage.play(run)
    record = stage.run(run)
    for made in (report_study(record.study_id), report_run(run)):
        titles = [section.title for section in made.report.sections]
        for title in ("In brief", "Design", "Deviations from the design", "Interventions", "Results", "Methods"):
            assert title in titles
        assert "Rehearsal model" in made.report.mark
        text = json.dumps(asdict(made.report), ensure_ascii=False).replace(BREAK, "")
        assert record.ledger_head in text
        assert "1 of 1 verify" in text
        assert made.pdf().startswith(b"%PDF")
        assert made.file_name.endswith(".pdf")
    assert "No document was audited yet." in str(report_study(record.study_id).report)
    assert "No document of this run was audited yet." in str(report_run(run).report)
    audit_run(run)
    audit = next(one for one in report_study(record.study_id).report.sections if one.title == "Leakage audit")
    rates, selection = of_kind(audit, Table)
    assert {row[0] for row in rates.rows} == {"vocabulary", "dates", "entities"}
    assert all(int(row[-2].replace(",", "")) > 1_000 for row in rates.rows)
    assert "precision" in rates.note
    assert [row[0] for row in selection.rows] == ["drawn by code"]
    assert "1 whole run (full r01) left out." in str(audit)
    assert "No document is left." in str(audit)
    assert len(report_study(record.study_id).pictures) >= 4


def test_every_variant_of_a_packet_has_its_words() -> None:
    assert set(SHOWN) == set(Variant)


@pytest.mark.services
def test_reports_say_what_judges_gave_who_judged_again(stage: Stage) -> None:
    further = {"judge": choose_model("rehearsal/dazzled", 1.0).model_dump(), "anchors": "options"}
    run = stage.launch(name=HOSTILE, conditions=(Condition.FULL,), further_judges=(further,))
    study = stage.run(run).study_id
    stage.play(run)
    before = report_study(study).report
    assert "judged again by rehearsal/dazzled, options anchors: not begun" in str(before)
    assert "No check of the judge was made" in str(before)
    assert "Judged again" not in [section.title for section in report_run(run).report.sections]
    with unit_of_work() as work:
        start_further(work, study)
        start_checks(work, study, CheckForm(checks=("outcome_flip", "recall"), judge="rehearsal/dazzled", questions=2))
    with reading() as look:
        made = look.runs.judgings(study)
    for judging in made:
        stage.play(judging.id)
    audit_run(run)
    whole = {section.title: section for section in report_study(study).report.sections}
    assert rows_of(whole["Design"])["Judged again by"].endswith("under the options anchors")
    side_by_side, findings = of_kind(whole["Other judges"], Table)
    assert [row[1] for row in side_by_side.rows] == ["standard", "options"]
    assert findings.columns[-1].name == "rehearsal/dazzled, options"
    flip, *recalls = of_kind(whole["Checks of the judge"], Table)
    assert flip.rows[0][2] == "10.00 points of 100"
    assert "no interval: fewer than six runs" in flip.rows[0][-1]
    assert "no interval: as above" in flip.rows[1][-1]
    assert len(recalls) == 2
    assert {len(row) for table in (flip, *recalls) for row in table.rows} == {6}
    (provenance,) = (table for table in of_kind(whole["Provenance"], Table) if table.caption == "Ledgers")
    assert len(provenance.rows) == 1 + len(made)
    alone = {section.title: section for section in report_run(run).report.sections}
    (again,) = of_kind(alone["Judged again"], Table)
    first = [row for row in again.rows if row[0] == "E1"]
    assert [row[2] for row in first] == ["as it was", "as it was", "as a failure", "as a success"]
    assert all(2 * sum(map(int, row[3:8])) == int(row[8]) for row in again.rows)
    rates, passages, selection = of_kind(alone["Leakage audit"], Table)
    assert {row[1] for row in rates.rows} == {"E1", "E2", "E3", "all"}
    assert passages.caption == "Passages that the probes marked"
    assert len(selection.rows) == 3
    with unit_of_work() as work:
        annotate_exposure(work, run, Wish(stage.user(), "it was pasted into a chat"), seen=())
    both = {section.title: section for section in report_study(study).report.sections}
    flip, without, *recalls = of_kind(both["Checks of the judge"], Table)
    assert without.caption == "outcome flip by rehearsal/dazzled, without interventions"
    assert [row[1] for row in (flip.rows[0], *without.rows)] == ["3 pairs in 1 run", "0 pairs in 0 runs"]
    assert len(recalls) == 2, "what a model remembers is no run's"
    side_by_side, _, left, _ = of_kind(both["Other judges"], Table)
    assert [row[2:4] for row in (*side_by_side.rows, *left.rows)] == [("1", "3")] * 2 + [("0", "0")] * 2


@pytest.mark.services
def test_reports_can_be_made_before_anything_is_judged(stage: Stage) -> None:
    run = stage.launch()
    for made in (report_study(stage.run(run).study_id), report_run(run)):
        assert "No era is judged yet." in str(made.report)
        assert "Nobody intervened after launch." in str(made.report)
        assert made.pdf().startswith(b"%PDF")
