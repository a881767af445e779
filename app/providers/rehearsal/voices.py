"""Single voices: a member's notes, an executive's reply, a founder's criticism of its own draft."""

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import Critique, Note, Reply
from app.providers.rehearsal.attacks import theses_on_table
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.memos import propose
from app.providers.rehearsal.phrases import say
from app.providers.rehearsal.placing import spoken
from app.providers.rehearsal.reports import choose_reports
from app.providers.rehearsal.temperaments import Temperament
from app.providers.rehearsal.wording import bare, clip, low

OBSERVATIONS = 3


def write_note(step: StepInput, temperament: Temperament, draws: Draws) -> Note:
    """What one member sees in the briefing, and what it would argue for."""
    reports = choose_reports(step, draws, OBSERVATIONS)
    thesis = propose(step, reports[:1], draws)[0]
    slots = {"title": low(bare(thesis.title)), "layer": spoken(step.layers, thesis.chain.layer)}
    return Note(
        persona=_speaker(step),
        observations=tuple(clip(say(draws, "note.observations", fact=report.fact)) for report in reports),
        proposal=say(draws, "note.proposals", **slots),
        doubt=say(draws, "note.doubts", **slots),
    )


def write_reply(step: StepInput, temperament: Temperament, draws: Draws) -> Reply:
    """The thesis an executive backs, and what it concedes to the others."""
    table = theses_on_table(step)
    name = draws.one(list(table))
    thesis = table[name]
    others = [point.objection for point in step.attack.points if point.thesis == name] if step.attack else []
    slots = {"title": low(bare(thesis.title)), "layer": spoken(step.layers, thesis.chain.layer)}
    concessions = [say(draws, "reply.concessions", **slots)] if others or draws.chance(0.5) else []
    return Reply(
        persona=_speaker(step),
        backs=name,
        position=say(draws, "reply.positions", customer=low(bare(thesis.first_customer)), **slots),
        concedes=tuple(clip(text) for text in concessions),
    )


def write_critique(step: StepInput, temperament: Temperament, draws: Draws) -> Critique:
    """What the next draft must settle, and what must survive it."""
    draft = step.drafts[-1]
    slots = {
        "layer": spoken(step.layers, draft.chain.layer),
        "customer": low(bare(draft.first_customer)),
        "name": draft.company_name,
    }
    points = tuple(clip(say(draws, f"critique.{part}", **slots)) for part in ("evidence", "pace", "choice"))
    return Critique(points=points, keep=(clip(say(draws, "critique.keep", **slots)),))


def _speaker(step: StepInput) -> str:
    return step.persona.id if step.persona else ""
