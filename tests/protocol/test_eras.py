"""Schedules are lists of eras in order of time, all real or all fictional."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.protocol.eras import Era, Mode, Schedule


def era(name: str, year: int, mode: Mode = Mode.TRAINING) -> Era:
    return Era(id=name, start=date(year, 1, 1), end=date(year + 6, 1, 1), mode=mode)


def test_an_era_ends_after_its_start():
    with pytest.raises(ValueError, match="era E1: end 1990-01-01 must lie after start 1990-01-01"):
        Era(id="E1", start=date(1990, 1, 1), end=date(1990, 1, 1), mode=Mode.TRAINING)


@pytest.mark.parametrize(
    ("eras", "message"),
    [
        ((), "eras must not be empty"),
        ((era("E1", 1990), era("E1", 1996)), "era ids must differ"),
        ((era("E1", 1996), era("E2", 1990)), "eras must be in order of their start"),
        ((era("E1", 1990), era("E2", 1990)), "eras must be in order of their start"),
        ((era("E1", 1990), era("E2", 1996, Mode.FICTIONAL)), "eras must be all real or all fictional"),
    ],
)
def test_a_list_that_is_no_schedule_is_refused(eras: tuple[Era, ...], message: str):
    with pytest.raises(ValueError, match=f"schedule s: {message}"):
        Schedule(id="s", title="S", eras=eras)


@given(st.lists(st.integers(1900, 2100), min_size=1, max_size=9, unique=True))
def test_eras_know_their_neighbours(years: list[int]):
    eras = tuple(era(f"E{number}", year) for number, year in enumerate(sorted(years), start=1))
    schedule = Schedule(id="s", title="S", eras=eras)
    for position, one in enumerate(eras):
        assert schedule.position(one.id) == position
        assert schedule.era(one.id) is one
        assert schedule.ids_before(one.id) == {earlier.id for earlier in eras[:position]}
        assert schedule.before(one.id) == (eras[position - 1] if position else None)
        assert schedule.after(one.id) == (eras[position + 1] if position + 1 < len(eras) else None)


def test_an_unknown_era_is_a_key_error():
    schedule = Schedule(id="s", title="S", eras=(era("E1", 1990),))
    with pytest.raises(KeyError):
        schedule.position("E2")


def test_a_fictional_schedule_stands_by_itself():
    eras = (era("F1", 1990, Mode.FICTIONAL), era("F2", 1996, Mode.FICTIONAL))
    assert Schedule(id="f", title="F", eras=eras).eras == eras


@pytest.mark.parametrize(
    ("mode", "has_outcome"),
    [
        (Mode.TRAINING, True),
        (Mode.FICTIONAL, True),
        (Mode.POST_CUTOFF, True),
        (Mode.LIVE, False),
        (Mode.FORECAST, False),
    ],
)
def test_claims_are_tagged_where_no_outcome_is_on_record(mode: Mode, has_outcome: bool):
    assert mode.has_outcome is has_outcome
    assert mode.tags_claims is not has_outcome


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.integers(-4_000, 0))
def test_no_era_runs_backwards(start: date, days: int):
    with pytest.raises(ValueError, match="must lie after start"):
        Era(id="E", start=start, end=start + timedelta(days=days), mode=Mode.LIVE)
