"""Taking a published text out of a run that has ended; its hash stays, and the ledger still verifies."""

from uuid import UUID

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.redaction import blanked, fingerprints
from app.services.finding_marks import take_out_marks
from app.services.imported_texts import take_out_imported
from app.services.locked_run import LockedRun
from app.services.marks import InterventionRefusedError, Wish, leave_mark
from app.services.masked_texts import masked_hashes
from app.services.redacted_panels import take_out_of_panels
from app.services.unit_of_work import Reading, Work
from app.storage.runs import RunHead, RunRecord

ENDED = ("finished", "cancelled")


def redact_artifact(work: Work, step_id: UUID, wish: Wish) -> None:
    """Blank what a step wrote; quotations of it in the run's other texts are masked whenever they are read.

    Scores, labels and ids stay, so that totals still add up. The mark keeps the hash of every text as it is masked from
    now on. Raises InterventionRefusedError while the run goes on (its later steps need the text), or if the text was
    taken out already; NotFoundError if nothing was written.
    """
    record = work.steps.get(step_id)
    run = LockedRun(work, record.run_id)
    kept = work.artifacts.of_step(step_id)
    # a judging that began meanwhile, or a panel that was made, would be shown the text and keep it
    work.studies.hold([run.head.study_id])
    refusal = redaction_refusal(work, run.head, step_id)
    if refusal:
        raise InterventionRefusedError(refusal)
    prints = fingerprints(kept.artifact)
    work.redactions.add(kept.id, run.head.id, record.id, prints, work.now)
    work.artifacts.blank(kept.id, blanked(kept.artifact))
    take_out_marks(work, run.head.id)
    take_out_imported(work, run.head.id, record.key, prints)
    take_out_of_panels(work, work.runs.get(run.head.id), prints)
    before = {"artifact": str(kept.id), "kind": kept.artifact.kind, "sha256": kept.body_hash}
    masked = masked_hashes(work, (run.head.id, *(judging.id for judging in work.runs.judgings(run.head.study_id))))
    leave_mark(work, run, InterventionKind.REDACT, wish, record, before=before, after={"masked": masked})
    run.write()


def redaction_refusal(look: Reading, run: RunRecord | RunHead, step_id: UUID) -> str | None:
    """Why a text may not be taken out now, or None if it may: a later step or a judging may still be given it."""
    if run.state not in ENDED:
        return "The run goes on, and its later steps need this text. Cancel the run or wait for its end."
    if any(step.state == "claimed" for step in look.steps.of_run(run.id)):
        return "A call of this run is under way. Wait for its end."
    if any(judging.state not in ENDED for judging in look.runs.judgings(run.study_id)):
        return "A judging of this study goes on and may be shown this text. Cancel it or wait for its end."
    if look.redactions.of_step(step_id):
        return "The text was taken out already. Nothing was changed."
    return None
