"""Starting the judgings of designs whose runs have ended, and beat's look for those whose message was lost."""

from uuid import UUID

from celery import Celery

from app.jobs import Job
from app.services.judgings import start_further, start_owed
from app.services.unit_of_work import unit_of_work

CATCH_UP = "judgings.catch_up"


def register(celery: Celery) -> None:
    """Make the tasks of judging again known."""

    @celery.task(name=str(Job.START_JUDGINGS))  # type: ignore[untyped-decorator]
    def start(study_id: str) -> None:
        with unit_of_work() as work:
            start_further(work, UUID(study_id))

    @celery.task(name=CATCH_UP)  # type: ignore[untyped-decorator]
    def catch_up() -> None:
        start_owed()
