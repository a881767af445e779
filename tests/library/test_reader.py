"""The library loads, is consistent, and knows the hash of every file."""

import re
from datetime import date
from hashlib import sha256

import pytest

from app.domain.protocol.eras import Mode
from app.domain.protocol.personas import DEPARTMENTS, Group
from app.domain.protocol.rubrics import RubricId, dimensions_of
from app.domain.world.events import Fate, events_within
from app.library import reader
from app.library.reader import LIBRARY, UnknownScheduleError

PLACES = {"start", "end", "next_start", "department", "voices", "speaker", "lens", "lowest", "highest", "problem"}


def test_the_history_has_the_nine_eras_of_the_protocol():
    schedule = reader.schedule("history-1990-2040")
    starts = [(era.id, era.start.strftime("%Y-%m"), era.mode) for era in schedule.eras]
    training = ["1990-01", "1996-01", "2002-01", "2008-01", "2014-01", "2020-01"]
    assert starts == [
        *((f"E{number}", start, Mode.TRAINING) for number, start in enumerate(training, start=1)),
        ("E7", "2026-09", Mode.LIVE),
        ("E8", "2032-01", Mode.FORECAST),
        ("E9", "2040-01", Mode.FORECAST),
    ]


@pytest.mark.parametrize("schedule", reader.schedules(), ids=lambda one: one.id)
def test_eras_follow_each_other_without_a_gap(schedule):  # noqa: ANN001
    assert all(a.end == b.start for a, b in zip(schedule.eras, schedule.eras[1:], strict=False))


def test_the_short_schedule_is_the_start_of_the_long_one():
    short, long = reader.schedule("history-short"), reader.schedule("history-1990-2040")
    assert short.eras == long.eras[:3]


def test_an_unknown_schedule_is_named_with_those_there_are():
    with pytest.raises(UnknownScheduleError, match="schedule mars: the library has history-1990-2040, history-short"):
        reader.schedule("mars")


def test_layers_are_few_named_and_connected():
    graph = reader.layers()
    assert 14 <= len(graph.layers) <= 18
    assert all(layer.name and layer.about and layer.neighbours for layer in graph.layers)
    reached, frontier = set(), {graph.ids[0]}
    while frontier:
        reached |= frontier
        frontier = {near for one in frontier for near in graph.layer(one).neighbours} - reached
    assert reached == set(graph.ids)


def test_layer_names_use_no_word_of_a_later_day():
    text = " ".join(f"{layer.name} {layer.about}" for layer in reader.layers().layers)
    late = [
        term.term
        for term in reader.first_use()
        if not term.ambiguous and int(term.first_use[:4]) > 1990 and re.search(term.pattern, text, re.IGNORECASE)
    ]
    assert late == []


def test_sixteen_personas_sit_where_the_protocol_puts_them():
    roster = reader.roster()
    sizes = [len(roster.of(group)) for group in Group]
    assert sizes == [4, 4, 4, 3, 1]
    assert len(roster.personas) == 16
    for field in ("id", "name", "title", "lens"):
        assert len({getattr(persona, field) for persona in roster.personas}) == 16
    assert set(roster.titles) == set(Group)
    for group in (*DEPARTMENTS, Group.EXECUTIVE, Group.GOVERNANCE):
        assert [persona.head for persona in roster.of(group)].count(True) == 1


@pytest.mark.parametrize("rubric_id", list(RubricId))
def test_rubrics_say_what_a_gated_pilot_earns(rubric_id: RubricId):
    rubric = reader.rubric(rubric_id)
    assert tuple(dimension.id for dimension in rubric.dimensions) == dimensions_of(rubric_id)
    assert rubric.version == reader.file_hash(f"rubrics/{rubric_id}.toml")[:12]
    for dimension in rubric.dimensions:
        assert "gated pilot without a product" in dimension.caution.lower()
        assert all(dimension.anchors.values())


def test_templates_name_only_places_that_prompts_fill():
    templates = reader.prompt_templates()
    assert set().union(*(template.places for template in templates.values())) == PLACES
    for name, template in templates.items():
        assert template.name == name
        assert template.sha256 == sha256(template.text.encode()).hexdigest()
        assert not re.search(r"\{\{(?![a-z][a-z0-9_]*\}\})", template.text)


def test_the_record_has_enough_events_in_every_six_years():
    events = reader.events()
    assert len({event.id for event in events}) == len(events) == 659
    assert len({event.domain for event in events}) == 10
    for year in range(1984, 2020, 6):
        assert len(events_within(events, date(year, 1, 1), date(year + 6, 1, 1))) >= 91
    assert len(events_within(events, date(2020, 1, 1), date(2026, 9, 1))) >= 91


def test_winners_are_not_the_majority_of_any_window():
    for era in reader.schedule("history-1990-2040").eras[:6]:
        fates = [event.fate for event in events_within(reader.events(), era.start, era.end)]
        assert sum(fate is not Fate.DOMINANT for fate in fates) / len(fates) >= 0.49


def test_every_dated_term_compiles_and_every_case_names_terms_there_are():
    terms = {term.term for term in reader.first_use()}
    assert len(terms) == len(reader.first_use()) == 549
    for term in reader.first_use():
        assert not re.compile(term.pattern, re.IGNORECASE).search("")
        assert int(term.first_use[:4]) <= term.common_from
    cases = reader.first_use_cases()
    assert len(cases) == 150
    assert {name for case in cases for name in case.expected_terms} <= terms


def test_every_data_file_has_its_hash():
    hashes = reader.file_hashes()
    assert {"layers.toml", "prompts/memo.md", "rubrics/record.toml", "world/record.csv"} <= set(hashes)
    for name, value in hashes.items():
        assert value == sha256((LIBRARY / name).read_bytes()).hexdigest() == reader.file_hash(name)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["record.csv", "first_use.csv", "first_use_cases.csv"])
def test_world_files_are_those_of_the_reference(name: str):
    reference = LIBRARY.parents[2] / "shared" / "world" / name
    if not reference.exists():
        pytest.skip("the reference data in ../shared is not here")
    assert sha256(reference.read_bytes()).hexdigest() == reader.file_hash(f"world/{name}")
