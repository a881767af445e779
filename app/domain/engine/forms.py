"""The form a step's answer fills: its artifact, the JSON schema a provider is sent, and the fields left out."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from app.domain.engine.inputs import Arms, StepInput, StepKind
from app.domain.once import once_each
from app.domain.protocol.artifacts import (
    Attack,
    AuditorReview,
    BlindGuess,
    Board,
    Briefing,
    Critique,
    Decision,
    Memo,
    Note,
    RecallChoice,
    RecordReview,
    Reply,
    SecondReading,
    Written,
)
from app.domain.protocol.playbook import KEPT_PLAYBOOKS, Playbook
from app.domain.protocol.rubrics import RubricId, rubric_of


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """``artifact`` is the pydantic type; ``omitted`` names its fields that this step is not asked for."""

    kind: str
    artifact: type[Written]
    omitted: tuple[str, ...]
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Choices:
    """What a schema's free strings are narrowed to for one step."""

    layers: tuple[str, ...]
    lessons: tuple[str, ...]
    theses: tuple[str, ...]
    dissents: tuple[str, ...]
    dimensions: tuple[str, ...]
    department: str | None
    persona: str | None
    red_team: bool
    arms: Arms


def form_for(step: StepInput) -> AnswerForm:
    """The form of a step. Its schema is shared between equal steps: do not change it."""
    artifact = _artifact_of(step)
    omitted = _omitted(step)
    return AnswerForm(
        kind=artifact.model_fields["kind"].default,
        artifact=artifact,
        omitted=omitted,
        schema=_schema(artifact, omitted, _choices(step)),
    )


def thesis_names(memos: Iterable[Memo]) -> tuple[str, ...]:
    """Names of the theses on the table, such as ``market_capital/1``."""
    return tuple(f"{memo.department}/{number}" for memo in memos for number in range(1, len(memo.theses) + 1))


def _artifact_of(step: StepInput) -> type[Written]:
    if step.kind is StepKind.REVIEW:
        return RecordReview if rubric_of(step.era.mode) is RubricId.RECORD else AuditorReview
    artifacts: dict[StepKind, type[Written]] = {
        StepKind.BRIEFING: Briefing,
        StepKind.NOTE: Note,
        StepKind.MEMO: Memo,
        StepKind.ATTACK: Attack,
        StepKind.REPLY: Reply,
        StepKind.DRAFT: Decision,
        StepKind.CRITIQUE: Critique,
        StepKind.DECISION: Decision,
        StepKind.BOARD: Board,
        StepKind.READING: SecondReading,
        StepKind.GUESS: BlindGuess,
        StepKind.RECALL: RecallChoice,
    }
    return artifacts[step.kind]


def _omitted(step: StepInput) -> tuple[str, ...]:
    if step.kind is not StepKind.REVIEW:
        return ()
    wanted = {"typed_total": step.wanted.typed_total, "next_briefing": step.wanted.next_briefing}
    return tuple(name for name, is_wanted in wanted.items() if not is_wanted)


def _choices(step: StepInput) -> _Choices:
    return _Choices(
        layers=step.layers.ids,
        lessons=_lessons_held(step.playbook) if step.playbook else (),
        theses=thesis_names(step.memos),
        dissents=tuple(dissent.id for dissent in step.decision.dissents) if step.decision else (),
        dimensions=tuple(dimension.id for dimension in step.rubric.dimensions) if step.rubric else (),
        department=step.department,
        persona=step.persona.id if step.persona else None,
        red_team=step.wanted.red_team,
        arms=step.arms or Arms(),
    )


@once_each(KEPT_PLAYBOOKS)
def _lessons_held(playbook: Playbook) -> tuple[str, ...]:
    return tuple(lesson.id for lesson in playbook.active)


@lru_cache(maxsize=4_096)
def _schema(artifact: type[Written], omitted: tuple[str, ...], choices: _Choices) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(_base_schema(artifact))
    for name in omitted:
        del schema["properties"][name]
    parts = {**schema.get("$defs", {}), artifact.__name__: schema}
    _narrow(parts, "ThesisChain", "layer", choices.layers)
    _narrow(parts, "Score", "dimension", choices.dimensions)
    _narrow(parts, "AttackPoint", "thesis", choices.theses)
    _narrow(parts, "DissentVerdict", "dissent", choices.dissents)
    for review in ("RecordReview", "AuditorReview"):
        _narrow(parts, review, "pooled_layer", choices.layers)
    for optional in ("revises", "retires"):
        _narrow(parts, "LessonDraft", optional, choices.lessons)
    _narrow(parts, "Memo", "department", (choices.department,) if choices.department else ())
    for writer in ("Note", "Reply"):
        _narrow(parts, writer, "persona", (choices.persona,) if choices.persona else ())
    _narrow(parts, "Reply", "backs", choices.theses)
    for field, arms in (
        ("condition", choices.arms.conditions),
        ("model", choices.arms.models),
        ("run", choices.arms.runs),
    ):
        _narrow(parts, "BlindGuess", field, arms)
    _size(parts, "SecondReading", "verdicts", len(choices.dissents))
    _narrow_items(parts, "SecondReading", "named_by", choices.theses)
    for writer in ("Memo", "Decision"):
        _lessons(parts, writer, choices.lessons)
    if artifact is Board:
        schema["properties"]["attack"] = {"$ref": "#/$defs/Attack"} if choices.red_team else {"type": "null"}
    return schema


@lru_cache(maxsize=16)
def _base_schema(artifact: type[Written]) -> str:
    schema = artifact.model_json_schema()
    schema["required"] = list(schema["properties"])
    return json.dumps(schema)


def _narrow(parts: dict[str, Any], part: str, field: str, values: tuple[str, ...]) -> None:
    """Let a string field take only ``values``; a nullable one only them or null."""
    if part not in parts:
        return
    where = parts[part]["properties"]
    about = {name: where[field][name] for name in ("description",) if name in where[field]}
    if "anyOf" in where[field]:
        choice = [{"type": "string", "enum": list(values)}] if values else []
        where[field] = {"anyOf": [*choice, {"type": "null"}], **about}
    elif values:
        where[field] = {"type": "string", "enum": list(values), **about}


def _narrow_items(parts: dict[str, Any], part: str, field: str, values: tuple[str, ...]) -> None:
    if part in parts and values:
        parts[part]["properties"][field]["items"] = {"type": "string", "enum": list(values)}


def _size(parts: dict[str, Any], part: str, field: str, size: int) -> None:
    if part in parts:
        parts[part]["properties"][field] |= {"minItems": size, "maxItems": size}


def _lessons(parts: dict[str, Any], writer: str, lessons: tuple[str, ...]) -> None:
    """Only lessons that hold may be cited; where there are none, the list stays empty."""
    if writer not in parts:
        return
    if lessons:
        _narrow(parts, "LessonUse", "lesson", lessons)
        if writer == "Memo":
            parts[writer]["properties"]["lessons"]["minItems"] = 1
    else:
        parts[writer]["properties"]["lessons"]["maxItems"] = 0
