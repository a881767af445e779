"""Which study a person at the terminal means."""

from app.services.errors import NotFoundError
from app.services.unit_of_work import Reading
from app.storage.studies import Study

LATEST = "latest"

SHORTEST = 6
"""Characters of an id that may stand for the whole."""


def find_study(look: Reading, subject: str) -> Study:
    """The study of an id, the beginning of one, or a name. Raises NotFoundError, also where it is not the only one."""
    found = [study for study in look.studies.newest(limit=1_000_000) if _is_meant(study, subject)]
    if len(found) != 1:
        raise NotFoundError("study" if not found else "single study", subject)
    return found[0]


def find_or_latest(look: Reading, subject: str) -> Study:
    """The same, and the study launched last for ``latest``: for what only reads. Raises NotFoundError."""
    if subject != LATEST:
        return find_study(look, subject)
    newest = look.studies.newest(limit=1)
    if not newest:
        raise NotFoundError("study", "yet")
    return newest[0]


def _is_meant(study: Study, subject: str) -> bool:
    begins = len(subject) >= SHORTEST and str(study.id).startswith(subject.lower())
    return begins or study.design.name == subject
