"""Results with and without what carries an intervention: which runs and eras stay, and the sentence that says so."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from app.domain.protocol.analysis import Treatment
from app.domain.scoring.scored_eras import without_interventions
from app.domain.study import StudyDesign
from app.domain.wording import counted
from app.services.judged_runs import StudiedRun
from app.services.scales import Scale

NAMED = 4
"""Up to so many runs or eras are named, more are counted."""


@dataclass(frozen=True, slots=True)
class Touched:
    """What carries an intervention that changes results: whole runs, and eras of the other runs."""

    runs: tuple[str, ...] = ()
    eras: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.runs or self.eras)

    @property
    def words(self) -> str:
        """Both in words, named where they are few."""
        return " and ".join(filter(None, (_listed(self.runs, "run", "whole "), _listed(self.eras, "era", ""))))

    @property
    def is_one(self) -> bool:
        """Whether a single thing is named: for the verb."""
        return len(self.runs) + len(self.eras) == 1


def touched_by(runs: Sequence[StudiedRun], scale: Scale) -> Touched:
    """What an analysis without interventions leaves out of a scale's scores: whole runs, else single judged eras."""
    judged = [(run, [era for era in run.judged.eras if scale.holds(era.mode)]) for run in runs]
    whole = tuple(run.label for run, eras in judged if eras and run.judged.intervened)
    single = ((run, era) for run, eras in judged if not run.judged.intervened for era in eras if era.intervened)
    return Touched(whole, tuple(f"{run.label} {era.era}" for run, era in single))


def touched_in(runs: Sequence[StudiedRun], places: Container[tuple[int, str]] | None = None) -> Touched:
    """The same over eras of every kind, judged or not yet: what an audit without interventions leaves out.

    ``places`` are run numbers and eras, where only some of them are meant.
    """
    meant = ((run, era) for run in runs if not run.judged.intervened for era in sorted(run.touched))
    single = (f"{run.label} {era}" for run, era in meant if places is None or (run.record.number, era) in places)
    return Touched(tuple(run.label for run in runs if run.judged.intervened), tuple(single))


def touched_places(runs: Sequence[StudiedRun]) -> frozenset[tuple[UUID, str | None]]:
    """The same as run and era, None for the run as a whole."""
    whole = {(run.record.id, None) for run in runs if run.judged.intervened}
    return frozenset(whole | {(run.record.id, era) for run in runs for era in run.touched})


def chosen_treatment(word: str, design: StudyDesign) -> Treatment:
    """The treatment of that name, else the one of the design's main analysis."""
    return Treatment(word) if word in set(Treatment) else design.analysis.interventions


def treated(runs: Sequence[StudiedRun], treatment: Treatment) -> tuple[StudiedRun, ...]:
    """The runs as a treatment of interventions takes them."""
    if treatment is Treatment.KEEP:
        return tuple(runs)
    return tuple(_without_interventions(run) for run in runs if not run.judged.intervened)


def treatment_words(touched: Touched, treatment: Treatment) -> str:
    """What stands under a figure or table; empty where nothing carries an intervention."""
    if not touched:
        return ""
    if treatment is Treatment.KEEP:
        return f"With interventions: {touched.words} {'carries' if touched.is_one else 'carry'} one."
    return f"Without interventions: {touched.words} left out."


def _without_interventions(run: StudiedRun) -> StudiedRun:
    out = run.touched
    kept = tuple(without_interventions(run.judged.eras))
    distances = {era: one for era, one in run.judged.distances.items() if era not in out}
    return replace(
        run,
        judged=replace(run.judged, eras=kept, distances=distances),
        decided={era: one for era, one in run.decided.items() if era not in out},
        readings={era: one for era, one in run.readings.items() if era not in out},
    )


def _listed(names: Sequence[str], noun: str, before: str) -> str:
    if not names:
        return ""
    words = counted(len(names), f"{before}{noun}")
    return f"{words} ({', '.join(names)})" if len(names) <= NAMED else words
