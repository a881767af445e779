"""Invented worlds: the same for a seed, free of contradictions, rich enough to brief from, and true to their market."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from app.domain.engine.material import Library
from app.domain.protocol.briefings import draw_briefing
from app.domain.protocol.eras import Mode
from app.domain.protocol.fictional import fictional_layers, fictional_schedule, true_profits
from app.domain.protocol.layers import LayerDistance
from app.domain.protocol.rubrics import RubricId
from app.domain.scoring.captures import layer_distance, pooled_layers
from app.domain.world.briefings import pool_of
from app.domain.world.events import Fate, events_before, events_within
from app.domain.world.histories.contradictions import contradictions, recomputed_ranking
from app.domain.world.histories.documents import history_bytes, history_hash
from app.domain.world.histories.generator import THEMES, VERSION, invent_history
from app.library import reader
from tests.histories.worlds import taken, world

SOME = range(24)
PROJECT = Path(__file__).parents[2]
HASH_IN_ANOTHER_PROCESS = (
    "from tests.histories.worlds import world;"
    "from app.domain.world.histories.documents import history_hash;"
    "print(history_hash(world(5)))"
)


def test_the_same_seed_gives_the_same_bytes():
    assert history_bytes(invent_history(5, taken())) == history_bytes(invent_history(5, taken()))
    assert history_bytes(world(5)) != history_bytes(world(6))


def test_the_same_seed_gives_the_same_bytes_in_a_process_that_hashes_otherwise():
    found = subprocess.run(
        [sys.executable, "-c", HASH_IN_ANOTHER_PROCESS],
        env={**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == history_hash(world(5))


@pytest.mark.untraced
@pytest.mark.parametrize("block", range(8))
def test_a_thousand_seeds_make_no_contradiction(block: int):
    words_only = replace(taken(), patterns=())  # the dictionary's patterns cost half the time and never bear on facts
    for seed in range(block * 125, (block + 1) * 125):
        eras = 6 if seed < 250 else 2  # the whole length for a quarter: a world costs as much as its years
        assert contradictions(invent_history(seed, words_only, eras=eras)) == (), seed


@pytest.mark.parametrize("eras", [1, 9])
@pytest.mark.parametrize("years", [3, 10])
def test_other_lengths_make_no_contradiction(eras: int, years: int):
    for seed in range(6):
        history = invent_history(seed, taken(), eras=eras, years_per_era=years)
        assert contradictions(history) == ()
        assert len(history.windows) == eras
        assert history.last_year - history.first_year + 1 == 8 + eras * years


@pytest.mark.parametrize(
    ("eras", "years", "message"),
    [(0, 6, "eras: 0"), (10, 6, "eras: 10"), (6, 2, "years_per_era"), (6, 11, "years")],
)
def test_absurd_lengths_are_refused(eras: int, years: int, message: str):
    with pytest.raises(ValueError, match=message):
        invent_history(1, taken(), eras=eras, years_per_era=years)


def test_no_name_occurs_in_the_record_or_the_dictionary():
    texts = [f"{event.id} {event.text} {event.source}" for event in reader.events()]
    texts += [f"{term.term} {term.sense} {term.source}" for term in reader.first_use()]
    real = " ".join(texts).lower()
    for seed in SOME:
        for name in world(seed).names:
            assert name.lower() not in real


def test_the_true_ranking_is_that_of_the_trades():
    for seed in SOME:
        history = world(seed)
        for window in history.windows:
            assert tuple((each.layer, each.profit) for each in window.profits) == recomputed_ranking(
                history, window.era
            )
            assert window.ranking == tuple(true_profits(history, window.era))
            assert {*window.ranking} == {layer.id for layer in history.layers}


def test_profit_moves_and_no_place_in_the_stack_owns_the_truth():
    tops = Counter((world(seed).coin, window.ranking[0]) for seed in SOME for window in world(seed).windows)
    assert all(len({window.ranking[0] for window in world(seed).windows}) > 1 for seed in SOME)
    assert max(tops.values()) <= 0.1 * tops.total()


def test_every_domain_of_the_record_is_heard_in_every_year():
    domains = {event.domain for event in reader.events()}
    for seed in SOME:
        history = world(seed)
        heard = {(event.domain, int(event.on[:4])) for event in history.events}
        years = range(history.first_year, history.last_year + 1)
        assert heard == {(domain, year) for domain in domains for year in years}


def test_windows_are_as_full_as_those_of_the_record_and_winners_are_few():
    for seed in SOME:
        history = world(seed)
        for era in fictional_schedule(history).eras:
            inside = events_within(history.events, era.start, era.end)
            assert len(inside) >= 70
            assert sum(event.fate is not Fate.DOMINANT for event in inside) / len(inside) >= 0.49
        fates = Counter(event.fate for event in history.events)
        assert fates[Fate.DOMINANT] >= 20


def test_sentences_vary():
    for seed in SOME:
        texts = [event.text for event in world(seed).events]
        starts = Counter(" ".join(text.split()[-4:]) for text in texts)
        assert len(set(texts)) == len(texts)
        assert starts.most_common(1)[0][1] <= 0.03 * len(texts)
        assert not any("{" in text or "  " in text or " a a" in text for text in texts)


def test_a_world_plugs_into_drawn_briefings_layers_and_a_schedule():
    history = world(3)
    schedule = fictional_schedule(history)
    graph = fictional_layers(history)
    assert {era.mode for era in schedule.eras} == {Mode.FICTIONAL}
    assert len(schedule.eras) == 6
    assert all(a.end == b.start for a, b in zip(schedule.eras, schedule.eras[1:], strict=False))
    assert 9 <= len(graph.ids) <= 11
    briefing, used = draw_briefing(pool_of(history.events, schedule.eras[0].start), facts=22, seed="1")
    known = {event.id: event for event in events_before(history.events, schedule.eras[0].start)}
    assert len(briefing.sections) == 6
    assert {known[name].last_day < schedule.eras[0].start for name in used} == {True}


def test_signs_of_the_coming_scarcity_lie_before_its_era():
    for seed in SOME:
        history = world(seed)
        first = history.window("F1").first_year
        early = [each for each in history.happenings if each.kind == "sign" and int(each.event.on[:4]) < first]
        assert len(early) >= 4


def test_every_craft_is_found_and_titles_tell_the_years():
    titles = {world(seed).title.split(",")[0].lower() for seed in SOME}
    assert titles == {theme.title for theme in THEMES}
    assert world(1).title.endswith(f"{world(1).window('F1').first_year} to {world(1).last_year + 1}")


def test_an_unknown_era_has_no_window():
    with pytest.raises(KeyError, match="F99"):
        world(1).window("F99")


def test_the_first_event_lies_in_the_first_year():
    history = world(2)
    assert history.events[0].first_day >= date(history.first_year, 1, 1)


def test_a_changed_world_needs_a_new_version():
    """Studies name a seed and a version: when this hash must change, change the generator's VERSION too."""
    assert (VERSION, history_hash(world(1))[:16]) == ("2", "54cf886ae7e2c4cc")


def test_worlds_of_the_first_version_stay_as_they_were():
    assert history_hash(invent_history(1, taken(), version="1"))[:16] == "4e06c623f6868131"
    assert contradictions(invent_history(2, taken(), version="1")) == ()
    with pytest.raises(ValueError, match="version: 0 is none of 1, 2"):
        invent_history(1, taken(), version="0")


def test_who_doubts_a_technology_pays_when_it_is_sold():
    for seed in SOME:
        told = world(seed).happenings
        wagers = [each.subjects for each in told if each.kind == "wager"]
        assert len(wagers) >= 3
        assert all(each.subjects in wagers for each in told if each.kind == "payment")


def test_a_world_stands_in_for_the_record_in_a_studys_library():
    history = world(3)
    rubrics = {name: reader.rubric(name) for name in RubricId}
    library = Library(fictional_layers(history), reader.roster(), rubrics, history.events)
    for era in fictional_schedule(history).eras:
        known, outcomes = library.known(era), library.outcomes(era)
        assert len(known) >= 60
        assert len(outcomes) >= 70
        assert max(event.on for event in known) < era.start.isoformat()
        pooled = pooled_layers(true_profits(history, era.id))
        distances = {layer_distance(layer, pooled, library.layers) for layer in library.layers.ids}
        assert LayerDistance.MATCH in distances
        assert LayerDistance.MISS in distances
