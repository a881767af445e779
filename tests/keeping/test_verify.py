"""Verifying real runs: sound ones are, and what the owner of the database changed is named."""

import json
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from app.cli.main import main
from app.domain.protocol.conditions import Condition
from app.embedded.schema import plain_url
from app.providers.chat import ChatAnswer, ChatError, ChatRequest
from app.services import redactions
from app.services.errors import NotFoundError
from app.services.interventions import Wish, retry_step, write_by_hand
from app.services.marks import leave_mark
from app.services.redactions import redact_artifact
from app.services.unit_of_work import reading, unit_of_work
from app.services.upkeep import release_step
from app.services.verification import RunVerdict, verify_run, verify_runs
from tests.services.stage import Script, Stage

pytestmark = pytest.mark.services

KEY = "E1/decision"
ALONE = {"conditions": (Condition.SINGLE_PROMPT,)}


def verdict(run: UUID) -> RunVerdict:
    with reading(one_moment=True) as look:
        return verify_run(look, look.runs.get(run))


@pytest.fixture
def played(stage: Stage) -> UUID:
    run = stage.launch(**ALONE)
    stage.play(run)
    assert verdict(run).is_sound
    return run


def test_a_run_is_sound_while_it_moves_and_after_every_fault(stage: Stage, scripted: Script):
    scripted.say(KEY, ChatError("busy", retry_after=0.0), '{"company_name": 7}', "no")
    run = stage.launch(**ALONE)
    assert verdict(run).is_sound
    for _ in range(3):
        with unit_of_work() as work:
            work.steps.set(stage.step(run, KEY).id, not_before=None)
        stage.play(run)
    step = stage.step(run, KEY)
    assert step.state == "needs_operator"
    assert verdict(run).is_sound

    def lose(_: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        with unit_of_work() as work:
            work.steps.set(step.id, lease_expires_at=work.now.replace(year=2000))
            release_step(work, step.id, run)
        assert verdict(run).is_sound
        return usual

    scripted.say(KEY, lose)
    with unit_of_work() as work:
        retry_step(work, step.id, Wish(stage.user(), "Once more."))
    stage.play(run)
    assert stage.run(run).state == "finished"
    found = verdict(run)
    assert (found.problems, found.interventions, found.redacted) == ((), 1, 0)
    assert found.calls == len(stage.calls(run))
    assert found.documents == stage.run(run).steps_done
    assert found.head == stage.run(run).ledger_head


def test_a_hand_written_document_and_its_mark_verify(stage: Stage, scripted: Script, played: UUID):
    with reading() as look:
        body = next(kept for kept in look.artifacts.of_run(played) if kept.key == KEY).artifact.model_dump(mode="json")
    scripted.say(KEY, "no", "never")
    run = stage.launch(**ALONE)
    stage.play(run)
    with unit_of_work() as work:
        write_by_hand(work, stage.step(run, KEY).id, Wish(stage.user(), "It was down.", "By hand."), body)
    stage.play(run)
    assert verdict(run).problems == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            "UPDATE ledger SET body = body || '{\"attempt\": 9}' WHERE kind = 'call_sent'",
            "(call_sent) was changed after it was written",
        ),
        ("UPDATE ledger SET kind = 'nothing' WHERE seq = 2", "event 2 (nothing) was changed after it was written"),
        ("UPDATE ledger SET at = at + interval '1 s' WHERE seq = 1", "event 1 (run_planned) was changed"),
        ("DELETE FROM ledger WHERE seq = 3", "event 3 is missing: found number 4 in its place"),
        ("DELETE FROM ledger WHERE kind = 'run_finished'", "is missing: the chain ends before"),
        ("UPDATE calls SET request = replace(request, 'the', 'a')", "(call_sent): the request of call"),
        ("UPDATE calls SET response = response || ' '", "(call_ended): the response of call"),
        ("UPDATE calls SET tokens_out = tokens_out + 1", "(call_ended): tokens_out of call"),
        ('UPDATE calls SET template_hashes = \'{"decision": "0"}\'', "(call_sent): the prompt templates' hashes"),
        (
            "UPDATE artifacts SET body = jsonb_set(body, '{company_name}', '\"Other\"') WHERE key = 'E1/decision'",
            "(artifact_written): document E1/decision was changed",
        ),
        ("UPDATE studies SET design = jsonb_set(design, '{seed}', '7')", "event 1 (run_planned): the study's design"),
        ("UPDATE runs SET tokens_in = tokens_in - 1000", "the run's tokens_in is"),
        ("UPDATE runs SET cost_usd = 1.5", "the run's cost_usd is 1.5, what is kept adds up to 0"),
    ],
)
def test_what_the_owner_changed_is_named(
    stage: Stage, played: UUID, owner: psycopg.Connection, change: str, words: str
):
    owner.execute(change)
    found = verdict(played)
    assert not found.is_sound
    assert words in found.problems[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE calls SET request = request || '[redacted]'", "(call_sent): the request of call"),
        (
            "UPDATE artifacts SET body = jsonb_set(body, '{company_name}', '\"Other\"') WHERE key = 'E1/decision'",
            "(artifact_written): document E1/decision was changed",
        ),
        ("UPDATE interventions SET reason = '[redacted]'", "is gone or was changed"),
    ],
)
def test_a_redaction_excuses_nothing_but_what_it_wrote(
    stage: Stage, played: UUID, owner: psycopg.Connection, change: str, words: str
):
    with unit_of_work() as work:
        redact_artifact(work, stage.step(played, KEY).id, Wish(stage.user(), "It names a person."))
    found = verdict(played)
    assert (found.problems, found.redacted, found.notes) == ((), 1, ())
    owner.execute(change)
    assert words in verdict(played).problems[0]


def test_a_redaction_of_before_hashes_of_masked_texts_were_kept_verifies(
    stage: Stage, played: UUID, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
):
    def as_once(*args: object, **more: object) -> None:
        leave_mark(*args, before=more["before"])

    monkeypatch.setattr(redactions, "leave_mark", as_once)
    with unit_of_work() as work:
        redact_artifact(work, stage.step(played, KEY).id, Wish(stage.user(), "It names a person."))
    assert verdict(played).problems == ()
    owner.execute("UPDATE calls SET request = request || '[redacted]'")
    found = verdict(played)
    assert found.problems == ()
    assert "masked because of a redaction that kept no hash of masked texts: not checked" in found.notes[0]


@pytest.mark.parametrize("table", ["ledger", "interventions", "redactions"])
@pytest.mark.parametrize(
    "change", ["UPDATE {} SET run_id = run_id", "DELETE FROM {}", "TRUNCATE {}"], ids=["update", "delete", "truncate"]
)
def test_the_applications_role_may_not_change_history(stage: Stage, database_url: str, table: str, change: str):
    with (
        psycopg.connect(plain_url(database_url)) as application,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        application.execute(change.format(table))


def test_a_prompt_of_another_version_is_a_note(stage: Stage, played: UUID, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.services.verification.prompt_templates", dict)
    found = verdict(played)
    assert found.is_sound
    assert any(note.startswith("prompt founder: ") for note in found.notes)


def test_the_command_verifies_runs_studies_and_the_latest(
    stage: Stage, played: UUID, owner: psycopg.Connection, capsys: pytest.CaptureFixture[str]
):
    study = str(stage.run(played).study_id)
    for subject in (str(played), study, "latest"):
        assert main(["verify", subject]) == 0
        said = capsys.readouterr().out
        assert said.startswith("sound  single_prompt r01 (rehearsal/steady, finished): ")
        assert stage.run(played).ledger_head in said
        assert said.endswith("1 of 1 run is sound.\n")
    owner.execute("UPDATE ledger SET body = '{}' WHERE seq = 5")
    assert main(["verify", study, "--json"]) == 1
    (told,) = json.loads(capsys.readouterr().out)
    assert told["run_id"] == str(played)
    assert told["is_sound"] is False
    assert told["problems"][0].startswith("event 5 (")
    assert main(["verify", "latest"]) == 1
    assert "DOES NOT FIT" in capsys.readouterr().out


@pytest.mark.parametrize("subject", ["6b1b2c1e-5a0e-4f5e-9d3b-2f4f2f0f7a11", "nonsense", "latest"])
def test_what_is_not_there_is_said(stage: Stage, capsys: pytest.CaptureFixture[str], subject: str):
    assert main(["verify", subject]) == 1
    assert "autolab: There is no" in capsys.readouterr().err
    with pytest.raises(NotFoundError), reading() as look:
        verify_runs(look, subject)
    assert not Path(subject).exists()
