"""H4's calibration through the engine: planted decisions that choose the exact layer give a gap near 0 on the page."""

from collections.abc import Callable
from uuid import UUID

import pytest

from app.domain.protocol.conditions import Condition
from app.exports.levels import Level
from app.library.reader import schedule
from app.services.exports import level_rows
from app.services.results import Choice, show_results
from app.services.unit_of_work import reading
from tests.web.conftest import Browser

pytestmark = pytest.mark.services

SHORT = {"schedule": schedule("history-short"), "conditions": (Condition.SINGLE_PROMPT,), "repetitions": 8}


def test_planted_decisions_give_a_gap_near_0_where_the_study_has_one(
    operator: Browser, launch: Callable[..., UUID], perform: Callable[..., int]
):
    study = launch(**SHORT)
    perform()
    page = operator.get(f"/studies/{study}/results").text
    assert "plan the check <i>Exact layer</i>" in page
    check = {"checks": ["exact_layer"], "judge": "rehearsal/strict", "repetitions": "1", "questions": "1", "seed": "1"}
    started = operator.post(f"/studies/{study}/checks", check)
    assert started.url.path.startswith("/judgings/")
    assert "Being judged by" in operator.get(f"/studies/{study}/results").text
    assert perform() == 24

    with reading() as look:
        results = show_results(look, study, Choice())
        rows = list(level_rows(look, look.studies.get(study), Level.JUDGEMENTS))
    ((line,),) = (one.lines for one in results.calibrations)
    assert (line.name, line.of) == ("gap of planted decisions, training eras", "24 decisions in 8 runs")
    assert results.gaps.mean.value > 1.0
    assert abs(line.value.value) < 0.5
    assert line.p_value < 0.05
    assert line.interval.bounds is not None
    planted = [row for row in rows if row["variant"] == "exact"]
    gaps = [row["frontier_accuracy"] - row["layer_choice"] for row in planted]
    assert sum(gaps) / len(gaps) == pytest.approx(line.value.value)
    shown = operator.get(f"/studies/{study}/results").text
    assert f"<b>{line.value.value:+.2f}</b>".replace("-", "−") in shown
    assert "gap of planted decisions" in operator.get(f"/studies/{study}/audit").text
    assert operator.get(started.url.path).status_code == 200
