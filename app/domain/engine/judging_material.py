"""What a sitting is given: the first judge's packet of a stored decision, changed only as its variant says."""

from collections.abc import Sequence
from dataclasses import replace

from app.domain.engine.flow import Record, check_flow
from app.domain.engine.inputs import Arms, Choice, Role, StepInput, StepKind, Wanted
from app.domain.engine.judgings import Sitting, Variant
from app.domain.engine.material import Library, input_for
from app.domain.engine.state import RunState
from app.domain.engine.variants import committed_to, padded, shown_outcome
from app.domain.protocol.eras import Schedule
from app.domain.protocol.rubrics import AnchorSet
from app.domain.study import PlannedRun, StudyDesign

MOST_RUNS_NAMED = 30
"""A guesser is not asked for the run where more could be meant: the list would be longer than the packet."""

SHOWN = {Variant.SUCCESS: True, Variant.FAILURE: False}


class NothingToJudgeError(ValueError):
    """A sitting is about a decision that does not exist, or that was written elsewhere and has another form."""


def packet_of(sitting: Sitting, play: RunState, library: Library, notes: tuple[str, ...] = ()) -> StepInput:
    """The packet that the first judge of this decision was given, to the letter. Raises NothingToJudgeError."""
    review = next((one for one in play.plan if one.era == sitting.step.era and one.kind is StepKind.REVIEW), None)
    if review is None or play.decision(sitting.step.era) is None:
        raise NothingToJudgeError(f"{sitting.step.key}: there is no decision of this era to judge")
    return input_for(review, play, library, notes)


def pooled_at(sitting: Sitting, play: RunState) -> str | None:
    """The layer where the first judge of this decision saw value pool: what a planted decision chooses."""
    review = play.review(sitting.step.era)
    return review.pooled_layer if review else None


def judged_again(sitting: Sitting, packet: StepInput, anchors: AnchorSet, pooled: str | None = None) -> StepInput:
    """The packet under these anchors and in the sitting's variant; no next briefing is asked for again.

    ``pooled`` is the layer that a planted decision chooses. Raises NothingToJudgeError where there is none to choose.
    """
    assert packet.rubric is not None
    assert packet.decision is not None
    given = replace(
        packet,
        rubric=anchors.rubrics[packet.rubric.id],
        wanted=replace(packet.wanted, next_briefing=False),
        next_era=None,
        next_known=(),
    )
    if sitting.variant is Variant.PADDED:
        return replace(given, decision=padded(packet.decision))
    if sitting.variant is Variant.EXACT:
        if pooled not in packet.layers.ids:
            raise NothingToJudgeError(f"{sitting.step.key}: no layer is known where value pooled in this era")
        return replace(given, decision=committed_to(packet.decision, packet.layers.layer(pooled)))
    if sitting.variant in SHOWN:
        assert packet.company is not None
        outcome = shown_outcome(packet.decision, packet.company, packet.era, is_success=SHOWN[sitting.variant])
        return replace(given, shown_outcome=outcome)
    return given


def guessed_at(packet: StepInput, arms: Arms) -> StepInput:
    """The same packet for somebody who guesses what was hidden: no rubric, nothing to score."""
    return replace(packet, kind=StepKind.GUESS, rubric=None, wanted=Wanted(), next_era=None, next_known=(), arms=arms)


def asked_about(sitting: Sitting, schedule: Schedule, library: Library, choice: Choice) -> StepInput:
    """A question about an era's window, and nothing else."""
    return StepInput(
        key=sitting.step.key,
        kind=StepKind.RECALL,
        role=Role.JUDGE,
        era=schedule.era(sitting.step.era),
        layers=library.layers,
        roster=library.roster,
        wanted=Wanted(),
        choice=choice,
    )


def arms_of(design: StudyDesign, runs: Sequence[PlannedRun]) -> Arms:
    """What may be guessed of a study: a list is empty where there is nothing to tell apart."""
    conditions = tuple(str(one) for one in design.conditions)
    models = tuple(player.model for player in design.players)
    several = len(models) > 1
    names = tuple(f"{run.name} · {run.player.model}" if several else run.name for run in runs)
    return Arms(
        conditions=conditions if len(conditions) > 1 else (),
        models=models if several else (),
        runs=names if 1 < len(names) <= MOST_RUNS_NAMED else (),
    )


def check_judging(given: StepInput, sitting: Sitting, design: StudyDesign, run: PlannedRun, record: Record) -> None:
    """The information-flow invariant for judging again: what the first judge might see, and what the variant shows.

    Raises InformationFlowError.
    """
    bare = replace(given, shown_outcome=None) if sitting.variant in SHOWN else given
    check_flow(bare, design, run, record)
