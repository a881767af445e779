"""One unit of work: repositories on one transaction, jobs and announcements that leave only after its commit."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import UUID, uuid4

from app import live
from app.domain.ids import RunId, StudyId
from app.jobs import Job, send
from app.storage.artifacts import Artifacts
from app.storage.calls import Calls
from app.storage.findings import Findings
from app.storage.interventions import Interventions
from app.storage.ledgers import Ledgers
from app.storage.outcomes import Outcomes
from app.storage.overviews import Overviews
from app.storage.panels import Panels
from app.storage.pauses import Pauses
from app.storage.raters import Raters
from app.storage.ratings import Ratings
from app.storage.redactions import Redactions
from app.storage.registry import Models
from app.storage.runs import Runs
from app.storage.session import Session, open_session
from app.storage.steps import Steps
from app.storage.studies import Studies
from app.storage.users import Users
from app.storage.workers import Workers


class Reading:
    """The repositories, in a transaction that cannot write."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.users = Users(session)
        self.studies = Studies(session)
        self.runs = Runs(session)
        self.steps = Steps(session)
        self.calls = Calls(session)
        self.artifacts = Artifacts(session)
        self.ledgers = Ledgers(session)
        self.interventions = Interventions(session)
        self.pauses = Pauses(session)
        self.models = Models(session)
        self.outcomes = Outcomes(session)
        self.redactions = Redactions(session)
        self.findings = Findings(session)
        self.workers = Workers(session)
        self.overviews = Overviews(session)
        self.panels = Panels(session)
        self.raters = Raters(session)
        self.ratings = Ratings(session)
        self.now = datetime.now(UTC)


class Work(Reading):
    """The same repositories in a transaction that writes; what is asked for later leaves after the commit."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._jobs: list[tuple[Job, str]] = []
        self._changed: dict[str, None] = {}
        self._afterwards: list[Callable[[], None]] = []

    def new_id(self) -> UUID:
        """A fresh random id."""
        return uuid4()

    def enqueue(self, job: Job, subject: UUID) -> None:
        """Ask for later work, sent after the commit."""
        self._jobs.append((job, str(subject)))

    def announce(self, run_id: RunId, study_id: StudyId) -> None:
        """Tell open pages, after the commit, that a run and so its study changed."""
        self._changed[f"run:{run_id}"] = None
        self._changed[f"study:{study_id}"] = None

    def after_commit(self, act: Callable[[], None]) -> None:
        """Do something once the transaction is committed, such as remembering what it wrote."""
        self._afterwards.append(act)

    def commit(self) -> None:
        """Commit, then send what was asked for. Called by the boundary only."""
        self.session.commit()
        for act in self._afterwards:
            act()
        jobs, self._jobs = self._jobs, []
        changed, self._changed = self._changed, {}
        for job, subject in jobs:
            if not send(job, subject):
                break  # each would wait for the broker; upkeep sends them later
        if changed:
            live.publish(changed)


@contextmanager
def unit_of_work() -> Iterator[Work]:
    """Commits when the block ends well, rolls back when it raises."""
    with open_session() as session:
        work = Work(session)
        yield work
        work.commit()


@contextmanager
def reading(*, one_moment: bool = False) -> Iterator[Reading]:
    """A read-only look at the database; ``one_moment`` shows it as it was at the first statement."""
    with open_session(read_only=True, one_moment=one_moment) as session:
        yield Reading(session)
