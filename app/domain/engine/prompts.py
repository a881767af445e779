"""From a step's material to the two texts a model is sent: who it is with its rules, and the material itself."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.domain.engine.inputs import Role, StepInput, StepKind
from app.domain.engine.material_text import material_sections
from app.domain.protocol.eras import Mode
from app.domain.protocol.personas import Group, Persona
from app.domain.protocol.prompts import PromptTemplate, fill
from app.domain.protocol.rubrics import SCALE

_FIFTH_RULE = "5. "


class UnknownTemplateError(KeyError):
    """A step needs a prompt template that was not given."""


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """The texts of one call; ``template_hashes`` gives the SHA-256 of every template used, by its name."""

    system: str
    prompt: str
    template_hashes: Mapping[str, str]


def render_prompt(step: StepInput, templates: Mapping[str, PromptTemplate]) -> RenderedPrompt:
    """The prompt of a step. The answer's schema is the provider's to send.

    Raises UnknownTemplateError, or PromptFillError if a template has a place that no step fills.
    """
    values = _values(step)
    used = [_template(name, templates) for name in template_names(step)]
    system = _joined([_filled(template, values) for template in used])
    prompt = "\n\n".join(["# Material", *material_sections(step)])
    hashes = MappingProxyType({template.name: template.sha256 for template in used})
    return RenderedPrompt(system=system, prompt=prompt, template_hashes=hashes)


def template_names(step: StepInput) -> tuple[str, ...]:
    """The templates of a step's system text, in their order: the role, the five rules, what else is asked for."""
    return (_role_name(step), *_rule_names(step), *_extra_names(step), "answer")


def _role_name(step: StepInput) -> str:
    match step.kind:
        case StepKind.BRIEFING:
            return "briefing_forecast" if step.era.mode is Mode.FORECAST else "briefing_record"
        case StepKind.DECISION:
            return _decider_name(step)
        case StepKind.BOARD:
            return "board" if step.wanted.red_team else "board_discussion"
        case StepKind.MEMO:
            return "memo_from_notes" if step.member_notes else "memo"
        case StepKind.REVIEW:
            judge = "record" if step.era.mode.has_outcome else "auditor"
            return f"{judge}_blind" if step.blind else f"{judge}_open"
        case _:  # the other kinds have templates of their own names
            return step.kind.value


def _decider_name(step: StepInput) -> str:
    if not step.memos:
        return "founder_final" if step.drafts else "founder"
    return "decision" if step.attack else "decision_discussion"


def _rule_names(step: StepInput) -> tuple[str, ...]:
    if step.kind in {StepKind.GUESS, StepKind.RECALL}:
        return ()
    if step.kind is StepKind.BRIEFING:
        return ("rules_author",)
    openness = "record" if step.era.mode.has_outcome else "open"
    if step.role is Role.JUDGE:
        return (f"rules_judge_{openness}",)
    patrol = "rule_patrol" if step.wanted.red_team else "rule_penalty"
    return (f"rules_players_{openness}", _lesson_rule_name(step), patrol)


def _lesson_rule_name(step: StepInput) -> str:
    if step.wanted.lesson_use:
        return "rule_lessons_cite"
    return "rule_lessons_seen" if step.playbook and step.playbook.active else "rule_lessons_none"


def _extra_names(step: StepInput) -> Iterator[str]:
    if step.wanted.typed_total:
        yield "ask_typed_total"
    if step.shown_outcome:
        yield "ask_shown_outcome"
    if step.wanted.next_briefing and step.next_era:
        forecast = step.next_era.mode is Mode.FORECAST
        yield "ask_next_briefing_forecast" if forecast else "ask_next_briefing_record"


def _values(step: StepInput) -> dict[str, str]:
    """Everything a template may name."""
    return {
        "start": step.era.start.isoformat(),
        "end": step.era.end.isoformat(),
        "next_start": step.next_era.start.isoformat() if step.next_era else "",
        "department": step.roster.titles[step.department] if step.department else "",
        "voices": "\n".join(f"- **{one.name}, {one.title}**: {one.lens}" for one in _voices(step)),
        "speaker": f"{step.persona.name}, {step.persona.title}" if step.persona else "",
        "lens": step.persona.lens if step.persona else "",
        "lowest": str(SCALE[0]),
        "highest": str(SCALE[1]),
    }


def _voices(step: StepInput) -> tuple[Persona, ...]:
    """Who speaks or advises in this context."""
    if step.department:
        return step.voices
    groups: dict[StepKind, tuple[Group, ...]] = {
        StepKind.ATTACK: (Group.GOVERNANCE,),
        StepKind.DECISION: (Group.EXECUTIVE,),
        StepKind.BOARD: (Group.GOVERNANCE, Group.EXECUTIVE) if step.wanted.red_team else (Group.EXECUTIVE,),
    }
    return tuple(persona for group in groups.get(step.kind, ()) for persona in step.roster.of(group))


def _template(name: str, templates: Mapping[str, PromptTemplate]) -> PromptTemplate:
    if name not in templates:
        raise UnknownTemplateError(f"prompt {name}: the library has no such template")
    return templates[name]


def _filled(template: PromptTemplate, values: Mapping[str, str]) -> str:
    """Values a template does not name are left out here; a place nobody fills is still an error."""
    return fill(template, {name: values[name] for name in template.places if name in values})


def _joined(parts: list[str]) -> str:
    """Paragraphs, with the fifth rule in one list with the four before it."""
    return "".join(f"\n{part}" if part.startswith(_FIFTH_RULE) else f"\n\n{part}" for part in parts).strip()
