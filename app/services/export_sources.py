"""What the rows of every export level are made from: a study's labels and keys in memory, the rest by cursors."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID

from app.domain.ids import StepKey
from app.services.interventions_list import author_names
from app.services.judged_runs import changed_places, is_changed
from app.services.redacted_rows import RunMasks
from app.services.unit_of_work import Reading
from app.storage.archives import Archives
from app.storage.runs import PLAY, RunRecord
from app.storage.studies import Study

Row = Mapping[str, Any]
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class ExportSource:
    """What rows of all levels are made from: labels and keys in memory, the rest by cursors; ``long`` texts or none."""

    look: Reading
    study: Study
    long: bool
    _masks: dict[UUID, RunMasks] = field(default_factory=dict)
    _kept: dict[str, Any] = field(default_factory=dict)

    @property
    def every(self) -> Mapping[UUID, RunRecord]:
        """Runs and judgings."""
        return self._once("every", lambda: {run.id: run for run in self.look.runs.every(self.study.id)})

    @property
    def runs(self) -> Mapping[UUID, RunRecord]:
        """Its runs without judgings."""
        return self._once("runs", lambda: {key: run for key, run in self.every.items() if run.kind == PLAY})

    @property
    def steps(self) -> Mapping[UUID, StepKey]:
        """The keys of its steps by their ids."""
        return self._once("steps", lambda: Archives(self.look.session).step_keys(self.study.id))

    @property
    def touched(self) -> frozenset[tuple[UUID, str | None]]:
        """Run and era, None for the run as a whole, of every intervention that changed something."""
        return self._once("touched", lambda: changed_places(self.look, self.every))

    def intervened(self, row: Row) -> bool:
        """Whether a row carries the mark: by its era, or its step's, and by its run; else by all that it tells of."""
        step, owners = row.get("step"), [row.get(name) for name in ("run_id", "judging_id")]
        era = row.get("era") or (str(step).partition("/")[0] if step else None)
        runs = [owner for owner in owners if owner]
        if era:
            return any(is_changed(self.touched, run, era) for run in runs)
        return any(not runs or run in runs for run, _ in self.touched)

    @property
    def people(self) -> Mapping[UUID | None, str]:
        """The names of people who acted."""
        return self._once("people", lambda: author_names(self.look))

    def label(self, run: RunRecord) -> str:
        """A run by its name, and its player where the design has several."""
        several = len(self.study.design.players) > 1 and run.kind == PLAY
        return f"{run.name} · {run.player}" if several else run.name

    def place(self, run_id: UUID) -> dict[str, Any]:
        """The columns that say of which run a row is."""
        return {"study": self.study.design.name, "run": self.label(self.every[run_id]), "run_id": run_id}

    def masks(self, run_id: UUID) -> RunMasks:
        """What was taken out of a run."""
        if run_id not in self._masks:
            self._masks[run_id] = RunMasks.of(self.look, run_id)
        return self._masks[run_id]

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """The study's rows of a table, by a cursor."""
        return Archives(self.look.session).rows(table, self.study.id)

    def _once(self, name: str, read: Callable[[], Kept]) -> Kept:
        """What is read at its first use, without a lock: an export has one thread, and no export waits for another."""
        if name not in self._kept:
            self._kept[name] = read()
        kept: Kept = self._kept[name]
        return kept
