"""A post-cutoff era lies after every player's cutoff, its window has ended, and something is known of it."""

from datetime import date

import pytest

from app.domain.protocol.eras import Era, Mode, Schedule
from app.domain.protocol.post_cutoff import post_cutoff_problems
from app.domain.world.events import Event, Fate

TODAY = date(2026, 11, 30)
CUTOFFS = {"lab/one": date(2026, 1, 31), "lab/two": date(2025, 6, 30)}


def event(on: str = "2026-03", number: int = 1) -> Event:
    return Event(f"own-{number:03d}", on, "ai", f"Something {number}.", "A source", Fate.UNRESOLVED, "user")


def schedule(start: date = date(2026, 2, 1), end: date = date(2026, 8, 1), on: str = "2026-03") -> Schedule:
    era = Era(id="P1", start=start, end=end, mode=Mode.POST_CUTOFF)
    return Schedule(id="mine", title="Mine", eras=(era,), events=(event(on),))


def test_an_era_after_every_cutoff_with_a_closed_window_is_played():
    assert post_cutoff_problems([schedule()], CUTOFFS, TODAY) == ()
    assert post_cutoff_problems([schedule(end=TODAY)], CUTOFFS, TODAY) == ()
    training = Era(id="E1", start=date(1990, 1, 1), end=date(1996, 1, 1), mode=Mode.TRAINING)
    assert post_cutoff_problems([Schedule(id="s", title="S", eras=(training,))], {"lab/none": None}, TODAY) == ()


@pytest.mark.parametrize(
    ("made", "cutoffs", "words"),
    [
        (
            schedule(start=date(2026, 1, 31)),
            CUTOFFS,
            "era P1 starts on 2026-01-31, which is not after",
        ),
        (schedule(), {"lab/none": None}, "the training cutoff of lab/none is not known"),
        (schedule(end=date(2026, 12, 1)), CUTOFFS, "era P1: its outcome window ends on 2026-12-01 and is still open"),
        (schedule(on="2025-03"), CUTOFFS, "era P1: no added event lies from 2026-02-01"),
    ],
)
def test_what_speaks_against_an_era_is_named_with_its_mend(made: Schedule, cutoffs: dict, words: str):
    (problem,) = post_cutoff_problems([made], cutoffs, TODAY)
    assert words in problem
    assert any(mend in problem for mend in ("; start it", "; write it", "; end it", "; add what"))


def test_a_schedule_keeps_its_added_events_and_one_without_says_nothing_of_them():
    kept = schedule()
    assert Schedule.model_validate_json(kept.model_dump_json()) == kept
    bare = Schedule(id="s", title="S", eras=kept.eras)
    assert set(bare.model_dump()) == {"id", "title", "eras"}
    assert not kept.is_fictional


@pytest.mark.parametrize(
    ("events", "mode", "words"),
    [
        ((event(),), Mode.TRAINING, "it has none"),
        ((event("soon"),), Mode.POST_CUTOFF, "is no date"),
        ((event(), event("2026-04")), Mode.POST_CUTOFF, "ids of events must differ"),
    ],
)
def test_events_that_fit_no_schedule_are_refused(events: tuple[Event, ...], mode: Mode, words: str):
    era = Era(id="P1", start=date(2026, 2, 1), end=date(2026, 8, 1), mode=mode)
    with pytest.raises(ValueError, match=words):
        Schedule(id="s", title="S", eras=(era,), events=events)
