"""The probes that mark text: what they find, what they leave, and how good they are on texts with planted leaks."""

from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.audit import entities
from app.domain.audit.dates import DATES, find_late_dates
from app.domain.audit.entities import ENTITIES, LateName, find_late_names, late_names, late_terms
from app.domain.audit.findings import FindingState, pooled_rate, rate_of
from app.domain.audit.planted import probe_accuracy, vocabulary_accuracy
from app.domain.audit.texts import TextField, sentence_around, text_fields, texts_of, words_in
from app.domain.audit.vocabulary import VOCABULARY, find_late_words, is_late, term_in
from app.domain.world.events import Event, Fate, events_before, events_within
from app.domain.world.first_use import DatedTerm
from app.library import reader
from app.library.planted import planted_texts
from tests.audit.planting import cases_of, names_of, probe
from tests.histories.worlds import world
from tests.protocol.samples import briefing, decision, memo, record_review

ERAS = {era.id: era for era in reader.schedule("history-1990-2040").eras}
RUN_001 = Path(__file__).parents[3] / "shared" / "published" / "runs" / "run-001" / "eras"
DOCUMENTS = ("memo_frontier", "memo_market", "memo_product", "board_decision")


def words(text: str, start: str, told: str = ""):
    return find_late_words(text_fields(text), reader.first_use(), start=start, briefing=text_fields(told))


def dates(text: str, start: date = date(1990, 1, 1), path: str = "rationale", **known: object):
    return find_late_dates((TextField(path, text),), start=start, **known)


def event(name: str, on: str, text: str) -> Event:
    return Event(id=name, on=on, domain="ai", text=text, source="", fate=Fate.NICHE, confidence="high")


def test_prose_is_taken_with_its_path_and_without_ids_or_labels():
    fields = {field.path: field.text for field in texts_of(decision(gate="ten sites pay", deferred=True))}
    assert fields["company_name"] == "Lattice"
    assert fields["chain.layer_owned"] == "the directory"
    assert fields["plan.2"] == "orders"
    assert fields["stop_criteria.0.by"] == "1997-03"
    assert fields["dissents.0.why"] == "too narrow"
    assert fields["deferral.gate"] == "ten sites pay"
    assert not {"kind", "chain.layer", "dissents.0.id", "lessons.0.lesson", "lessons.0.stance"} & set(fields)
    assert [field.path for field in texts_of(briefing())] == [
        "headline",
        "sections.0.heading",
        "sections.0.items.0.text",
        "sections.0.items.1.text",
    ]
    assert "department" not in {field.path for field in texts_of(memo())}
    assert "reveal" in {field.path for field in texts_of(record_review())}


def test_words_are_counted_with_hyphens_as_one():
    assert words_in(text_fields("A well-known maker's list, twice.")) == 5
    assert rate_of(1, 0).reason == "the document has no words"
    assert rate_of(2, 500).value == 4.0


def test_a_sentence_is_found_around_a_span():
    text = "One ends. The second, in 1995, is here! Third?\nA line"
    start = text.index("1995")
    first, last = sentence_around(text, start, start + 4)
    assert text[first:last].strip() == "The second, in 1995, is here!"
    assert sentence_around("alone", 0, 5) == (0, 5)
    assert sentence_around("A. B. C.", 0, 8) == (0, 8)


def test_a_sentence_without_an_end_is_cut_around_the_passage():
    text = "a " * 5_000
    assert sentence_around(text, 4_000, 4_004) == (3_200, 4_804)
    assert sentence_around(f"Before. A{text}", 20, 24) == (8, 824)
    assert sentence_around("a " * 300 + "x. After", 0, 4) == (0, 602)


@pytest.mark.parametrize(
    ("first_use", "start", "late"),
    [
        ("1990", "1990-01", False),
        ("1991", "1990-01", True),
        ("1990-11", "1990-01", True),
        ("1990-11", "1990", False),
        ("1990-01", "1990-01", False),
        ("1989-12", "1990-01", False),
    ],
)
def test_late_means_after_the_month_or_year(first_use: str, start: str, late: bool):
    assert is_late(first_use, start) is late


def test_the_dictionarys_own_cases_are_found():
    precision, recall = vocabulary_accuracy(
        reader.first_use_cases(), lambda case: words(case.text, str(case.era_start))
    )
    assert precision.value is not None
    assert recall.value is not None
    assert precision.value >= 0.97
    assert recall.value >= 0.97


def test_a_word_of_the_briefing_is_known_and_every_use_counts():
    text = "Netscape gives it away. Netscape will be copied."
    found = words(text, "1990-01")
    assert [hit.about for hit in found.hits] == ["Netscape", "Netscape"]
    assert found.rate.value == pytest.approx(1000 * 2 / 8)
    assert text[found.hits[1].start : found.hits[1].end] == found.hits[1].quote == "Netscape"
    assert words(text, "1990-01", told="Netscape sells a browser.").findings == ()


def test_an_older_sense_waits_for_a_person_unless_a_hit_decides_it():
    def term(name: str, pattern: str, *, ambiguous: bool) -> DatedTerm:
        return DatedTerm(name, pattern, "product", "2023", "", 2023, "", ambiguous, "high")

    terms = (
        term("Claude (AI)", r"\bclaude 3\b", ambiguous=False),
        term("Claude (bare)", r"\bclaude\b", ambiguous=True),
    )
    found = find_late_words(text_fields("Claude 3 reads. Claude paints."), terms, start="2014-01")
    assert [hit.about for hit in found.hits] == ["Claude (AI)"]
    assert [review.start for review in found.reviews] == [16]
    assert {review.state for review in found.reviews} == {FindingState.REVIEW}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([case.text for case in reader.first_use_cases()]), max_size=4), st.integers(1985, 2030))
def test_spans_always_quote_the_text_and_later_eras_never_find_more(parts: list[str], year: int):
    fields = tuple(TextField(f"theses.{index}", part) for index, part in enumerate(parts))
    found = find_late_words(fields, reader.first_use(), start=str(year))
    texts = {field.path: field.text for field in fields}
    assert all(texts[each.path][each.start : each.end] == each.quote for each in found.findings)
    later = find_late_words(fields, reader.first_use(), start=str(year + 1))
    assert Counter(hit.about for hit in later.hits) <= Counter(hit.about for hit in found.hits)


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("Mosaic spread in 1993.", ["1993"]),
        ("It closed on 4 March 1994, a Friday.", ["4 March 1994"]),
        ("It was dated 1994-03-04 and signed.", ["1994-03-04"]),
        ("The boom (1995) was short.", ["1995"]),
        ("1995: the market opens.", ["1995"]),
        ("It rose between 1991 and 1994.", ["1991", "1994"]),
        ("Sales grew through the late 1990s.", ["1990"]),
        ("It fell in 1988 and in 1989.", []),
        ("It sold 1995 units to 2000 customers.", []),
        ("The list grew to 2000 sites.", []),
        ("Costs fell by 2001 percent.", []),
        ("It lasts until the year 2999.", []),
        ("We ship in 1992.", []),
        ("Sales may double by 1995.", []),
        ("Prices are forecast for 1995.", []),
        ("Nothing here is dated.", []),
    ],
)
def test_dates_after_the_start_stated_as_fact_are_hits(text: str, quotes: list[str]):
    start = date(1989, 12, 1) if "1990s" in text else date(1990, 1, 1)
    assert [hit.quote for hit in dates(text, start).hits] == quotes


def test_the_same_months_year_is_not_late_and_a_later_month_is():
    assert dates("It opened in June 1990.", date(1990, 6, 1)).findings == ()
    assert [hit.about for hit in dates("It opened in July 1990.", date(1990, 6, 1)).hits] == ["1990-07"]


def test_a_bare_will_about_the_world_and_mixed_sentences_wait_for_a_person():
    assert [each.quote for each in dates("The exchange will open in 1993.").reviews] == ["1993"]
    assert [each.quote for each in dates("It was expected in 1993.").reviews] == ["1993"]
    assert [each.quote for each in dates("The firms, all small, agreed to plan in 1993.").reviews] == ["1993"]
    assert dates("The shared layer may open in 1993.").findings == ()
    assert dates("It was said that it will perhaps open in 1993.").findings == ()
    assert dates("Ten sites by 1993", path="plan.0").findings == ()
    assert [each.why for each in dates("The market opened in 1993", path="plan.0").reviews] == [
        "a past tense in the company's own plan"
    ]


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        (
            "2003: Sell the record apart from the tool; the shared computing capacity layer carries a third.",
            False,
        ),
        ("2003: If the gate is met, build a register of failed trials and sign 9 customers.", False),
        ("2003: Enter the next step, choosing trials by what has not been refuted, with the data of two years.", False),
        ("2003: Enter the next step, parts made to a property, or return the remaining cash.", False),
        ("2003: Every archive is kept as indexed records; licensed copies pay.", False),
        ("2003: An indexed archive carries a fixed-price service, priced from the record.", False),
        ("2003: Indexed archives pay, and shared catalogues follow.", False),
        ("Sell the archive that three firms indexed by 2003.", False),
        ("2003: The shared archive won.", True),
        ("2003: Prices fell.", True),
        ("Sell 40 shared archives by 2003.", False),
        ("Own every trade indexed records serve by 2003.", False),
        ("With the merger closed in 2003.", True),
        ("2003: Sell the record; the exchange closed.", True),
        ("Follow the browser that Acme launched in 2003.", True),
        ("Follow the browser, released in early 2003.", True),
        ("Sell the archive that the firms indexed in 2003.", True),
    ],
)
def test_in_a_plan_only_a_verb_tells_the_past_not_a_participle(text: str, waits: bool):
    found = dates(text, path="plan.1")
    assert bool(found.reviews) is waits
    assert found.hits == ()


def test_the_companys_name_and_the_briefings_years_are_no_leak():
    assert dates("Lattice opens in 1993.", company=("Lattice", "")).findings == ()
    assert dates("It opened in 1993.", briefing=text_fields("The act takes effect in 1993.")).findings == ()


def test_a_name_only_of_the_window_is_a_hit_if_an_event_introduces_it():
    known = [event("a", "1989", "Acme of Ohio sold a chart.")]
    window = [
        event("b", "1991", "Acme introduced Zorbit, a chart reader."),
        event("c", "1992", "Quand & Sons sold a Zorbit 2.0 in Ohio."),
        event("d", "1993", "Plover said that it had bought Zorbit."),
    ]
    names = {name.name: name for name in late_names(known, window)}
    assert names["Zorbit"].introduced
    assert names["Zorbit"].event == "b"
    assert not names["Plover"].introduced
    assert "Acme" not in names
    assert "Ohio" not in names
    found = find_late_names(text_fields("Buy the Zorbit 2.0, or ask Plover. A Zorbit waits."), names.values())
    assert [hit.quote for hit in found.hits] == ["Zorbit"]
    assert [review.quote for review in found.reviews] == ["Zorbit 2.0", "Plover"]
    assert find_late_names(text_fields("A Zorbit waits."), names.values(), known=text_fields("Zorbit")).findings == ()


def test_a_name_first_seen_in_passing_is_introduced_by_a_later_event():
    window = [event("b", "1991", "People spoke of Zorbit."), event("c", "1992", "Acme launched Zorbit.")]
    assert LateName("Zorbit", "c", introduced=True, dated=False) in late_names([], window)


@given(
    st.lists(st.sampled_from(["Zorbit", "Zorbits", "aZorbit", "Zorbit-2", "Plover", " ", "-", ".", "\n"])).map("".join),
    st.sampled_from(["Zorbit", "Zorbit Plover", "Plover"]),
)
def test_a_name_stands_in_a_text_only_as_whole_words_wherever_it_does(text: str, name: str):
    assert entities._holds(text, name) is bool(entities._whole(name).search(text))


def test_a_window_is_held_against_the_terms_that_could_occur_in_it_alone(monkeypatch: pytest.MonkeyPatch):
    looked: list[str] = []

    def look(term: DatedTerm, text: str) -> bool:
        looked.append(term.pattern)
        return term_in(term, text)

    monkeypatch.setattr(entities, "term_in", look)
    era = ERAS["E4"]
    terms = late_terms(reader.first_use(), f"{era.start:%Y-%m}")
    known, window = events_before(reader.events(), era.start), events_within(reader.events(), era.start, era.end)
    names = late_names(known, window, terms)
    assert {one.dated for one in names} == {True, False}
    assert len(looked) < len(names) * len(terms) / 4


def test_a_plain_word_that_opens_a_sentence_waits_for_a_person():
    names = [
        LateName("Switch", "a", introduced=True, dated=False),
        LateName("Napster", "b", introduced=True, dated=True),
    ]
    found = find_late_names(text_fields("Switch suppliers. Napster grew. Buy a Switch."), names)
    assert [hit.quote for hit in found.hits] == ["Napster", "Switch"]
    assert [review.quote for review in found.reviews] == ["Switch"]


def test_names_of_an_invented_world_are_found_too():
    history = world(3)
    window = history.window("F2")
    start, end = date(window.first_year, 1, 1), date(window.first_year + window.years, 1, 1)
    names = late_names(events_before(history.events, start), events_within(history.events, start, end))
    new = [one for one in history.technologies if f"{start.year}" < one.launched_on < f"{end.year}" and one.found_on]
    late = {name.name for name in names}
    young = [one for one in new if one.found_on and one.found_on[:4] >= f"{start.year}"]
    assert all(one.name in late for one in young)


@pytest.mark.parametrize("name", ["vocabulary", "dates", "entities"])
def test_probes_are_good_on_the_planted_file(name: str):
    accuracy = probe_accuracy(cases_of(name))
    assert accuracy.precision.value is not None
    assert accuracy.recall.value is not None
    assert accuracy.precision.value >= 0.95
    assert accuracy.recall.value >= 0.8
    assert accuracy.false_hits.value == 0.0


def test_the_planted_file_holds_thirty_leaks_and_thirty_clean_texts():
    leaks = [case for case in planted_texts() if case.leaks]
    clean = [case for case in planted_texts() if not case.leaks]
    assert len(leaks) >= 30
    assert len(clean) >= 30
    assert all(leak in case.text for case in leaks for leak in case.leaks)
    assert len({case.text for case in planted_texts()}) == len(planted_texts())


def test_accuracy_counts_right_wrong_missed_and_says_when_it_cannot():
    case = next(case for case in planted_texts() if case.probe == "dates" and case.leaks)
    accuracy = probe_accuracy([(probe(case), ("1888",)), (probe(case), (*case.leaks, "1889"))])
    assert (accuracy.right, accuracy.wrong, accuracy.missed) == (1, 1, 2)
    empty = probe_accuracy([])
    assert empty.precision.reason == "there is no hit"
    assert empty.recall.reason == "there is no planted leak"
    assert empty.false_hits.reason == "there is no clean text"


def test_rates_are_pooled_over_documents_by_words():
    counts = [count for count, _ in cases_of("dates")]
    expected = 1000 * sum(len(count.hits) for count in counts) / sum(count.words for count in counts)
    assert pooled_rate(counts).value == pytest.approx(expected)


def test_every_probe_states_how_often_it_errs():
    for one in (VOCABULARY, DATES, ENTITIES):
        assert one.version
        assert one.basis
        assert 0 <= one.false_hits < 1


@pytest.mark.shared
@pytest.mark.parametrize("era", ["E1", "E2", "E3", "E6"])
def test_the_published_pilot_has_no_unambiguous_late_word_and_next_to_no_mark(era: str):
    if not RUN_001.exists():
        pytest.skip("the reference data in ../shared is not here")
    start = ERAS[era].start
    told = text_fields((RUN_001 / era / "world_briefing.md").read_text(encoding="utf-8"))
    for document in DOCUMENTS:
        fields = text_fields((RUN_001 / era / f"{document}.md").read_text(encoding="utf-8"))
        assert find_late_words(fields, reader.first_use(), start=f"{start:%Y-%m}", briefing=told).hits == ()
        assert find_late_words(fields, reader.first_use(), start=f"{start:%Y-%m}").words > 800
        assert find_late_dates(fields, start=start, briefing=told).hits == ()
        assert find_late_names(fields, names_of(start), known=told).hits == ()
