"""Dissents by named personas: those whose thesis lost, and those who doubt the pace."""

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import Dissent, Thesis
from app.domain.protocol.personas import DEPARTMENTS, Group, Persona
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import sentences
from app.providers.rehearsal.wording import bare, clip, high


def write_dissents(step: StepInput, rejected: tuple[Thesis, ...], draws: Draws) -> tuple[Dissent, ...]:
    """One to three voices; a founder alone records at most one doubt."""
    speakers = draws.some(_speakers(step), draws.between(1, 3) if step.memos else draws.between(0, 1))
    reasons = draws.some(sentences("decision.dissents"), len(speakers))
    spoken = zip(speakers, reasons, strict=True)
    return tuple(_dissent(number, who, why, draws.one(rejected)) for number, (who, why) in enumerate(spoken, start=1))


def _speakers(step: StepInput) -> list[Persona]:
    executives = [persona for persona in step.roster.of(Group.EXECUTIVE) if not persona.head]
    heads = [persona for group in DEPARTMENTS for persona in step.roster.of(group) if persona.head]
    critics = list(step.roster.of(Group.GOVERNANCE)) if step.wanted.red_team and step.memos else []
    return executives + (heads if step.memos else []) + critics


def _dissent(number: int, who: Persona, why: str, thesis: Thesis) -> Dissent:
    slots = {"alternative": f"“{bare(thesis.title)}”", "customer": high(bare(thesis.first_customer))}
    return Dissent(id=f"D{number}", who=clip(f"{who.name}, {who.title}"), why=why.format(**slots))
