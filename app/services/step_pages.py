"""A step's page, above all for one that needs an operator: why, the failed answers, and the form to write by hand."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from app.domain.engine.inputs import StepKind
from app.domain.misfits import plain_words
from app.providers.registry import ModelEntry
from app.services.call_pages import Text, answer_in, cut, readable
from app.services.consequences import Consequences, consequences_of
from app.services.hand_forms import Node, form_nodes, paths
from app.services.interventions import StuckStep, stuck_step
from app.services.interventions_list import author_names
from app.services.registry import offered_models
from app.services.seats import seat_title
from app.services.unit_of_work import Reading
from app.storage.calls import CallRecord
from app.storage.interventions import Intervention
from app.storage.runs import RunRecord
from app.storage.studies import Study


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call with what the model wrote, if it wrote anything."""

    call: CallRecord
    answer: Text | None


@dataclass(frozen=True, slots=True)
class StepView:
    """A step with its calls; ``nodes`` is the form, filled with ``body``; ``reaches_judge`` says who reads it next."""

    stuck: StuckStep
    title: str
    run: RunRecord
    study: Study
    attempts: tuple[Attempt, ...]
    nodes: tuple[Node, ...]
    interventions: tuple[tuple[Intervention, str], ...]
    needs_operator: bool
    reaches_judge: bool
    consequences: Consequences
    models: tuple[ModelEntry, ...]
    may_be_alone: bool
    alone: bool


def show_step(reading: Reading, step_id: UUID, *, body: dict[str, Any] | None = None, alone: bool = False) -> StepView:
    """A step; the form holds ``body`` or, without one, the model's last answer as far as it can be read.

    ``alone`` shows a board's form without the Red Team's part.
    """
    stuck = stuck_step(reading, step_id, alone=alone)
    run = reading.runs.get(stuck.record.run_id)
    calls = reading.calls.of_step(step_id)
    answers = {call.id: answer_in(reading.calls.texts(call.id)[1]) for call in calls}
    last = next((answers[call.id] for call in reversed(calls) if answers[call.id]), None)
    names = author_names(reading)
    return StepView(
        stuck=stuck,
        title=seat_title(stuck.step, stuck.state),
        run=run,
        study=reading.studies.get(run.study_id),
        attempts=tuple(Attempt(call, _text(answers[call.id])) for call in calls),
        nodes=form_nodes(stuck.form.schema, body if body is not None else _object_in(last)),
        interventions=tuple(
            (one, names.get(one.author_id, "unknown"))
            for one in reading.interventions.of_run(run.id)
            if one.step_id == stuck.record.id
        ),
        needs_operator=stuck.record.state == "needs_operator" and run.state != "cancelled",
        reaches_judge=stuck.step.kind not in {StepKind.REVIEW, StepKind.READING},
        consequences=consequences_of(reading, stuck, run),
        models=offered_models(),
        may_be_alone=stuck.step.kind is StepKind.BOARD and stuck.state.run.condition.has_red_team,
        alone=alone,
    )


def body_problems(view: StepView, body: dict[str, Any]) -> dict[str, str]:
    """What to mend in a body, by the path of its field; empty when the schema takes it."""
    try:
        view.stuck.form.artifact.model_validate({"kind": view.stuck.form.kind, **body})
    except ValidationError as error:
        known = set(paths(view.nodes))
        found: dict[str, str] = {}
        for item in error.errors(include_url=False):
            if item["type"] == "too_short" and len(item["input"]) >= item["ctx"]["min_length"]:
                continue  # pydantic counts only items that fit; those that do not have problems of their own
            path = ".".join(str(part) for part in item["loc"])
            where = path if path in known else "form"
            words = plain_words(item["type"], item["msg"], item.get("ctx", {}))
            found.setdefault(where, words if where != "form" else f"{path}: {words}")
        return found
    return {}


def _text(answer: str | None) -> Text | None:
    return cut(readable(answer)) if answer else None


def _object_in(answer: str | None) -> dict[str, Any]:
    """The JSON object in an answer, to begin from; empty where it cannot be read."""
    if not answer:
        return {}
    try:
        found = json.loads(answer[answer.find("{") : answer.rfind("}") + 1])
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
