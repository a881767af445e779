"""The filters that pages share."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.templating import duration, marked, moment, money, prose, roughly, short_hash, signed, spans

TEMPLATES = Path(__file__).parents[2] / "templates"
LINK = re.compile(r"<a\b.*?</a>")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "–"),
        (0, "0 s"),
        (0.4, "0.4 s"),
        (38.2, "38 s"),
        (240, "4 min"),
        (7_800, "2 h 10 min"),
        (260_000, "3 days"),
    ],
)
def test_duration_reads_well(seconds: float | None, words: str):
    assert duration(seconds) == words


def test_a_guessed_duration_has_no_tenths():
    assert [roughly(seconds) for seconds in (0.2, 8.3, 9.96, 38.2, 240)] == ["1 s", "8 s", "10 s", "38 s", "4 min"]


def test_money_keeps_the_digits_that_matter():
    assert [money(None), money(0.0), money(0.0042), money(1234.5)] == [
        "price not known",
        "US$0.00",
        "US$0.0042",
        "US$1,234.50",
    ]


def test_moment_carries_utc():
    at = datetime(2026, 11, 30, 9, 41, 7, tzinfo=UTC)
    assert 'title="2026-11-30 09:41:07 UTC"' in moment(at)
    assert moment(None) == "never"


def test_model_text_is_rendered_and_cleaned():
    html = prose("**bold** <script>alert(1)</script> [link](javascript:alert(1)) ![](http://x.example/a.png)\n\n- item")
    assert "<strong>bold</strong>" in html
    assert "<li>item</li>" in html
    for gone in ("<script", "<a", "<img", "href"):
        assert gone not in html


def test_marks_stay_inside_clean_markup():
    html = marked("One **two** three.\n\nFour & five <b>.", ("two** three.\n\nFour", "five <b>", ""))
    assert html.count("<mark>") >= 1
    assert "<b>" not in html
    assert spans("a < b, c", ("a < b",)) == "<mark>a &lt; b</mark>, c"
    assert "\ue000" not in prose("\ue000odd\ue001")


def test_short_forms():
    assert short_hash("7be1aaaac902") == "7be1…c902"
    assert short_hash(None) == "–"
    assert [signed(0.44), signed(-0.3)] == ["+0.4", "−0.3"]


def test_every_link_to_a_report_on_paper_says_that_it_is_being_made():
    texts = [file.read_text(encoding="utf-8") for file in TEMPLATES.rglob("*.html")]
    links = [link for text in texts for link in LINK.findall(text)]
    reports = [link for link in links if re.search(r"'(?:agreement\.pdf|exports\.(?:study|run)_report)'", link)]
    assert len(reports) == 3
    assert all('data-making="' in link for link in reports)
    assert 'id="making" role="status"' in (TEMPLATES / "base.html").read_text(encoding="utf-8")
