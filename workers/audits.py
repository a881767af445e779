"""Leakage audits of runs, and beat's look for runs whose audit was lost with the broker."""

from uuid import UUID

from celery import Celery

from app.jobs import Job
from app.services.audits import audit_owed, audit_run

CATCH_UP = "audits.catch_up"


def register(celery: Celery) -> None:
    """Make the tasks of the audit known."""

    @celery.task(name=str(Job.AUDIT_RUN))  # type: ignore[untyped-decorator]
    def audit(run_id: str) -> None:
        audit_run(UUID(run_id))

    @celery.task(name=CATCH_UP)  # type: ignore[untyped-decorator]
    def catch_up() -> None:
        audit_owed()
