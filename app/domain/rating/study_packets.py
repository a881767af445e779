"""The packet of one reviewed era: what a blind judge is given, section by section, and the names it must not say."""

import re
from collections.abc import Iterable, Iterator, Mapping

from app.domain.engine.blinding import WITHHELD, blind_company, blind_decision
from app.domain.engine.document_text import render_attack, render_memos
from app.domain.engine.inputs import Role, StepInput, StepKind, Wanted
from app.domain.engine.material import Library
from app.domain.engine.material_text import material_sections
from app.domain.engine.state import RunState
from app.domain.ids import StepKey
from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Era, Mode
from app.domain.protocol.presets import Briefings
from app.domain.protocol.rubrics import RubricId, rubric_of
from app.domain.rating.mask_terms import MaskKind, MaskTerm, company_terms, plain_terms
from app.domain.rating.packets import Packet, Section

BANDS = 10
SAYS_NOTHING = frozenset({"rehearsal", "steady", "strict", "bold", "local", "default", "latest", "chat"})
"""Parts of model names that are ordinary words: only the whole name is masked."""


def era_packet(state: RunState, era: Era, library: Library, *, blind: bool) -> Packet | None:
    """The packet of an era's decision, or None while it has no decision or review.

    ``blind`` leaves memos and attack out: their absence in some conditions would name the condition.
    """
    decision = state.decision(era.id)
    if decision is None or state.review(era.id) is None:
        return None
    roster = state.design.roster or library.roster
    given = StepInput(
        key=StepKey(f"{era.id}/rating"),
        kind=StepKind.REVIEW,
        role=Role.JUDGE,
        era=era,
        layers=library.layers,
        roster=roster,
        wanted=Wanted(),
        company=blind_company(state.company(era.id), roster),
        playbook=state.playbook(era.id) if rubric_of(era.mode) is RubricId.AUDITOR else None,
        briefing=state.briefing(era.id),
        decision=blind_decision(decision, roster),
        outcomes=library.outcomes(era),
        blind=True,
    )
    drawn = state.design.briefings is Briefings.DRAWN and era.mode is not Mode.FORECAST
    sections = list(_sections(given, era, drawn=drawn))
    if not blind:
        sections += _inner_papers(state, era)
    return Packet(sections=tuple(sections))


def score_band(scores: Mapping[str, int]) -> str:
    """The judge's mechanical total (twice the sum of five scores) in bands of ten, such as 60-69."""
    start = min(2 * sum(scores.values()) // BANDS * BANDS, 90)
    return f"{start}-{start + BANDS - 1}" if start < 90 else "90-100"


def study_terms(state: RunState, run_name: str) -> tuple[MaskTerm, ...]:
    """Everything a run's packets must not say: its companies, itself, its models and its condition."""
    design = state.design
    decisions = [state.decision(era.id) for era in state.schedule.eras]
    models = [choice.model for choice in (*design.players, design.judge, design.author)]
    families = {choice.family for choice in (*design.players, design.judge, design.author)} - SAYS_NOTHING
    parts = {part for model in models for part in model.split("/")[1:]} - SAYS_NOTHING
    conditions = {str(one) for one in Condition if "_" in one}
    return (
        *company_terms(decision.company_name for decision in decisions if decision),
        *plain_terms(MaskKind.RUN, {run_name, design.name}),
        *plain_terms(MaskKind.MODEL, {*models, *families, *parts}),
        *plain_terms(MaskKind.CONDITION, {*conditions, *(one.replace("_", " ") for one in conditions)}),
        *plain_terms(MaskKind.ROLE, {WITHHELD}),
    )


def _sections(given: StepInput, era: Era, *, drawn: bool) -> Iterator[Section]:
    when = era.start.strftime("%B %Y")
    named = {
        "Company": ("company", "The company before", False, False),
        "Playbook": ("lessons", "Lessons so far", False, False),
        "Briefing": ("briefing", f"Briefing, {when}", drawn, False),
        "Decision": ("decision", f"Decision, {when}", False, False),
        f"Numbered events from {era.start} until {era.end}": ("outcome", "What happened", True, True),
    }
    for part in material_sections(given):
        heading, body = re.fullmatch(r"## ([^\n]+)\n\n(.*)", part, re.DOTALL).groups()  # type: ignore[union-attr]
        if heading in named:
            name, title, world, outcome = named[heading]
            yield Section(id=name, title=title, text=body, world=world, outcome=outcome)


def _inner_papers(state: RunState, era: Era) -> Iterable[Section]:
    if memos := state.memos(era.id):
        yield Section(id="memos", title="Memos", text=render_memos(memos))
    if attack := state.attack(era.id):
        yield Section(id="attack", title="Attack", text=render_attack(attack))
