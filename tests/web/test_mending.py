"""A step that needs an operator, and what is done to whole runs."""

import json
from collections.abc import Callable, Mapping
from uuid import UUID

import pytest
from sqlalchemy import text

from app.domain.engine.steps import PlannedStep
from app.domain.protocol import artifacts
from app.domain.protocol.artifacts import Written
from app.providers.chat import ChatRequest, ask
from app.providers.rehearsal import Rehearsal
from app.services.hand_forms import Group, Leaf, Many, Node, _plain, form_nodes
from app.services.hand_words import FIELD_WORDS
from app.services.interventions import stuck_step
from app.services.unit_of_work import reading, unit_of_work
from tests.web.conftest import Browser

REASON = {"reason": "The provider was away for an hour"}
BY_HAND = (
    artifacts.Note, artifacts.Memo, artifacts.Attack, artifacts.Reply, artifacts.Critique, artifacts.Decision,
    artifacts.Board, artifacts.Briefing, artifacts.RecordReview, artifacts.AuditorReview, artifacts.SecondReading,
    artifacts.BlindGuess, artifacts.RecallChoice,
)  # fmt: skip


def fields_of(nodes: tuple[Node, ...]) -> dict[str, str]:
    """What a browser sends for a filled form."""
    sent: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, Leaf):
            sent[node.path] = node.value
        elif isinstance(node, Group):
            sent |= fields_of(node.children)
        elif isinstance(node, Many):
            sent |= {f"{node.path}.length": str(len(node.items)), **fields_of(node.items)}
    return sent


def written(step_id: UUID) -> dict[str, str]:
    """A fitting document for a step, from the rehearsal voice, as a browser would send it."""
    with reading() as look:
        stuck = stuck_step(look, step_id)
    request = ChatRequest(
        model="steady", system="", prompt="", schema_name="", schema={}, temperature=None, max_tokens=9,
        step=stuck.given, seed="7",
    )  # fmt: skip
    body = json.loads(ask(Rehearsal(), request).text)
    return fields_of(form_nodes(stuck.form.schema, body))


def run_of(step_id: UUID):
    with reading() as look:
        return look.runs.get(look.steps.get(step_id).run_id)


def step(step_id: UUID) -> PlannedStep:
    with reading() as look:
        return look.steps.get(step_id)


def act(browser: Browser, step_id: UUID, action: str, fields: Mapping[str, str] = REASON):
    """Send a form of the step's page, which says since when the step waits."""
    seen = {"seen_at": step(step_id).ready_at.isoformat()}
    return browser.post(f"/steps/{step_id}/{action}", {**seen, **fields})


def test_stuck_step_is_shown_everywhere_an_operator_looks(operator: Browser, launch: Callable, stick: Callable):
    study, step_id = launch(), stick("scores.2.value: 11 is above 10")
    run = run_of(step_id)
    for path in ("/", f"/studies/{study}", f"/runs/{run.id}"):
        page = operator.get(path).text
        assert f"/steps/{step_id}" in page, path
        assert "11 is above 10" in page, path
    page = operator.get(f"/steps/{step_id}").text
    assert "11 is above 10" in page
    assert "Write by hand" in page


def test_auditor_sees_why_but_gets_no_form(auditor: Browser, launch: Callable, stick: Callable):
    launch()
    step_id = stick()
    page = auditor.get(f"/steps/{step_id}")
    assert page.status_code == 200
    assert '<form method="post" action="/steps' not in page.text
    assert auditor.post(f"/steps/{step_id}/retry", REASON).status_code == 403


def test_retry_asks_again_with_its_reason_kept(operator: Browser, launch: Callable, stick: Callable):
    launch()
    step_id = stick()
    refused = act(operator, step_id, "retry", {"reason": ""})
    assert refused.status_code == 422
    assert act(operator, step_id, "retry", REASON).url.path == f"/runs/{run_of(step_id).id}"
    assert step(step_id).state == "ready"
    assert REASON["reason"] in operator.get("/interventions").text
    assert act(operator, step_id, "retry", REASON).status_code == 409


def test_document_written_by_hand_moves_the_run_on(
    operator: Browser, launch: Callable, perform: Callable, stick: Callable
):
    study = launch()
    perform(3)
    step_id = stick()
    fields = {**written(step_id), **REASON, "judge_told": "true", "judge_words": "An operator wrote the attack."}
    page = act(operator, step_id, "write", fields)
    assert page.url.path == f"/runs/{run_of(step_id).id}"
    assert "by hand" in page.text
    assert step(step_id).state == "done"
    perform()
    assert run_of(step_id).state == "finished"
    era = operator.get(f"/runs/{run_of(step_id).id}/eras/E1").text
    assert "An operator wrote the attack." in era
    assert "written by hand by olga" in operator.get(f"/runs/{run_of(step_id).id}/documents/E1/attack").text
    assert "✎" in operator.get(f"/studies/{study}").text


def test_unfit_document_comes_back_with_what_to_mend(
    operator: Browser, launch: Callable, stick: Callable, perform: Callable
):
    launch()
    perform(5)
    step_id = stick()
    assert step(step_id).kind == "review"
    fields = {**written(step_id), **REASON}
    wrong = act(operator, step_id, "write", {**fields, "scores.0.value": "8/10"})
    assert wrong.status_code == 422
    assert 'id="problem-scores.0.value"' in wrong.text
    assert 'value="8/10"' in wrong.text
    elsewhere = act(operator, step_id, "write", {**fields, "scores.0.dimension": "timing"})
    assert elsewhere.status_code == 422
    assert "exactly one for each" in elsewhere.text
    wordless = act(operator, step_id, "write", {**fields, "reason": ""})
    assert 'id="problem-reason"' in wordless.text
    assert step(step_id).state == "needs_operator"


def test_judge_is_told_in_words_or_not_at_all(operator: Browser, launch: Callable, stick: Callable):
    launch()
    step_id = stick()
    page = act(operator, step_id, "write", {**written(step_id), **REASON, "judge_told": "true"})
    assert page.status_code == 422
    assert 'id="problem-judge_words"' in page.text


def test_lists_grow_and_shrink_without_scripts(operator: Browser, launch: Callable, stick: Callable, perform: Callable):
    launch()
    perform(5)
    step_id = stick()
    fields = written(step_id)
    length = int(fields["lessons.length"])
    grown = act(operator, step_id, "write", {**fields, "more": "leaks"})
    assert grown.status_code == 200
    assert f'name="leaks.{fields["leaks.length"]}.quote"' in grown.text
    shrunk = act(operator, step_id, "write", {**fields, "fewer": "lessons"})
    assert (f'name="lessons.{length - 1}.text"' in shrunk.text) is (length == 3)


def test_run_is_paused_resumed_and_cancelled_with_reasons(operator: Browser, launch: Callable):
    study = launch()
    with reading() as look:
        run = look.runs.of_study(study)[0]
    reasonless = operator.post(f"/runs/{run.id}/pause", {"reason": ""})
    assert (reasonless.status_code, 'id="problem-pause"' in reasonless.text) == (422, True)
    assert "paused" in operator.post(f"/runs/{run.id}/pause", REASON).text
    assert operator.post(f"/runs/{run.id}/pause", REASON).status_code == 409
    assert "running" in operator.post(f"/runs/{run.id}/resume", REASON).text
    page = operator.post(f"/runs/{run.id}/cancel", REASON).text
    assert "cancelled" in page
    assert "3 interventions" in page
    assert "cancelled" in operator.get(f"/studies/{study}").text
    assert operator.get("/interventions?kind=pause").text.count(REASON["reason"]) == 1
    assert operator.get(f"/studies/{study}/interventions").text.count(REASON["reason"]) == 3


@pytest.mark.parametrize("artifact", BY_HAND)
def test_every_field_that_a_person_fills_says_what_it_means(artifact: type[Written]):
    schema = artifact.model_json_schema()
    parts = schema.get("$defs", {})
    silent = [
        f"{owner['title']}.{name}"
        for owner in (schema, *parts.values())
        for name, part in owner.get("properties", {}).items()
        if "const" not in part
        and not (part.get("description") or _plain(part, parts)[0].get("description") or name in FIELD_WORDS)
    ]
    assert silent == []


def test_home_says_a_reason_once_for_all_steps_of_a_run_that_have_it(operator: Browser, launch: Callable[..., UUID]):
    launch(repetitions=2)
    with unit_of_work() as work:
        work.session.execute(text("update steps set state = 'needs_operator', problem = 'The budget is reached.'"))
        stuck = work.session.execute(text("select count(*) from steps")).scalar_one()
    page = operator.get("/").text
    assert stuck > 2
    assert page.count("The budget is reached.") == 2
    assert page.count('href="/steps/') == stuck
    with unit_of_work() as work:
        work.session.execute(
            text("update steps set problem = 'Another.' where id = (select min(id::text) from steps)::uuid")
        )
    page = operator.get("/").text
    assert page.count("Another.") == 1
