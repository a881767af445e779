"""Work for later: the jobs there are, and sending one. The broker carries ids only and may lose any of them."""

from enum import StrEnum
from functools import lru_cache

import structlog
from celery import Celery
from kombu.entity import Queue as BrokerQueue
from kombu.exceptions import OperationalError

from app.settings import get_settings

log = structlog.get_logger()


class Queue(StrEnum):
    """Where jobs wait. Audits wait apart: they compute for seconds, and would hold up calls of the same process."""

    STEPS = "steps"
    AUDITS = "audits"


class Job(StrEnum):
    """What a worker can be asked to do."""

    PERFORM_STEP = "simulation.perform_step"
    AUDIT_RUN = "audits.audit_run"
    START_JUDGINGS = "judgings.start"

    @property
    def queue(self) -> Queue:
        """Where it waits."""
        return Queue.AUDITS if self is Job.AUDIT_RUN else Queue.STEPS


@lru_cache
def broker() -> Celery:
    """The Celery application of this process; results are never kept, Postgres holds the truth."""
    celery = Celery("autolab", broker=get_settings().needed_redis_url())
    celery.conf.update(
        task_queues=[BrokerQueue(str(name)) for name in Queue],  # type: ignore[no-untyped-call]
        task_default_queue=str(Queue.STEPS),
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,  # a step waits in the queue for whoever is free, not in a busy process
        task_acks_late=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "socket_timeout": 5,
            "socket_connect_timeout": 5,
            "retry_on_timeout": True,
            # sending: one more try at once, then upkeep; consumers wait as long as it takes (see above)
            "max_retries": 1,
            "interval_start": 0.0,
        },
        task_publish_retry=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_send_task_events=False,
        worker_enable_remote_control=False,
        timezone="UTC",
    )
    return celery


def send(job: Job, subject: str) -> bool:
    """Ask for a job by the id it is about; False if the broker is away (upkeep asks again later)."""
    try:
        broker().send_task(str(job), args=[subject], queue=str(job.queue))
    except (OperationalError, OSError) as error:
        log.warning("job not sent", job=str(job), subject=subject, error=type(error).__name__)
        return False
    return True
