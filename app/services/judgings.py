"""Starting judgings: those of a design once its runs have ended, and checks of a judge when somebody asks."""

from dataclasses import dataclass
from uuid import UUID

from app.domain.engine.judging_state import judging_state
from app.domain.engine.judgings import FIRST_CHECK, FIRST_JUDGING, JudgingPlan, Purpose, design_judgings
from app.domain.engine.ledger import EventKind, body_hash
from app.domain.ids import RunId
from app.jobs import Job
from app.services.errors import RefusedError
from app.services.locked_run import LockedRun
from app.services.masked_texts import TELLS, masks_told
from app.services.moving import move_on
from app.services.unit_of_work import Reading, Work, unit_of_work
from app.storage.judgements import Judgements
from app.storage.runs import RunRecord
from app.storage.studies import Study

ENDED = {"finished", "cancelled"}

NAMES = {
    Purpose.FURTHER: "judged again",
    Purpose.RETEST: "retest",
    Purpose.SWAP: "family swap",
    Purpose.PADDING: "padding",
    Purpose.SELF_PREFERENCE: "self-preference",
    Purpose.OUTCOME_FLIP: "outcome flip",
    Purpose.EXACT_LAYER: "exact layer",
    Purpose.BLINDNESS: "blindness guess",
    Purpose.RECALL: "recall",
}
"""What judgings are called on pages, by purpose."""


@dataclass(frozen=True, slots=True)
class OwedJudging:
    """A judging of the design that has not begun."""

    number: int
    name: str
    plan: JudgingPlan


def start_further(work: Work, study_id: UUID) -> int:
    """Start the judgings that a study's design asks for, once each, when all its runs have ended; gives how many."""
    study = work.studies.get(study_id)
    if not study.design.further_judges:
        return 0
    work.studies.lock_budget(study.id)  # two workers that end the last runs start them one after the other
    runs = work.runs.of_study(study.id)
    if not runs or any(run.state not in ENDED for run in runs):
        return 0
    owed = owed_judgings(work, study)
    decided = decided_eras(work, runs)
    for one in owed:
        there = tuple(item for item in one.plan.items if (item.run, item.era) in decided)
        _start(work, study, one.number, one.name, one.plan.model_copy(update={"items": there}))
    return len(owed)


def start_owed() -> int:
    """Ask for every start that was lost with the broker, or that a cancelled run made due; gives for how many."""
    with unit_of_work() as work:
        owed = work.studies.owing_judgings()
        for study_id in owed:
            work.enqueue(Job.START_JUDGINGS, study_id)
    return len(owed)


def start_check(work: Work, study: Study, plan: JudgingPlan, run_id: UUID) -> RunId:
    """Start a check of a judge now, unless this one was. Raises RefusedError for one that would judge nothing."""
    if not plan.items:
        raise RefusedError("There is no decision to judge: none of the study's runs has one that is judged by now.")
    work.studies.lock_budget(study.id)
    there = {run.id: run for run in work.runs.judgings(study.id)}
    if run_id in there:
        if there[RunId(run_id)].plan == plan.model_dump(mode="json"):
            return RunId(run_id)
        run_id = work.new_id()  # the form was changed since, by way of the back button
    number = max([*(run.number for run in there.values()), FIRST_CHECK - 1]) + 1
    return _start(work, study, number, name_of(plan), plan, run_id)


def owed_judgings(look: Reading, study: Study) -> tuple[OwedJudging, ...]:
    """The judgings of the design that are not there yet, in the design's order."""
    there = {run.number for run in look.runs.judgings(study.id)}
    numbered = enumerate(design_judgings(study.design), start=FIRST_JUDGING)
    return tuple(OwedJudging(number, name_of(plan), plan) for number, plan in numbered if number not in there)


def decided_eras(look: Reading, runs: tuple[RunRecord, ...]) -> frozenset[tuple[int, str]]:
    """Every era, by its run's number, in which the run itself wrote a decision that can be judged again."""
    numbers = {run.id: run.number for run in runs}
    found = Judgements(look.session).judgeable(list(numbers))
    return frozenset((numbers[run_id], era) for run_id, era in found)


def name_of(plan: JudgingPlan) -> str:
    """What a judging is called, such as ``retest by rehearsal/strict``."""
    anchors = f", {plan.anchors} anchors" if plan.purpose is Purpose.FURTHER else ""
    return f"{NAMES[plan.purpose]} by {plan.judge.model}{anchors}"


def _start(work: Work, study: Study, number: int, name: str, plan: JudgingPlan, wanted: UUID | None = None) -> RunId:
    run_id = RunId(wanted or work.new_id())
    head = work.runs.add_judging(run_id, study.id, number, plan, name=name, calls=plan.calls, at=work.now)
    run = LockedRun.added(work, head)
    told = {"study": str(study.id), "design_sha256": study.design_hash, "run": number}
    if masks_told(work, run.head):
        told[TELLS] = True
    run.tell(EventKind.RUN_PLANNED, {**told, "plan_sha256": body_hash(plan.model_dump(mode="json"))})
    if plan.calls:
        move_on(work, run, judging_state(study.design, plan, number, 0), after=None)
    else:  # every run was cancelled before its first decision
        run.tell(EventKind.RUN_FINISHED, {"steps": 0})
        run.set(state="finished", finished_at=work.now)
    run.write()
    return run_id
