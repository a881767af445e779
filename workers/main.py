"""The worker's application and beat's timetable."""

from celery import Celery
from celery.signals import setup_logging

from app.jobs import broker
from app.logs import configure_logs
from app.settings import get_settings
from workers import audits, judgings, simulation, upkeep

SWEEP_SECONDS = 4.0
TIDY_SECONDS = 600.0
CATCH_UP_SECONDS = 60.0
JUDGINGS_SECONDS = 15.0


@setup_logging.connect  # type: ignore[untyped-decorator]
def _own_logs(**_: object) -> None:
    settings = get_settings()
    configure_logs(settings.log_level, settings.log_format)


def _put_together() -> Celery:
    celery = broker()
    simulation.register(celery)
    upkeep.register(celery)
    audits.register(celery)
    judgings.register(celery)
    celery.conf.beat_schedule = {
        "sweep": {"task": upkeep.SWEEP, "schedule": SWEEP_SECONDS, "options": {"expires": SWEEP_SECONDS * 2}},
        "tidy": {"task": upkeep.TIDY, "schedule": TIDY_SECONDS, "options": {"expires": TIDY_SECONDS}},
        "audit": {"task": audits.CATCH_UP, "schedule": CATCH_UP_SECONDS, "options": {"expires": CATCH_UP_SECONDS}},
        "judgings": {
            "task": judgings.CATCH_UP,
            "schedule": JUDGINGS_SECONDS,
            "options": {"expires": JUDGINGS_SECONDS},
        },
    }
    return celery


celery = _put_together()
