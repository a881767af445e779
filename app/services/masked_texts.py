"""Texts of a run as they are once their quotations of redacted documents are masked, by hash.

They are kept with the redaction, under the ledger, so that a masked copy can be verified to the letter. A judging that
begins after a redaction tells them itself, event by event.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.judgings import FIRST_JUDGING
from app.domain.engine.ledger import EventKind, body_hash
from app.domain.ids import RunId
from app.services.redacted_rows import RunMasks
from app.services.unit_of_work import Reading
from app.storage.interventions import ExactIntervention
from app.storage.runs import RunHead, RunRecord

Hashes = Mapping[str, str]
"""SHA-256 of masked texts by the id of what holds them; a call has two."""

TELLS = "tells_masked"
"""What the first event of a judging says that tells the hash of every text that an export will mask."""

MASKED = "masked_sha256"
"""Where an event tells it."""


def masked_hashes(look: Reading, run_ids: tuple[RunId, ...]) -> dict[str, str]:
    """Every text of these runs that masking changes, as an export would write it."""
    found: dict[str, str] = {}
    for run_id in run_ids:
        masks = RunMasks.of(look, run_id)
        for name, kept, masked in (*_calls(look, run_id, masks), *_documents(look, run_id, masks)):
            digest = body_hash(masked)
            if digest != kept:
                found[name] = digest
        for name, one in look.interventions.exact(run_id).items():
            masked = masks.written_about(one.texts)
            if masked != one.texts:
                found[name] = body_hash(masked)
    return found


def allowed_hashes(look: Reading, run: RunRecord, made: Mapping[str, ExactIntervention]) -> Hashes | None:
    """What masked texts of a run may hash to; None where no hash of them was kept, as by earlier versions.

    A judging was shown documents of its study's runs: what was taken out of them is masked in it.
    """
    if run.plan is None:
        return _kept([one for one in made.values() if one.kind == InterventionKind.REDACT])
    of_study = look.interventions.redactions(run.study_id)
    told = _told(look, run)
    if of_study and of_study[-1][0] < run.started_at:
        return told
    kept = _kept([one for _, one in of_study])
    return kept if kept is None else {**(told or {}), **kept}


def masks_told(look: Reading, head: RunHead) -> RunMasks | None:
    """The masks whose hashes a run has to tell: those of a judging of a study from which something was taken out.

    A run that is played tells none: nothing is taken out of it before its end, and then the redaction keeps the hashes.
    """
    if head.number < FIRST_JUDGING:
        return None
    masks = RunMasks.of(look, head.id)
    return masks if masks.prints else None


def masked_text_told(masks: RunMasks | None, text: str | None) -> dict[str, str]:
    """What an event tells beside the hash of a request or response, where an export will mask it."""
    masked = masks.text(text) if masks and text is not None else text
    return {} if masked is None or masked == text else {MASKED: body_hash(masked)}


def masked_body_told(masks: RunMasks | None, body: Mapping[str, Any]) -> dict[str, str]:
    """The same for a document."""
    masked = masks.artifact({"body": body})["body"] if masks else body
    return {} if masked == body else {MASKED: body_hash(masked)}


def _kept(redactions: Sequence[ExactIntervention]) -> Hashes | None:
    """What the last redaction kept, which covers those before it; None from before hashes were kept."""
    if not redactions:
        return {}
    after: dict[str, Any] = redactions[-1].texts["after"] or {}
    return after.get("masked")


def _told(look: Reading, judging: RunRecord) -> Hashes | None:
    """What a judging told of masked texts; None for one of an earlier version, begun after a redaction."""
    events = look.ledgers.of_run(judging.id)
    if not any(event.body.get(TELLS) for event in events[:1]):
        return None
    names = {
        EventKind.CALL_SENT: lambda body: request_of(body["call"]),
        EventKind.CALL_ENDED: lambda body: response_of(body["call"]),
        EventKind.ARTIFACT_WRITTEN: lambda body: str(body["artifact"]),
    }
    return {names[event.kind](event.body): event.body[MASKED] for event in events if MASKED in event.body}


def request_of(call_id: object) -> str:
    """The name of a call's request among hashes."""
    return f"{call_id}/request"


def response_of(call_id: object) -> str:
    """The name of a call's response among hashes."""
    return f"{call_id}/response"


def _calls(look: Reading, run_id: RunId, masks: RunMasks) -> Iterator[tuple[str, str | None, str]]:
    for call in look.calls.exact(run_id):
        row = {"request": call.request, "response": call.response, "step_id": call.step_id, "error": None}
        masked = masks.call(row)
        yield request_of(call.id), call.request_hash, masked["request"]
        if masked["response"] is not None:
            yield response_of(call.id), call.response_hash, masked["response"]


def _documents(look: Reading, run_id: RunId, masks: RunMasks) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name, kept in look.artifacts.exact(run_id).items():
        yield name, kept.body_hash, dict(masks.artifact({"body": kept.body})["body"])
