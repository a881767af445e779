"""Guesses at what a packet hides, and choices in a recall question: a rehearsal knows nothing and guesses blindly."""

from app.domain.engine.inputs import Arms, StepInput
from app.domain.engine.material_text import LETTERS
from app.domain.protocol.artifacts import BlindGuess, RecallChoice
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import say
from app.providers.rehearsal.temperaments import Temperament

CANNOT_TELL = 0.2


def write_guess(step: StepInput, temperament: Temperament, draws: Draws) -> BlindGuess:
    """One of each list, or that it cannot be told."""
    arms = step.arms or Arms()
    return BlindGuess(
        condition=_one_of(arms.conditions, draws),
        model=_one_of(arms.models, draws),
        run=_one_of(arms.runs, draws),
        reason=say(draws, "guess.reasons"),
    )


def write_choice(step: StepInput, temperament: Temperament, draws: Draws) -> RecallChoice:
    """A letter."""
    return RecallChoice.model_validate({"choice": draws.one(LETTERS)})


def _one_of(names: tuple[str, ...], draws: Draws) -> str | None:
    return draws.one(names) if names and not draws.chance(CANNOT_TELL) else None
