"""From a model's text to an artifact: the form it must fill, how its JSON is found, and what is refused and why."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from pydantic import ValidationError

from app.domain.engine.flow import late_items
from app.domain.engine.forms import AnswerForm, thesis_names
from app.domain.engine.inputs import Arms, StepInput
from app.domain.protocol.artifacts import (
    Artifact,
    Attack,
    BlindGuess,
    Board,
    Briefing,
    Decision,
    Memo,
    Note,
    Reply,
    ReviewBase,
    SecondReading,
    ThesisChain,
    Written,
)
from app.domain.protocol.rubrics import SCALE

MAX_ANSWER_CHARACTERS = 1_000_000

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*)\n?```", re.DOTALL)


class AnswerError(Exception):
    """An answer that does not fit; its text says where, and what is wanted instead, to the model and an operator."""


@dataclass(frozen=True, slots=True)
class _Found:
    value: Any


def read_answer(text: str, form: AnswerForm, step: StepInput) -> Artifact:
    """The artifact in ``text``. Plain or fenced JSON is taken; a truncated or ill-fitting answer raises AnswerError."""
    body = _json_in(text)
    if not isinstance(body, dict):
        raise AnswerError("the answer must be one JSON object")
    return check_artifact(body, form, step)


def check_artifact(body: dict[str, Any], form: AnswerForm, step: StepInput) -> Artifact:
    """A body, from a model or from an operator's form, as the artifact its step wants. Raises AnswerError."""
    stray = [name for name in form.omitted if body.get(name) is not None]
    if stray:
        raise AnswerError(f"{', '.join(stray)}: not asked for here; leave it out")
    try:
        artifact = form.artifact.model_validate({"kind": form.kind, **body})
    except ValidationError as error:
        raise AnswerError(_explained(error)) from error
    problems = list(_problems(artifact, step))
    if problems:
        raise AnswerError("; ".join(problems))
    return cast("Artifact", artifact)


def _json_in(text: str) -> Any:
    if len(text) > MAX_ANSWER_CHARACTERS:
        raise AnswerError(f"the answer is longer than {MAX_ANSWER_CHARACTERS:,} characters; shorten it")
    stripped = text.strip()
    for candidate in _candidates(stripped):
        found = _loaded(candidate)
        if found:
            return found.value
    raise AnswerError(
        f"no complete JSON object was found in the answer ({_where(stripped)}); send the whole object once"
    )


def _candidates(text: str) -> Iterator[str]:
    yield text
    yield from (match.strip() for match in _FENCE.findall(text))
    yield _from_first_brace(text)


def _loaded(candidate: str) -> _Found | None:
    try:
        return _Found(_DECODER.decode(candidate))
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _from_first_brace(text: str) -> str:
    """An object with prose around it; the prose may not hold another brace after the object."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else ""


def _where(text: str) -> str:
    try:
        json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        return f"{error.msg} at character {error.pos} of {len(text)}"
    except (ValueError, RecursionError):
        return "it nests too deeply, or holds NaN, Infinity or a number too long"
    return "not an object"  # pragma: no cover - a text that can be read was taken before


def _explained(error: ValidationError) -> str:
    parts = [
        f"{'.'.join(str(part) for part in item['loc']) or 'answer'}: {item['msg']} (got {_short(item['input'])})"
        for item in error.errors(include_url=False, include_context=False)[:8]
    ]
    return "; ".join(parts)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _problems(artifact: Written, step: StepInput) -> Iterator[str]:
    """What the schema cannot say: ids that must exist, lists that must be complete, dates that must precede."""
    yield from _chains(artifact, step)
    yield from _lesson_uses(artifact, step)
    for kind, problems in _CHECKS.items():
        if isinstance(artifact, kind):
            yield from problems(artifact, step)


def _chains(artifact: Written, step: StepInput) -> Iterator[str]:
    chains: tuple[ThesisChain, ...] = ()
    if isinstance(artifact, Memo):
        chains = tuple(thesis.chain for thesis in artifact.theses)
    elif isinstance(artifact, Decision):
        chains = (artifact.chain,)
    for chain in chains:
        if chain.layer not in step.layers.ids:
            yield f"chain.layer: {chain.layer!r} is no layer id; choose one of {', '.join(step.layers.ids)}"


def _lesson_uses(artifact: Written, step: StepInput) -> Iterator[str]:
    if not isinstance(artifact, Memo | Decision):
        return
    known = step.playbook.ids if step.playbook else frozenset()
    yield from (
        f"lessons: {use.lesson!r} is no lesson of the Playbook" for use in artifact.lessons if use.lesson not in known
    )


def _briefing(briefing: Briefing, step: StepInput) -> Iterator[str]:
    is_next = step.wanted.next_briefing and step.next_era is not None
    yield from late_items(briefing, step.next_era if is_next and step.next_era else step.era)
    numbers = {event.number for event in (step.next_known if is_next else step.known)}
    used = [item.event for section in briefing.sections for item in section.items if item.event is not None]
    yield from (f"event {number} is not in the list given" for number in used if number not in numbers)


def _memo(memo: Memo, step: StepInput) -> Iterator[str]:
    if memo.department is not step.department:
        yield f"department: must be {step.department}"
    if step.wanted.lesson_use and not memo.lessons:
        yield "lessons: cite or dispute at least one lesson of the Playbook"
    if step.wanted.tagged_claims and not memo.claims:
        yield "claims: tag every claim as fact, extrapolation or speculation with a confidence"


def _note(note: Note, step: StepInput) -> Iterator[str]:
    yield from _persona(note.persona, step)


def _persona(written: str, step: StepInput) -> Iterator[str]:
    if step.persona is None or written != step.persona.id:
        yield f"persona: must be {step.persona.id if step.persona else 'none'}"


def _reply(reply: Reply, step: StepInput) -> Iterator[str]:
    yield from _persona(reply.persona, step)
    theses = thesis_names(step.memos)
    if reply.backs not in theses:
        yield f"backs: {reply.backs!r} is no thesis on the table; choose one of {', '.join(theses)}"


def _attack(attack: Attack, step: StepInput) -> Iterator[str]:
    named = {point.thesis for point in attack.points}
    wanted = thesis_names(step.memos)
    yield from (f"points: {name!r} is no thesis on the table" for name in sorted(named - set(wanted)))
    yield from (f"points: thesis {name} is not attacked; attack every thesis" for name in wanted if name not in named)


def _decision(decision: Decision, step: StepInput) -> Iterator[str]:
    if decision.deferral.deferred and not decision.deferral.gate:
        yield "deferral.gate: say what must be shown first, or set deferred to false"
    if len({dissent.id for dissent in decision.dissents}) != len(decision.dissents):
        yield "dissents: each needs an id of its own, such as D1"
    if step.wanted.tagged_claims and not decision.claims:
        yield "claims: tag every claim as fact, extrapolation or speculation with a confidence"


def _board(board: Board, step: StepInput) -> Iterator[str]:
    if board.attack is None and step.wanted.red_team:
        yield "attack: the Red Team attacks before the CEO decides"
    elif board.attack is not None and not step.wanted.red_team:
        yield "attack: there is no Red Team here; set it to null"
    elif board.attack is not None:
        yield from _attack(board.attack, step)
    yield from _chains(board.decision, step)
    yield from _lesson_uses(board.decision, step)
    yield from _decision(board.decision, step)


def _review(review: ReviewBase, step: StepInput) -> Iterator[str]:
    wanted = tuple(dimension.id for dimension in step.rubric.dimensions) if step.rubric else ()
    if sorted(score.dimension for score in review.scores) != sorted(wanted):
        yield f"scores: exactly one for each of {', '.join(wanted)}, each {SCALE[0]} to {SCALE[1]}"
    if review.pooled_layer not in step.layers.ids:
        yield f"pooled_layer: {review.pooled_layer!r} is no layer id; choose one of {', '.join(step.layers.ids)}"
    known = step.playbook.ids if step.playbook else frozenset()
    for draft in review.lessons:
        for name in (draft.revises, draft.retires):
            if name is not None and name not in known:
                yield f"lessons: {name!r} is no lesson of the Playbook; use null"
    if step.wanted.typed_total and review.typed_total is None:
        yield "typed_total: type the era's total, 0 to 100"
    if step.wanted.next_briefing and review.next_briefing is None:
        yield "next_briefing: write the briefing of the next era"
    elif review.next_briefing is not None:
        yield from _briefing(review.next_briefing, step)


def _reading(reading: SecondReading, step: StepInput) -> Iterator[str]:
    dissents = [dissent.id for dissent in step.decision.dissents] if step.decision else []
    if sorted(verdict.dissent for verdict in reading.verdicts) != sorted(dissents):
        yield f"verdicts: exactly one for each dissent ({', '.join(dissents) or 'there are none: leave it empty'})"
    theses = thesis_names(step.memos)
    yield from (f"named_by: {name!r} is no thesis on the table" for name in reading.named_by if name not in theses)


def _guess(guess: BlindGuess, step: StepInput) -> Iterator[str]:
    arms = step.arms or Arms()
    for field, known in (("condition", arms.conditions), ("model", arms.models), ("run", arms.runs)):
        value = getattr(guess, field)
        if value is not None and value not in known:
            yield f"{field}: {value!r} is not in the list given; choose one of {', '.join(known) or 'none'} or null"


_CHECKS: dict[type[Written], Callable[[Any, StepInput], Iterator[str]]] = {
    Briefing: _briefing,
    Note: _note,
    Memo: _memo,
    Attack: _attack,
    Reply: _reply,
    Decision: _decision,
    Board: _board,
    ReviewBase: _review,
    SecondReading: _reading,
    BlindGuess: _guess,
}
