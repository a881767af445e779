"""A study's design: what is frozen and hashed at launch, and the runs it asks for."""

import hashlib
import json
from collections.abc import Mapping as MappingType
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from app.domain.protocol.analysis import AnalysisPlan
from app.domain.protocol.budgets import Budgets
from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Era, Schedule
from app.domain.protocol.personas import Roster
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.domain.protocol.rubrics import STANDARD_ANCHORS

MAX_RUNS = 2_000
MAX_FURTHER_JUDGES = 12
MAX_SCHEDULES = 24


class ModelChoice(BaseModel):
    """A registered model in a role; ``temperature`` None leaves the provider's own setting.

    A choice without a ``version`` is from before designs fixed one and is written without: old designs keep their hash.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(description="registry name, such as rehearsal/steady")
    family: str = Field(description="model family, as the registry had it at launch")
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 1.0
    version: str | None = Field(default=None, description="what the endpoint is asked for, as the registry had it")

    @model_serializer(mode="wrap")
    def _as_first_written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        return {name: value for name, value in written.items() if name != "version" or value is not None}


class FurtherJudge(BaseModel):
    """Who judges the stored decisions again once all runs have ended, and under which anchors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    judge: ModelChoice
    anchors: str = STANDARD_ANCHORS

    @property
    def name(self) -> str:
        """Short name on pages, such as ``rehearsal/steady, standard anchors``."""
        return f"{self.judge.model}, {self.anchors} anchors"


class StudyDesign(BaseModel):
    """Conditions × repetitions × player models × schedules; each schedule makes runs of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=120)]
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 1
    preset: Preset = Preset.CONTROLLED
    mapping: Mapping = Mapping.DEPARTMENT
    briefings: Briefings = Briefings.DRAWN
    briefing_facts: Annotated[int, Field(ge=8, le=60)] = 22
    schedules: Annotated[tuple[Schedule, ...], Field(min_length=1, max_length=MAX_SCHEDULES)]
    conditions: Annotated[tuple[Condition, ...], Field(min_length=1)] = (Condition.FULL,)
    repetitions: Annotated[int, Field(ge=1, le=100)] = 1
    roster: Roster | None = Field(default=None, description="the personas; left out, the library's own at launch")
    players: Annotated[tuple[ModelChoice, ...], Field(min_length=1)]
    judge: ModelChoice
    author: ModelChoice
    further_judges: Annotated[tuple[FurtherJudge, ...], Field(max_length=MAX_FURTHER_JUDGES)] = Field(
        default=(), description="judges and anchors under which every stored decision is judged once more"
    )
    same_family_reason: str | None = Field(default=None, description="why a judge of the players' family is accepted")
    pace_seconds: Annotated[float, Field(ge=0, le=60)] = 0.0
    budgets: Budgets | None = Field(default=None, description="what the study and each of its runs may use at most")
    analysis: AnalysisPlan = Field(default=AnalysisPlan(), description="hypotheses, margins, exclusions and seed")
    library: dict[str, str] = Field(
        default_factory=dict, description="SHA-256 of every library file by its path, as it was at launch"
    )

    @model_validator(mode="before")
    @classmethod
    def _from_one_schedule(cls, data: Any) -> Any:
        """A design with one ``schedule``, as all were at first, is one with ``schedules`` of that one."""
        if not isinstance(data, MappingType) or "schedule" not in data or "schedules" in data:
            return data
        return {**{name: value for name, value in data.items() if name != "schedule"}, "schedules": (data["schedule"],)}

    @model_serializer(mode="wrap")
    def _as_first_written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """One schedule is written as ``schedule``, and no further judges as nothing: old designs keep their hash."""
        written: dict[str, Any] = write(self)
        if len(written.get("schedules", ())) == 1:
            written["schedule"] = written.pop("schedules")[0]
        if not self.further_judges:
            written.pop("further_judges", None)
        return written

    @model_validator(mode="after")
    def _is_one_the_protocol_allows(self) -> Self:
        if self.preset is Preset.PILOT and self.briefings is Briefings.DRAWN:
            raise ValueError("briefings: the pilot preset takes model briefings, as published; choose model")
        if self.preset is Preset.PILOT and self.mapping is Mapping.PERSONA:
            raise ValueError("mapping: the pilot preset maps a department to one context, as published")
        if len(set(self.conditions)) != len(self.conditions):
            raise ValueError("conditions: each condition may be chosen once")
        if len({player.model for player in self.players}) != len(self.players):
            raise ValueError("players: each player model may be chosen once")
        if len({schedule.id for schedule in self.schedules}) != len(self.schedules):
            raise ValueError("schedules: each schedule may be chosen once")
        self._refuse_kin("judge", self.judge)
        for further in self.further_judges:
            self._refuse_kin("further_judges", further.judge)
        self._refuse_idle_judges()
        if self.run_count > MAX_RUNS:
            raise ValueError(f"repetitions: {self.run_count} runs are asked for, at most {MAX_RUNS} are allowed")
        return self

    def _refuse_kin(self, field: str, judge: ModelChoice) -> None:
        """A judge of the players' family needs a stated reason in the controlled way."""
        same = [player.model for player in self.players if player.family == judge.family]
        if same and self.preset is Preset.CONTROLLED and not (self.same_family_reason or "").strip():
            raise ValueError(
                f"{field}: {judge.model} is of the family of {', '.join(same)}; choose another family or state a reason"
            )

    def _refuse_idle_judges(self) -> None:
        """A further judge must differ from the first, and from each other, in model or anchors."""
        asked = [(self.judge.model, STANDARD_ANCHORS)]
        asked += [(further.judge.model, further.anchors) for further in self.further_judges]
        twice = next((one for one in asked if asked.count(one) > 1), None)
        if twice is not None:
            raise ValueError(
                f"further_judges: {twice[0]} judges under the {twice[1]} anchors twice; choose another judge or other "
                "anchors (a retest is planned on the audit page)"
            )

    @property
    def run_count(self) -> int:
        """Conditions × repetitions × player models × schedules."""
        return self.runs_a_schedule * len(self.schedules)

    @property
    def runs_a_schedule(self) -> int:
        """Conditions × repetitions × player models: the runs that each schedule makes."""
        return len(self.conditions) * self.repetitions * len(self.players)

    @property
    def eras(self) -> tuple[Era, ...]:
        """The eras of all schedules; ids may come up again from one to the next."""
        return tuple(era for schedule in self.schedules for era in schedule.eras)

    def schedule_of(self, schedule_id: str) -> Schedule:
        """The schedule of that id; KeyError if the design has none. No id stands for the first.

        A run that was kept before there were several schedules names none.
        """
        for schedule in self.schedules:
            if schedule_id in {schedule.id, ""}:
                return schedule
        raise KeyError(schedule_id)


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run a design asks for; ``number`` counts from 1 by schedule, then condition, player and replicate."""

    number: int
    condition: Condition
    replicate: int
    player: ModelChoice
    schedule: Schedule
    names_schedule: bool = False

    @property
    def name(self) -> str:
        """Short name on pages, such as ``full r01``, or ``full r01 fictional-1-7`` with several schedules."""
        name = f"{self.condition} r{self.replicate:02d}"
        return f"{name} {self.schedule.id}" if self.names_schedule else name


def plan_runs(design: StudyDesign) -> tuple[PlannedRun, ...]:
    """Every run of a design in a fixed order."""
    cells = [
        (schedule, condition, player, replicate)
        for schedule in design.schedules
        for condition in design.conditions
        for player in design.players
        for replicate in range(1, design.repetitions + 1)
    ]
    return tuple(
        PlannedRun(number, condition, replicate, player, schedule, names_schedule=len(design.schedules) > 1)
        for number, (schedule, condition, player, replicate) in enumerate(cells, start=1)
    )


def canonical_json(value: BaseModel) -> str:
    """JSON with sorted keys and no spare white space: the bytes that are hashed."""
    return json.dumps(value.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def design_hash(design: StudyDesign) -> str:
    """SHA-256 of the canonical design, in hex."""
    return hashlib.sha256(canonical_json(design).encode()).hexdigest()
