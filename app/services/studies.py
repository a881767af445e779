"""Launching studies, estimating them beforehand, and the study file that says the same in TOML."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import tomli_w
from pydantic import ValidationError

from app.domain.engine.estimates import StudyEstimate, TokenPrices, estimate
from app.domain.engine.ledger import EventKind
from app.domain.engine.state import RunState
from app.domain.engine.steps import count_calls, plan_steps
from app.domain.ids import RunId, StudyId, UserId
from app.domain.misfits import problems_of
from app.domain.naming import unseen_problem
from app.domain.protocol.budgets import Budget
from app.domain.study import ModelChoice, StudyDesign, design_hash, plan_runs
from app.library.reader import UnknownScheduleError, file_hashes, roster
from app.services.budgets import UnpricedBudgetError, refuse_unpriced
from app.services.errors import RefusedError
from app.services.launch_problems import UnfitModelsError, refuse_unfit
from app.services.locked_run import LockedRun
from app.services.moving import move_on
from app.services.registry import UnknownModelError, forget_registry, model_entry
from app.services.unit_of_work import Work
from app.services.worlds import find_schedule
from app.storage.studies import Study

REHEARSAL = "rehearsal"
LARGEST_STUDY_FILE = 4 * 2**20


class StudyFileError(Exception):
    """A study file that cannot be read; the message names the field and the mend."""


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """What is wrong with one field of a design."""

    field: str
    message: str


def launch_study(
    work: Work, design: StudyDesign, launched_by: UserId | None, *, sending: UUID | None = None
) -> StudyId:
    """Freeze and hash the design, plan its runs, and owe the first steps of each.

    A form has an id, ``sending``: sent twice as it is, it launches once, and gives the same study.

    Raises UnpricedBudgetError, a RefusedError, for a cost budget with a model whose price is not known, and
    RefusedError for models that cannot do what the design asks, or a design that was fixed with other files of the
    library than there are now.
    """
    forget_registry()
    design = complete_design(design)
    _refuse_unseen(design)
    refuse_unpriced(design)
    refuse_unfit(design)
    _refuse_other_library(design)
    digest = design_hash(design)
    rehearsal = any(model_entry(choice.model).provider == REHEARSAL for choice in roles(design))
    study = Study(StudyId(sending or work.new_id()), design, digest, rehearsal, launched_by, work.now)
    if not work.studies.add(study):
        there = work.studies.get(study.id)
        if (there.design_hash, there.launched_by) == (digest, launched_by):
            return there.id
        study = replace(study, id=StudyId(work.new_id()))  # the form was changed since, by way of the back button
        work.studies.add(study)
    study_id = study.id
    for planned in plan_runs(design):
        run_id = RunId(work.new_id())
        plan = plan_steps(design, planned.condition, planned.schedule)
        owed = {"steps": len(plan), "calls": count_calls(plan)}
        head = work.runs.add(run_id, study_id, planned, **owed, at=work.now, budget=_run_budget(design))
        run = LockedRun.added(work, head)
        told = {"study": str(study_id), "design_sha256": digest, "run": planned.number}
        run.tell(EventKind.RUN_PLANNED, told)
        move_on(work, run, RunState(design=design, run=planned, artifacts={}), after=None)
        run.write()
    return study_id


def _refuse_unseen(design: StudyDesign) -> None:
    """Raise RefusedError for a name, of the study or in its schedules, with characters that nobody can see."""
    titles = [("schedules.title", schedule.title) for schedule in design.schedules]
    titles += [(f"schedules.eras.{era.id}.title", era.title) for era in design.eras]
    for field, text in (("name", design.name), *titles):
        if problem := unseen_problem(text):
            raise RefusedError(f"{field}: {problem}")


def estimate_study(design: StudyDesign) -> StudyEstimate:
    """Exact calls, the critical path, and tokens and cost as far as prices are known."""
    design = complete_design(design)
    prices = {choice.model: prices_of(choice) for choice in roles(design)}
    return estimate(design, prices)


def complete_design(design: StudyDesign) -> StudyDesign:
    """The design with the library's personas and the hashes of its files written in, where it has none of its own."""
    own = {"roster": design.roster or roster(), "library": design.library or dict(file_hashes())}
    return design.model_copy(update=own)


def roles(design: StudyDesign) -> tuple[ModelChoice, ...]:
    """Every model a design asks for: players, judge, author, further judges."""
    return (*design.players, design.judge, design.author, *(further.judge for further in design.further_judges))


def choose_model(name: str, temperature: float | None) -> ModelChoice:
    """A registered model in a role, with family and version as the registry has them; the temperature if it takes one.

    Raises UnknownModelError.
    """
    entry = model_entry(name)
    taken = temperature if entry.features.temperature else None
    return ModelChoice(model=name, family=entry.family, temperature=taken, version=entry.wire_model)


def study_file(design: StudyDesign) -> str:
    """The design as a TOML study file that ``read_study_file`` reads back to the same design."""
    return tomli_w.dumps(_without_nulls(design.model_dump(mode="json")))


def decode_study_file(content: bytes, name: str) -> str:
    """A study file's text. Raises StudyFileError, naming file, line and mend."""
    if len(content) > LARGEST_STUDY_FILE:
        raise StudyFileError(f"{name}: larger than {LARGEST_STUDY_FILE // 2**20} MB. Give a study file.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"byte 0x{content[error.start]:02x} is not UTF-8 text"
        raise StudyFileError(f"{name}, line {line}: {problem}. Save the file as UTF-8.") from error


def read_study_file(text: str, name: str = "study file") -> StudyDesign:
    """The design in a study file: complete, or with a schedule's id and models' names in place of the whole.

    Raises StudyFileError, naming every field that is wrong, with its line where the file has the field.
    """
    try:
        data = tomllib.loads(text)
        design = StudyDesign.model_validate(_completed(data))
        refuse_unpriced(design)
        refuse_unfit(design)
    except tomllib.TOMLDecodeError as error:
        last = f"at line {text.count(chr(10)) + 1}, the end"
        problem = f"{name}: it is not TOML: {str(error).replace('at end of document', last)}"
        raise StudyFileError(f"{problem}. Mend the line, or copy the whole file again.") from error
    except RecursionError as error:
        raise StudyFileError(f"{name}: it is nested too deep. Give a study file.") from error
    except (UnknownScheduleError, UnknownModelError, UnpricedBudgetError, UnfitModelsError) as error:
        raise StudyFileError(f"{name}: {error.args[0]}") from error
    except ValidationError as error:
        found = (f"{_place(text, item.field, name)}: {item.message}" for item in field_problems(error))
        raise StudyFileError("\n".join(found)) from error
    return design


def _place(text: str, field: str, name: str) -> str:
    """File, line and field; a field's line is the first that begins with its name."""
    first = re.escape(field.split(".", maxsplit=1)[0]).replace("schedules", "schedules?")
    found = re.search(rf"^[ \t]*(?:\[+\s*)?\"?{first}\"?\s*(?:=|\]|\.)", text, re.MULTILINE)
    line = f", line {text.count(chr(10), 0, found.start()) + 1}" if found else ""
    return f"{name}{line}, {field}"


def field_problems(error: ValidationError) -> tuple[FieldProblem, ...]:
    """A pydantic error as one line a field, in plain words."""
    found = []
    for place, words in problems_of(error):
        field, message = ".".join(map(str, place)), words
        if not field and ": " in message:
            field, message = message.split(": ", 1)
        found.append(FieldProblem(field or "design", message))
    return tuple(found)


def _refuse_other_library(design: StudyDesign) -> None:
    now = file_hashes()
    changed = sorted(name for name in {*now, *design.library} if now.get(name) != design.library.get(name))
    if changed:
        raise RefusedError(
            f"library: this design was fixed with other words than the library has now, in {', '.join(changed)}. "
            "Use the software's version of that time, or take the table [library] out of the study file."
        )


def _completed(data: dict[str, Any]) -> dict[str, Any]:
    """Short forms written out: ``schedules = ["history-short", "fictional-7"]`` and ``judge = "rehearsal/strict"``."""
    whole = dict(data)
    whole["schedule"] = _scheduled(whole.get("schedule"))
    if isinstance(whole.get("schedules"), list):
        whole["schedules"] = [_scheduled(one) for one in whole["schedules"]]
    for role in ("judge", "author"):
        whole[role] = _choice(whole.get(role))
    if isinstance(whole.get("further_judges"), list):
        whole["further_judges"] = [_further(further) for further in whole["further_judges"]]
    if isinstance(whole.get("players"), list):
        whole["players"] = [_choice(player) for player in whole["players"]]
    return {name: value for name, value in whole.items() if value is not None}


def _further(value: Any) -> Any:
    """``further_judges = ["rehearsal/bold"]``, or a table with judge and anchors."""
    if isinstance(value, str):
        return {"judge": _choice(value)}
    return {**value, "judge": _choice(value.get("judge"))} if isinstance(value, Mapping) else value


def _scheduled(value: Any) -> Any:
    return find_schedule(value).model_dump(mode="json") if isinstance(value, str) else value


def _choice(value: Any) -> Any:
    if isinstance(value, str):
        return choose_model(value, 1.0).model_dump(mode="json")
    if isinstance(value, Mapping) and "family" not in value and isinstance(value.get("model"), str):
        chosen = choose_model(value["model"], 1.0).model_dump(mode="json")
        return chosen | {"temperature": value["temperature"]} if "temperature" in value else chosen
    if isinstance(value, Mapping) and "temperature" not in value:
        return {**value, "temperature": None}
    return value


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _run_budget(design: StudyDesign) -> Budget | None:
    return design.budgets.run if design.budgets else None


def prices_of(choice: ModelChoice) -> TokenPrices:
    """What the registry knows of a model's prices."""
    entry = model_entry(choice.model)
    return TokenPrices(entry.price_in, entry.price_out)
