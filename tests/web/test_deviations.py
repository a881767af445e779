"""What a study did otherwise than designed: its page, its tab and its export list exactly that, and nothing else."""

import csv
import html
import io
import re
from collections.abc import Callable
from uuid import UUID

import pytest
from sqlalchemy import text

from app.domain.protocol.conditions import Condition
from app.library.reader import schedule
from app.services.unit_of_work import reading, unit_of_work
from tests.web.conftest import Browser
from tests.web.test_mending import REASON, act, written

pytestmark = pytest.mark.services

LINE = re.compile(r"<li>(.*?)</li>", re.DOTALL)
TAGS = re.compile(r"<[^>]+>")


def listed(operator: Browser, study: UUID) -> list[str]:
    page = operator.get(f"/studies/{study}/deviations").text
    body = page[page.index('class="lead"') :]
    return [" ".join(html.unescape(TAGS.sub(" ", item)).split()) for item in LINE.findall(body)]


def exported(operator: Browser, study: UUID) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(operator.get(f"/studies/{study}/exports/deviations.csv").text)))


def counted(operator: Browser, study: UUID) -> int:
    """The number on the tab, as another page of the study has it."""
    return int(re.search(r">Deviations (\d+)</a>", operator.get(f"/studies/{study}/interventions").text).group(1))


def stuck(run: UUID) -> UUID:
    """Let the ready step of a run need an operator."""
    with unit_of_work() as work:
        step = next(step for step in work.steps.of_run(run) if step.state == "ready")
        work.steps.set(step.id, state="needs_operator", problem="the service was away")
        return step.id


@pytest.fixture
def study(launch: Callable[..., UUID]) -> UUID:
    return launch(schedule=schedule("history-short"), conditions=(Condition.SINGLE_PROMPT,), repetitions=3)


def runs_of(study: UUID) -> list[UUID]:
    with reading() as look:
        return [run.id for run in look.runs.of_study(study)]


def test_a_changed_setting_a_dropped_run_and_a_step_by_hand_are_listed_and_nothing_else(
    operator: Browser, study: UUID, perform: Callable[..., int]
):
    first, second, third = runs_of(study)
    assert listed(operator, study) == []
    assert counted(operator, study) == 0
    changed = {**REASON, "model": "rehearsal/bold", "temperature": "0.3"}
    assert act(operator, stuck(first), "retry-changed", changed).url.path == f"/runs/{first}"
    step = stuck(second)
    assert act(operator, step, "write", {**written(step), **REASON}).url.path == f"/runs/{second}"
    assert operator.post(f"/runs/{third}/cancel", {"reason": "it was one too many"}).status_code == 200
    perform()

    reason = REASON["reason"]
    other = "asked of rehearsal/bold, the design says rehearsal/steady"
    assert listed(operator, study) == [
        "single_prompt r03 The run was cancelled before its end.",
        f"single_prompt r02 · E1/decision Written by hand ({reason}).",
        f"single_prompt r01 · E1/decision Retried with changed settings ({reason}); {other}.",
    ]
    assert counted(operator, study) == 3
    rows = exported(operator, study)
    assert [(row["kind"], row["run"], row["step"]) for row in rows] == [
        ("run_missing", "single_prompt r03", ""),
        ("by_hand", "single_prompt r02", "E1/decision"),
        ("setting", "single_prompt r01", "E1/decision"),
    ]
    assert [UUID(row["run_id"]) for row in rows] == [third, second, first]
    assert {row["rehearsal"] for row in rows} == {"yes"}


def test_a_model_that_answered_as_another_version_is_listed(
    operator: Browser, study: UUID, perform: Callable[..., int]
):
    perform()
    first, *_ = runs_of(study)
    other = text("update calls set model_reported = 'steady-next' where run_id = :run and model_asked like '%steady'")
    with unit_of_work() as work:
        work.session.execute(other, {"run": first})
    (line,) = listed(operator, study)
    assert "rehearsal/steady answered as steady-next in 3 calls of 1 run; the design fixes steady." in line
    assert [row["kind"] for row in exported(operator, study)] == ["version"]
