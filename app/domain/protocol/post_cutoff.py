"""Post-cutoff eras: what keeps one from being played, since a model might remember it or its outcome is not out."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from app.domain.protocol.eras import Era, Mode, Schedule
from app.domain.world.events import events_within


def post_cutoff_problems(
    schedules: Iterable[Schedule], cutoffs: Mapping[str, date | None], today: date
) -> tuple[str, ...]:
    """What speaks against the post-cutoff eras of these schedules, each with its mend (protocol section 3).

    ``cutoffs`` are the training cutoffs of all player models by name, None where the registry does not know. An era
    must start after every cutoff, its window must have ended by ``today``, and an added event must lie in it.
    """
    found: dict[str, None] = {}
    for schedule in schedules:
        for era in schedule.eras:
            if era.mode is Mode.POST_CUTOFF:
                found |= dict.fromkeys([*_remembered(era, cutoffs), *_unknown_outcome(era, schedule, today)])
    return tuple(found)


def _remembered(era: Era, cutoffs: Mapping[str, date | None]) -> Iterator[str]:
    for model, cutoff in cutoffs.items():
        if cutoff is None:
            yield (
                f"the training cutoff of {model} is not known, so that no era can be said to lie after it; write it on "
                "the Models page, or choose another player"
            )
        elif era.start <= cutoff:
            yield (
                f"era {era.id} starts on {era.start}, which is not after the training cutoff {cutoff} of {model}; "
                "start it later, or choose another player"
            )


def _unknown_outcome(era: Era, schedule: Schedule, today: date) -> Iterator[str]:
    if era.end > today:
        yield (
            f"era {era.id}: its outcome window ends on {era.end} and is still open on {today}; "
            "end it earlier, or wait until it is closed"
        )
    if not events_within(schedule.events, era.start, era.end):
        yield f"era {era.id}: no added event lies from {era.start} to before {era.end}; add what happened in its window"
