"""A step's material as Markdown sections: what is given is shown, event ids and fates never are."""

from collections.abc import Iterator

from app.domain.engine.document_text import (
    NONE,
    bullets,
    field,
    render_attack,
    render_briefing,
    render_critique,
    render_decision,
    render_memos,
    render_notes,
    render_replies,
    render_review,
    set_in,
)
from app.domain.engine.flow import PACKETS
from app.domain.engine.inputs import KEPT_TEXTS, Arms, Choice, StepInput, StepKind
from app.domain.once import once_each
from app.domain.protocol.company import CompanyState
from app.domain.protocol.eras import Era
from app.domain.protocol.layers import LayerGraph
from app.domain.protocol.playbook import Lesson, Playbook
from app.domain.protocol.rubrics import ANCHOR_POINTS, SCALE, Dimension, Rubric
from app.domain.world.events import NumberedEvent

JUDGED = PACKETS | {StepKind.READING}
"""Steps that look back on an era."""

KEPT_OF_A_WORLD = 256
"""How many lists of layers and of events, and rubrics, keep their text."""

LETTERS = ("A", "B", "C", "D")


def material_sections(step: StepInput) -> Iterator[str]:
    """The sections of a prompt, each with its heading.

    A blind review always has the same headings for its mode, whatever the condition left empty.
    """
    if step.choice:
        yield _section("Question", _choice(step.choice))
        return
    yield _section("Era", _era(step.era, judged=step.kind in JUDGED))
    yield from _company(step)
    yield from _briefings(step)
    yield from _papers(step)
    yield from _events(step)
    if step.shown_outcome:
        yield _section("What became of the company", set_in(step.shown_outcome.text))
    if step.kind is not StepKind.BRIEFING:
        yield _section("Layers", _layers(step.layers))
    if step.rubric:
        yield _section(f"Rubric of {step.rubric.judge}", _rubric(step.rubric))
    if step.arms:
        yield from _arms(step.arms)
    if step.notes:
        yield _section("Notes from the operators", bullets(step.notes))


def _section(heading: str, body: str) -> str:
    return f"## {heading}\n\n{body}"


def _company(step: StepInput) -> Iterator[str]:
    if step.company:
        yield _section("Company", _state(step.company))
    if step.playbook is not None:
        yield _section("Playbook", _lessons(step.playbook))
    if step.previous_decision:
        yield _section("Decision of the era before", render_decision(step.previous_decision))
    if step.previous_review:
        yield _section("What became of it", render_review(step.previous_review))


def _briefings(step: StepInput) -> Iterator[str]:
    if step.previous_briefing:
        yield _section("Briefing of the era before", render_briefing(step.previous_briefing))
    if step.briefing:
        yield _section("Briefing", render_briefing(step.briefing))


def _papers(step: StepInput) -> Iterator[str]:
    if step.member_notes:
        yield _section("Notes of your department", render_notes(step.member_notes, step.roster))
    if step.memos:
        yield _section("Memos", render_memos(step.memos))
    if step.attack:
        yield _section("Attack", render_attack(step.attack))
    if step.replies:
        yield _section("What your executives answer", render_replies(step.replies, step.roster))
    for number, draft in enumerate(step.drafts, start=1):
        yield _section(f"Your draft {number}", render_decision(draft))
        for critique in step.critiques[number - 1 : number]:
            yield _section(f"Your criticism of draft {number}", render_critique(critique))
    if step.decision:
        yield _section("Decision", render_decision(step.decision, blind=step.blind))
    if step.review:
        yield _section("Your review", render_review(step.review))


def _events(step: StepInput) -> Iterator[str]:
    if step.known:
        yield _section(f"Numbered events before {step.era.start}", _numbered(step.known))
    if step.outcomes or (step.kind in PACKETS and step.era.mode.has_outcome):
        yield _section(f"Numbered events from {step.era.start} until {step.era.end}", _numbered(step.outcomes))
    if step.next_known and step.next_era:
        yield _section(f"Numbered events before {step.next_era.start}", _numbered(step.next_known))


def _choice(choice: Choice) -> str:
    options = [f"{letter}. {option}" for letter, option in zip(LETTERS, choice.options, strict=True)]
    return "\n\n".join([choice.text, *options])


def _arms(arms: Arms) -> Iterator[str]:
    """What a guess may name; a list is left out where there is nothing to tell apart."""
    for heading, known in (
        ("Ways in which the company may be organized", arms.conditions),
        ("Models that may have written the decision", arms.models),
        ("Runs it may come from", arms.runs),
    ):
        if known:
            yield _section(heading, bullets(f"`{name}`" for name in known))


def _era(era: Era, *, judged: bool) -> str:
    lines = [field("era", era.id), field("decided on" if judged else "today", era.start.isoformat())]
    return "\n".join([*lines, field("judged until", era.end.isoformat())] if judged else lines)


@once_each(KEPT_TEXTS)
def _state(company: CompanyState) -> str:
    identities = [f"{identity.era}: {identity.name}. {identity.line}" for identity in company.identities]
    return "\n".join(
        [
            field("name", company.identity.name if company.identity else "none yet"),
            field("capital", f"US${company.capital_usd:,}"),
            field("reputation", company.reputation),
            field("what became of the last decision", company.last_outcome or "nothing decided yet"),
            "\n### Assets\n",
            bullets(company.assets),
            "\n### Identities so far\n",
            bullets(identities),
        ]
    )


@once_each(KEPT_TEXTS)
def _lessons(playbook: Playbook) -> str:
    return bullets(_lesson(lesson) for lesson in playbook.active)


def _lesson(lesson: Lesson) -> str:
    replaces = f", revises {lesson.revises}" if lesson.revises else ""
    return f"**{lesson.id}** ({lesson.kind}{replaces}): {lesson.text}"


@once_each(KEPT_OF_A_WORLD)
def _numbered(events: tuple[NumberedEvent, ...]) -> str:
    lines = [f"{event.number}. {event.on}, {event.domain}: {set_in(event.text)}" for event in events]
    return "\n".join(lines) or NONE


@once_each(KEPT_OF_A_WORLD)
def _layers(graph: LayerGraph) -> str:
    return bullets(
        f"`{layer.id}` {layer.name}: {layer.about} Neighbours: {', '.join(layer.neighbours) or 'none'}."
        for layer in graph.layers
    )


@once_each(KEPT_OF_A_WORLD)
def _rubric(rubric: Rubric) -> str:
    opening = f"Each dimension gets a whole number from {SCALE[0]} to {SCALE[1]}."
    return "\n\n".join([opening, *(_dimension(dimension) for dimension in rubric.dimensions)])


def _dimension(dimension: Dimension) -> str:
    anchors = "\n".join(field(str(point), dimension.anchors[point]) for point in ANCHOR_POINTS)
    title = f"### {dimension.name} (`{dimension.id}`)"
    return f"{title}\n\n{dimension.question}\n\n{anchors}\n\nCaution: {dimension.caution}"
