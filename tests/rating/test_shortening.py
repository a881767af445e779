"""Short packets: entries from the first to the last, and a word on how many of them are left."""

import re

from app.domain.rating.packets import Packet, Section
from app.domain.rating.shortening import OUTCOME_WORDS, SECTION_WORDS, Rules, shortened

YEARS = range(2019, 2025)


def cut(text: str, *, rules: Rules = Rules.EVEN, name: str = "briefing", outcome: bool = False) -> str:
    section = Section(id=name, title="T", text=text, outcome=outcome)
    return shortened(Packet(sections=(section,)), rules).sections[0].text


def events(per_month: int = 2) -> str:
    dates = [f"{year}-{month:02d}" for year in YEARS for month in range(1, 13) for _ in range(per_month)]
    return "\n".join(f"{n}. {date}-01, models: {'word ' * 12}" for n, date in enumerate(dates, start=1))


def test_shown_events_reach_over_the_whole_window_as_many_in_every_year():
    text = cut(events(), name="outcome", outcome=True)
    shown = re.findall(r"^\d+\. (\d{4})-", text, re.MULTILINE)
    counts = [shown.count(str(year)) for year in YEARS]
    assert max(counts) - min(counts) <= 1
    assert "2019-01" in text
    assert "2024-12" in text
    assert text.startswith(f"*Shortened: {len(shown)} of 144 entries are shown")
    assert SECTION_WORDS < len(text.split()) <= OUTCOME_WORDS + 14
    assert text == cut(events(), name="outcome", outcome=True)


def test_every_heading_stays_and_later_sections_keep_entries():
    text = "\n\n".join(
        f"### Part {part}\n\n" + "\n".join(f"- {part}.{n} {'word ' * 20}\n  and on" for n in range(6))
        for part in "abcd"
    )
    short = cut(text)
    assert [short.count(f"### Part {part}") for part in "abcd"] == [1] * 4
    assert all(f"- {part}." in short for part in "abcd")
    assert short.count("and on") == len(re.findall(r"^- ", short, re.MULTILINE))


def test_paragraphs_stay_apart_and_a_table_whole():
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 30
    text = "\n\n".join([f"{table}", *(f"p{n} {'word ' * 30}" for n in range(12))])
    assert "\n\np11 word" in cut(text)
    assert table.strip() in cut(text)
    assert cut("# Empty\n\n" + text).startswith("*Shortened")


def test_what_is_short_or_one_piece_or_the_decision_stays():
    assert cut("one\n\n\n\ntwo") == "one\n\ntwo"
    assert cut("word " * 900) == "word " * 900
    assert cut(events(), name="decision") == events()
    assert cut("\n\n".join(["word " * 300] * 3)).startswith("*Shortened: 1 of 3")


def test_panels_locked_under_the_first_rules_keep_their_cut():
    text = "\n".join(["word " * 100] * 4)
    short = cut(text, rules=Rules.FIRST)
    assert short.endswith("[shortened]")
    assert len(short.split()) == 201
    assert cut("one\n\n\n\ntwo", rules=Rules.FIRST) == "one\n\ntwo"


def test_a_short_packet_has_fewer_words():
    packet = Packet(sections=(Section(id="briefing", title="T", text=events()),))
    assert shortened(packet).words < packet.words == len(events().split())
