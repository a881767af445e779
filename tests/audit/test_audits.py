"""The audit of a run: what is stored, that repeating adds nothing, and that a person's word is kept for ever."""

import json
import re
from collections.abc import Callable
from io import BytesIO
from threading import Thread
from uuid import UUID
from zipfile import ZipFile

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from app.domain.audit.findings import FindingFilter, Shown
from app.domain.protocol.analysis import Treatment
from app.jobs import Job
from app.providers.chat import ChatAnswer, ChatRequest
from app.services import audits, unit_of_work
from app.services.archives import stream_archive
from app.services.audit_pages import show_audit
from app.services.audits import audit_owed, audit_run, decide_finding
from app.services.boards import show_study
from app.services.deviations import list_deviations
from app.services.errors import NotFoundError, RefusedError
from app.services.exports import Level, level_rows
from app.services.finding_pages import finding_lines, show_findings
from app.services.judged_runs import studied_runs
from app.services.marks import Wish
from app.services.probes import EraTexts, Probed, probe_versions
from app.services.redactions import redact_artifact
from app.services.report_audit import audit_sections
from app.services.unit_of_work import reading
from app.services.unit_of_work import unit_of_work as working
from app.storage.findings import PlacedFinding
from tests.services.stage import Script, Stage, database_url_in_use, said, scripted, stage

__all__ = ["database_url_in_use", "scripted", "stage"]
pytestmark = pytest.mark.services

LEAK = "By 2019 a smartphone in every pocket had become the product. Analysts expect that the lead of 1999 was lost. "


def versions() -> tuple[tuple[str, str], ...]:
    return tuple(probe_versions().items())


@pytest.fixture
def leaked(stage: Stage, scripted: Script) -> UUID:
    """A finished run whose first decision holds planted leaks."""

    def tell(_request: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        return said(usual, re.sub(r'("rationale": ?")', lambda key: key.group() + LEAK, usual.text, count=1))

    run = stage.launch()
    first = stage.run(run)
    with reading() as look:
        era = look.studies.get(first.study_id).design.schedules[0].eras[0].id
    for key in (f"{era}/decision", f"{era}/board"):
        scripted.say(key, tell)
    stage.play(run)
    assert stage.run(run).state == "finished"
    return run


def found(run: UUID, shown: str = "waiting") -> tuple[PlacedFinding, ...]:
    with reading() as look:
        study = look.runs.get(run).study_id
        wanted = FindingFilter(Shown(shown))
        listed = look.findings.listed(study, versions(), wanted, limit=500)
        assert look.findings.count(study, versions(), wanted) == len(listed)
    return listed


def test_planted_leaks_are_stored_with_their_spans(leaked: UUID):
    assert audit_run(leaked) > 0
    hits = {(one.finding.probe, one.finding.quote) for one in found(leaked, "hit")}
    assert {("vocabulary", "smartphone"), ("dates", "2019")} <= hits
    one = next(one for one in found(leaked, "hit") if one.finding.quote == "2019")
    assert LEAK[one.finding.starts_at : one.finding.ends_at] == "2019"
    assert one.finding.path.endswith("rationale")
    assert one.finding.version == probe_versions()["dates"]
    assert one.decided is None


def test_auditing_again_adds_nothing_and_a_new_version_counts_anew(leaked: UUID, monkeypatch: pytest.MonkeyPatch):
    added = audit_run(leaked)
    assert audit_run(leaked) == 0
    newer = {**probe_versions(), "dates": "newer"}
    for module in (audits, __import__("app.services.probes", fromlist=["x"])):
        monkeypatch.setattr(module, "probe_versions", lambda: newer)
    assert 0 < audit_run(leaked) < added


def test_a_finished_run_is_sent_when_it_ends_and_again_if_that_was_lost(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    sent: list[tuple[Job, str]] = []
    monkeypatch.setattr(unit_of_work, "send", lambda job, subject: sent.append((job, subject)) or True)
    run = stage.launch()
    stage.play(run)
    assert (Job.AUDIT_RUN, str(run)) in sent
    assert audit_owed() == 1
    audit_run(run)
    assert audit_owed() == 0


def test_of_two_who_decide_at_once_the_second_learns_of_the_first(leaked: UUID, stage: Stage):
    audit_run(leaked)
    one, first, second = found(leaked)[0].finding, stage.user(), stage.user()
    refused: list[str] = []

    def decide_too() -> None:
        try:
            with working() as work:
                decide_finding(work, one.id, second, is_hit=False, reason="a forecast", seen=0)
        except RefusedError as error:
            refused.append(str(error))

    late = Thread(target=decide_too)
    with working() as work:
        decide_finding(work, one.id, first, is_hit=True, reason="it knew", seen=0)
        late.start()
        asked = text("select count(*) from pg_locks where not granted")
        while late.is_alive() and not work.session.execute(asked).scalar_one():
            late.join(0.05)
    late.join()
    assert refused == ["Somebody decided about this passage meanwhile. Nothing was changed; read it and decide again."]
    with working() as work:
        decide_finding(work, one.id, first, is_hit=True, reason="it knew", seen=0)  # the same form, sent twice
        assert len(work.findings.decisions([one])[one.id]) == 1
        decide_finding(work, one.id, second, is_hit=False, reason="a forecast", seen=1)
        assert len(work.findings.decisions([one])[one.id]) == 2


def test_a_decision_is_kept_with_its_author_and_counts(leaked: UUID, stage: Stage):
    audit_run(leaked)
    waiting = found(leaked)
    assert waiting
    author, one = stage.user(), waiting[0]
    before = page(leaked)
    with working() as work:
        decide_finding(work, one.finding.id, author, is_hit=True, reason="it knew the outcome")
    assert one.finding.id in {each.finding.id for each in found(leaked, "hit")}
    assert page(leaked).hits == before.hits + 1
    with working() as work:
        decide_finding(work, one.finding.id, author, is_hit=False, reason="read again: a forecast")
    assert [each.decided for each in found(leaked, "decided")] == [False]
    assert page(leaked).hits == before.hits
    assert page(leaked).waiting == before.waiting - 1
    with reading() as look:
        kept = look.findings.decisions([one.finding])[one.finding.id]
    assert [(each.is_hit, each.author_id) for each in kept] == [(True, author), (False, author)]
    with pytest.raises(ProgrammingError), working() as work:
        work.session.execute(text("update finding_decisions set is_hit = true"))


def page(run: UUID, interventions: str = ""):
    with reading() as look:
        return show_audit(look, look.runs.get(run).study_id, interventions=interventions)


def listed_totals(run: UUID, treatment: Treatment) -> dict[Shown, int]:
    """How many passages the review list holds of each kind, and that it counts them alike beside every list."""
    with reading() as look:
        study = look.runs.get(run).study_id
        views = {one: show_findings(look, study, FindingFilter(one, interventions=treatment)) for one in Shown}
    assert all(view.counts[one] == view.lines.total for one, view in views.items())
    return {one: view.lines.total for one, view in views.items()}


def test_an_era_with_an_intervention_can_be_left_out_of_every_rate(leaked: UUID, stage: Stage):
    audit_run(leaked)
    decided = next(one for one in found(leaked) if one.era == "E1")
    with working() as work:
        decide_finding(work, decided.finding.id, stage.user(), is_hit=True, reason="it knew the outcome")
    whole = page(leaked)
    assert not whole.touched
    with working() as work:
        redact_artifact(work, stage.step(leaked, "E1/review").id, Wish(stage.user(), "It names a person."))
    kept, without = page(leaked), page(leaked, "leave_out")
    assert (kept.words, kept.hits, kept.touched.words) == (whole.words, whole.hits, "1 era (full r01 E1)")
    assert 0 < without.words < kept.words
    assert (without.hits, without.waiting) < (kept.hits, kept.waiting)
    assert 0 < without.documents < kept.documents
    assert (without.decided, kept.decided) == (0, 1)
    for view in (kept, without):
        totals = {Shown.WAITING: view.waiting, Shown.DECIDED: view.decided, Shown.HIT: view.hits}
        assert listed_totals(leaked, view.treatment) == totals
    assert {line.era for line in kept.selections} - {line.era for line in without.selections} == {"E1"}
    with reading() as look:
        lines = finding_lines(look, found(leaked, "hit"))
        page_of = show_study(look, look.runs.get(leaked).study_id)
        studied = studied_runs(look, page_of.study.design, [look.runs.get(leaked)])
        report = str(audit_sections(look, page_of, studied))
    assert {line.placed.era: line.marked for line in lines}["E1"]
    assert all(line.marked is (line.placed.era == "E1") for line in lines)
    assert "1 era (full r01 E1) carries one." in report
    assert "1 era (full r01 E1) left out." in report


def test_only_open_passages_are_decided(leaked: UUID, stage: Stage):
    audit_run(leaked)
    sure = next(one for one in found(leaked, "hit") if one.finding.state == "hit")
    with pytest.raises(RefusedError), working() as work:
        decide_finding(work, sure.finding.id, stage.user(), is_hit=False, reason="no")
    with pytest.raises(NotFoundError), working() as work:
        decide_finding(work, leaked, stage.user(), is_hit=False, reason="no")


def test_quotes_go_with_a_redacted_text(leaked: UUID, stage: Stage):
    audit_run(leaked)
    hit = next(one for one in found(leaked, "hit") if one.finding.quote == "2019")
    with working() as work:
        redact_artifact(work, stage.step(leaked, hit.key).id, Wish(stage.user(), "it names a person"))
    of_key = [one.finding for one in found(leaked, "hit") if one.key == hit.key]
    assert of_key
    assert {(one.quote, one.about) for one in of_key} == {("", "")}
    audit_run(leaked)


def test_quotes_go_from_a_document_that_quoted_a_redacted_one(stage: Stage, scripted: Script):
    def into(field: str) -> Callable[[ChatRequest, ChatAnswer], ChatAnswer]:
        start = re.compile(rf'("{field}": ?")')
        return lambda _, usual: said(usual, start.sub(lambda key: key.group() + LEAK, usual.text, count=1))

    run = stage.launch()
    scripted.say("E1/decision", into("rationale"))
    scripted.say("E2/memo/frontier_research", into("summary"))
    stage.play(run)
    audit_run(run)
    of_memo = [one for one in found(run, "hit") if one.key == "E2/memo/frontier_research"]
    assert "2019" in {one.finding.quote for one in of_memo}
    with working() as work:
        redact_artifact(work, stage.step(run, "E1/decision").id, Wish(stage.user(), "it names a person"))
    assert {one.finding.quote for one in found(run, "hit") if one.key == "E2/memo/frontier_research"} == {""}
    with reading() as look:
        rows = level_rows(look, look.studies.get(look.runs.get(run).study_id), Level.FINDINGS)
        assert "2019" not in {row["quote"] or row["about"] for row in rows if row["era"] == "E2"}


def test_what_people_wrote_about_a_run_quotes_nothing_that_was_taken_out_of_it(leaked: UUID, stage: Stage):
    audit_run(leaked)
    quote, author = LEAK.partition(".")[0], stage.user()
    waiting = next(one for one in found(leaked) if one.era == "E1")
    with working() as work:
        decide_finding(work, waiting.finding.id, author, is_hit=True, reason=f"It says: {quote}.")
        told = Wish(author, f"Like the decision: {quote}.", judge_words=f"The decision said: {quote}.")
        redact_artifact(work, stage.step(leaked, "E1/review").id, told)
    assert written_about(leaked).count(quote) == 7
    with working() as work:
        redact_artifact(work, stage.step(leaked, waiting.key).id, Wish(author, f"It says: {quote}."))
    said = written_about(leaked)
    assert quote not in said
    assert said.count("It says: [redacted].") > 3


def written_about(run: UUID) -> str:
    """Every place in which words of people about a run leave the database, as one text."""
    with reading() as look:
        study = look.studies.get(look.runs.get(run).study_id)
        places = (
            finding_lines(look, found(run, "decided"))[0].decisions,
            [row["reason"] for row in level_rows(look, study, Level.FINDINGS)],
            [row["reason"] for row in level_rows(look, study, Level.INTERVENTIONS)],
            list_deviations(look, study),
            look.interventions.told_to_judge(run, "E1"),
        )
    written = "\n".join(map(str, places))
    with ZipFile(BytesIO(b"".join(stream_archive(study.id)))) as archive:
        for table in ("finding_decisions", "interventions"):
            written += "".join(json.loads(row)["reason"] for row in archive.read(f"data/{table}.jsonl").splitlines())
    return written


def test_an_audit_that_a_redaction_overtakes_keeps_no_quote(
    leaked: UUID, stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    probe, sent = audits.probe_era, []

    def overtaken(texts: EraTexts) -> tuple[Probed, ...]:
        if not sent:
            sent.append(texts)
            decision = next(one.key for one in texts.documents if one.key.endswith(("/decision", "/board")))
            with working() as work:
                redact_artifact(work, stage.step(leaked, decision).id, Wish(stage.user(), "it names a person"))
        return tuple(probe(texts))

    monkeypatch.setattr(audits, "probe_era", overtaken)
    assert audit_run(leaked) == 0
    assert not found(leaked, "hit")
    assert audit_run(leaked)
    assert "2019" not in {one.finding.quote for one in found(leaked, "hit")}


def test_every_briefing_has_its_selection(leaked: UUID, stage: Stage):
    audit_run(leaked)
    view = page(leaked)
    with reading() as look:
        eras = look.studies.get(stage.run(leaked).study_id).design.schedules[0].eras
    assert len(view.selections) == len(eras)
    drawn = [one for one in view.selections if one.author == "drawn by code"]
    assert all(one.p_value is None or 0 <= one.p_value <= 1 for one in drawn)


def test_judged_layers_of_a_fictional_study_are_compared_with_the_truth(stage: Stage, played_fiction: Callable):
    run = played_fiction()
    audit_run(run)
    layers = page(run).layers
    assert layers is not None
    assert layers.eras == 6
    assert layers.named.value is not None


@pytest.fixture
def played_fiction(stage: Stage) -> Callable[..., UUID]:
    def play() -> UUID:
        run = stage.launch(schedule="fictional-7")
        stage.play(run)
        return run

    return play
