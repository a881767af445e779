"""The report of a closed panel as pages, plots and files."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from app.domain.agreement import agreement
from app.domain.rating.scales import RatingRubric
from app.services.agreement_reports import typeset_agreement
from app.services.panel_pages import settle
from app.services.unit_of_work import reading, unit_of_work
from app.web.agreement import TABS
from tests.agreement_report.closed_panels import closed_panel, frame
from tests.agreement_report.simulated import CASES, RUBRIC, SAID, WITH_NAMES, varied

PLOTS = ("pairs", "bland-altman", "heatmap", "severity", "drift", "judge")


def scores(count: int, seed: int = 3) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {one.id: varied(rng, count, 1)[:, 0] for one in RUBRIC.dimensions}


def hash_of(panel_id: Any) -> str:
    with reading() as look:
        return look.panels.get(panel_id).locked_hash or ""


def test_every_tab_of_the_report_opens_as_a_page_and_as_a_part(auditor: Any):
    panel_id = closed_panel(scores=scores(32))
    for tab in TABS:
        for dimension in ("", "timing", "composite-score"):
            address = f"/panels/{panel_id}/report?tab={tab}&dimension={dimension}"
            whole = auditor.get(address)
            assert whole.status_code == 200
            assert "<html" in whole.text
            assert "style=" not in whole.text
            part = auditor.part(address)
            assert part.status_code == 200
            assert part.text.lstrip().startswith('<div id="agreement">')
    assert hash_of(panel_id) in auditor.get(f"/panels/{panel_id}/report").text


@pytest.mark.parametrize("case", list(CASES))
def test_the_report_finds_the_words_for_each_hard_case(auditor: Any, case: str):
    draw, more = CASES[case]
    panel_id = closed_panel(draw, **more)
    page = auditor.get(f"/panels/{panel_id}/report").text.replace("&#39;", "'")
    assert SAID[case] in page
    assert not re.search(r"(?<![\w-])nan(?![\w-])", page.lower())  # tokens hold any letters


def test_bands_can_be_switched_off(auditor: Any):
    panel_id = closed_panel()
    assert "by the lower limit" in auditor.get(f"/panels/{panel_id}/report").text
    without = auditor.get(f"/panels/{panel_id}/report?bands=off").text
    assert "by the lower limit" not in without
    assert "not reliable" not in without


def test_an_open_panel_has_no_report_anywhere(auditor: Any):
    panel_id = closed_panel(close=False, scores=scores(32))
    for path in ("", ".pdf", "/files/agreement.json", "/plots/timing/judge.svg", f"/comparison.json?other={uuid4()}"):
        answer = auditor.get(f"/panels/{panel_id}/report{path}")
        assert answer.status_code in {409, 422}, path
        assert "alpha" not in answer.text.lower()
    assert "Agreement</a>" not in auditor.get(f"/panels/{panel_id}").text


def test_what_does_not_exist_answers_404(auditor: Any):
    panel_id = closed_panel()
    base = f"/panels/{panel_id}/report"
    for path in ("?tab=secret", "?dimension=secret", "/files/other.md", "/plots/timing/pie.svg"):
        assert auditor.get(base + path).status_code == 404, path
    for path in ("/plots/timing/pairs.gif", "/plots/timing/judge.svg", "/plots/secret/pairs.svg"):
        assert auditor.get(base + path).status_code == 404, path
    assert auditor.get(f"/panels/{uuid4()}/report").status_code == 404


def test_plots_come_in_every_form(auditor: Any):
    panel_id = closed_panel(scores=scores(32))
    for name in PLOTS:
        base = f"/panels/{panel_id}/report/plots/timing/{name}"
        assert auditor.get(f"{base}.svg?theme=dark&size=narrow").text.startswith("<svg")
        assert auditor.get(f"{base}.pdf").content.startswith(b"%PDF")
        assert "title" in auditor.get(f"{base}.json").json()
        assert "title" not in auditor.get(f"{base}.json?titles=off").json()
        assert len(auditor.get(f"{base}.csv").text.splitlines()) > 3


def test_a_plot_says_its_title_and_notes_in_the_page_before_its_picture(auditor: Any):
    html = auditor.get(f"/panels/{closed_panel(scores=scores(32))}/report?tab=raters&dimension=timing").text
    figure = html[html.index('<figure class="sheet plot" id="severity"') :]
    title, note, picture = (figure.index(text) for text in ("how much each rater scores", "rater effects", "<picture>"))
    assert title < note < picture
    assert 'id="severity-title"' in figure
    assert figure.count("titles=off") >= 5


def test_settled_values_change_no_number(operator: Any):
    panel_id = closed_panel()
    before = operator.get(f"/panels/{panel_id}/report/files/agreement.json").json()
    with unit_of_work() as work:
        for item in work.panels.rated_items(panel_id)[:5]:
            settle(work, panel_id, item.id, "timing", 0, reason="so decided", made_by=None)
    after = operator.get(f"/panels/{panel_id}/report/files/agreement.json").json()
    assert after.pop("adjudicated_values_not_used") == 5
    assert before.pop("adjudicated_values_not_used") == 0
    assert before == after
    assert "5 values were settled" in operator.get(f"/panels/{panel_id}/report").text


def test_the_long_csv_alone_gives_the_reports_numbers(auditor: Any):
    panel_id = closed_panel(scores=scores(32))
    text = auditor.get(f"/panels/{panel_id}/exports/ratings-long.csv").text
    found = auditor.get(f"/panels/{panel_id}/report/files/agreement.json").json()
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["dimension"] == "timing" and row["occasion"] == "1"]
    items, raters = sorted({row["item"] for row in rows}), sorted({row["rater"] for row in rows})
    table = np.full((len(items), len(raters)), np.nan)
    for row in rows:
        table[items.index(row["item"]), raters.index(row["rater"])] = float(row["value"])
    runs = {row["item"]: row["run"] for row in rows}
    mine = agreement(table, scale=(0, 10), clusters=[runs[item] for item in items], resamples=0)
    for name in ("alpha_interval", "alpha_ordinal", "icc_a1", "icc_ak"):
        theirs = found["dimensions"]["timing"]["statistics"][name]
        assert theirs["value"] == pytest.approx(mine.dimensions["value"].statistics[name].value, abs=1e-12)
        assert theirs["ci95"] == pytest.approx(mine.dimensions["value"].statistics[name].ci95, abs=1e-9)
    assert {row["panel_hash"] for row in rows} == {found["panel_hash"]}


def test_files_carry_the_hash_and_say_what_they_mean(auditor: Any):
    panel_id = closed_panel(scores=scores(60), rubric=WITH_NAMES, stratified=True)
    base = f"/panels/{panel_id}/report/files"
    digest = hash_of(panel_id)
    statistics = list(csv.DictReader(io.StringIO(auditor.get(f"{base}/agreement-statistics.csv").text)))
    assert {row["panel_hash"] for row in statistics} == {digest}
    assert {row["dimension"] for row in statistics} == {"frontier_accuracy", "timing", "kind", "composite-score"}
    dictionary = auditor.get(f"{base}/agreement-dictionary.md").text
    assert digest in dictionary
    assert all(f"`{name}`" in dictionary for name in statistics[0])
    whole = json.loads(auditor.get(f"{base}/agreement.json").text)
    assert whole["panel_hash"] == digest
    assert whole["dimensions"]["timing"]["population"]["alpha_interval"]["value"] is not None
    assert whole["dimensions"]["kind"]["statistics"]["icc_a1"]["reason"]
    assert "Kind" in auditor.get(f"/panels/{panel_id}/report?tab=dimension&dimension=kind").text
    for tab in ("raters", "items", "judge"):
        assert "names" in auditor.get(f"/panels/{panel_id}/report?tab={tab}&dimension=kind").text


def test_the_report_is_set_on_paper_with_the_hash(auditor: Any):
    panel_id = closed_panel(scores=scores(32))
    answer = auditor.get(f"/panels/{panel_id}/report.pdf?bands=off")
    assert answer.content.startswith(b"%PDF")
    with reading() as look:
        made = typeset_agreement(look, panel_id, bands=True)
    assert hash_of(panel_id) in made.report.footer
    assert {"composite-score-heatmap.pdf", "timing-pairs.pdf"} <= set(made.pictures)


def test_a_panel_of_one_dimension_has_all_its_plots_on_paper(auditor: Any):
    one = RatingRubric(id="one", title="One", dimensions=RUBRIC.dimensions[:1])
    panel_id = closed_panel(rubric=one)
    with reading() as look:
        made = typeset_agreement(look, panel_id, bands=True)
    assert "frontier_accuracy-drift.pdf" in made.pictures


def test_two_panels_are_compared_on_the_items_they_share(auditor: Any):
    shared = frame(30, 15, scores(30))
    first = closed_panel(name="First", source=shared)
    assert "No other closed panel" in auditor.get(f"/panels/{first}/report?tab=compare").text
    second = closed_panel(name="Second", source=frame(34, 15, scores(34, seed=9)), items=34, seed=11)
    page = auditor.get(f"/panels/{first}/report?tab=compare&other={second}").text
    assert "First less Second, on 30 shared items" in page
    body = auditor.get(f"/panels/{first}/report/comparison.json?other={second}").json()
    assert body["unshared_items"] == [0, 4]
    assert body["panel_hashes"] == [hash_of(first), hash_of(second)]
    assert body["dimensions"]["timing"]["judges"]["bias"]["first_less_second"]["ci95"]


def test_a_rehearsals_items_mark_everything(auditor: Any):
    source = frame(20, 10, scores(20))
    for one in source:
        one.strata["model"] = "rehearsal/steady"
    source[0] = replace(source[0], intervened=True)
    panel_id = closed_panel(source=source, items=20)
    assert "rehearsal" in auditor.get(f"/panels/{panel_id}/report").text
    assert auditor.get(f"/panels/{panel_id}/report/files/agreement.json").json()["mark"]
    plot = auditor.get(f"/panels/{panel_id}/report/plots/timing/pairs.json").text
    assert "ehearsal" in plot
    assert "1 item of 20 from an era with an intervention." in plot


def test_reports_are_computed_once_and_few_are_kept(auditor: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.services.agreement_reports.MOST_KEPT", 1)
    for panel_id in [closed_panel(items=8), closed_panel(items=8)] * 2:
        assert auditor.get(f"/panels/{panel_id}/report").status_code == 200
