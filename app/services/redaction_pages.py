"""What redacting a document would change, found before it is done: which other texts of its run quote it."""

from dataclasses import dataclass
from uuid import UUID

from app.domain.engine.redaction import fingerprints, masked_artifact
from app.domain.ids import StepId, StepKey
from app.services.era_pages import DocumentView, show_document
from app.services.errors import NotFoundError
from app.services.redactions import redaction_refusal
from app.services.unit_of_work import Reading


@dataclass(frozen=True, slots=True)
class RedactionView:
    """The document; ``quoted_in`` are keys of the run's other documents; ``refusal`` says why it cannot be done now."""

    document: DocumentView
    step_id: StepId
    quoted_in: tuple[StepKey, ...]
    refusal: str | None


def show_redaction(reading: Reading, run_id: UUID, key: str) -> RedactionView:
    """The page before a redaction. Raises NotFoundError."""
    view = show_document(reading, run_id, key)
    step = next((one for one in reading.steps.of_run(view.run.id) if one.key == key), None)
    if step is None:
        raise NotFoundError("step", key)
    prints = fingerprints(view.document.artifact)
    quoting = tuple(
        one.key
        for one in reading.artifacts.of_run(view.run.id)
        if one.key != key and masked_artifact(one.artifact, prints) != one.artifact
    )
    return RedactionView(view, step.id, quoting, redaction_refusal(reading, view.run, step.id))
