"""Taking a published text out of a run that has ended; its hash stays, and the ledger still verifies."""

from uuid import UUID

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.redaction import blanked, fingerprints
from app.services.imported_texts import take_out_imported
from app.services.locked_run import LockedRun
from app.services.marks import InterventionRefusedError, Wish, leave_mark
from app.services.unit_of_work import Work

ENDED = ("finished", "cancelled")


def redact_artifact(work: Work, step_id: UUID, wish: Wish) -> None:
    """Blank what a step wrote; quotations of it in the run's other texts are masked whenever they are read.

    Scores, labels and ids stay, so that totals still add up. Raises InterventionRefusedError while the run goes on
    (its later steps need the text), or if the text was taken out already; NotFoundError if nothing was written.
    """
    record = work.steps.get(step_id)
    run = LockedRun(work, record.run_id)
    if run.head.state not in ENDED:
        raise InterventionRefusedError("The run still needs this text. Cancel the run or wait for its end.")
    kept = work.artifacts.of_step(step_id)
    if work.redactions.of_step(step_id):
        raise InterventionRefusedError("The text was taken out already. Nothing was changed.")
    prints = fingerprints(kept.artifact)
    work.redactions.add(kept.id, run.head.id, record.id, prints, work.now)
    work.artifacts.blank(kept.id, blanked(kept.artifact))
    work.findings.blank(kept.id)
    take_out_imported(work, run.head.id, record.key, prints)
    before = {"artifact": str(kept.id), "kind": kept.artifact.kind, "sha256": kept.body_hash}
    leave_mark(work, run, InterventionKind.REDACT, wish, record, before=before)
    run.write()
