"""Dissents by named personas: those whose thesis lost, and those who doubt the pace."""

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import Dissent, Thesis
from app.domain.protocol.personas import DEPARTMENTS, Group, Persona
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import say
from app.providers.rehearsal.wording import bare, clip, low


def write_dissents(step: StepInput, rejected: tuple[Thesis, ...], draws: Draws) -> tuple[Dissent, ...]:
    """One to three voices; a founder alone records at most one doubt."""
    speakers = draws.some(_speakers(step), draws.between(1, 3) if step.memos else draws.between(0, 1))
    return tuple(_dissent(number, who, rejected, draws) for number, who in enumerate(speakers, start=1))


def _speakers(step: StepInput) -> list[Persona]:
    executives = [persona for persona in step.roster.of(Group.EXECUTIVE) if not persona.head]
    heads = [persona for group in DEPARTMENTS for persona in step.roster.of(group) if persona.head]
    critics = list(step.roster.of(Group.GOVERNANCE)) if step.wanted.red_team and step.memos else []
    return executives + (heads if step.memos else []) + critics


def _dissent(number: int, who: Persona, rejected: tuple[Thesis, ...], draws: Draws) -> Dissent:
    thesis = draws.one(rejected)
    why = say(
        draws,
        "decision.dissents",
        alternative=f"“{bare(thesis.title)}”",
        customer=low(bare(thesis.first_customer)),
    )
    return Dissent(id=f"D{number}", who=clip(f"{who.name}, {who.title}"), why=why)
