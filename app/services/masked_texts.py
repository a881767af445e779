"""Texts of a run as they are once their quotations of redacted documents are masked, by hash.

They are kept with the redaction, under the ledger, so that a masked copy can be verified to the letter.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.ledger import body_hash
from app.domain.ids import RunId
from app.services.redacted_rows import RunMasks
from app.services.unit_of_work import Reading
from app.storage.interventions import ExactIntervention
from app.storage.runs import RunRecord

Hashes = Mapping[str, str]
"""SHA-256 of masked texts by the id of what holds them; a call has two."""


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
            masked = masks.intervention(one.texts)
            if masked != one.texts:
                found[name] = body_hash(masked)
    return found


def allowed_hashes(look: Reading, run: RunRecord, made: Mapping[str, ExactIntervention]) -> Hashes | None:
    """What masked texts of a run may hash to; None where the last redaction kept no hash of them.

    A judging was shown documents of its study's runs: what was taken out of them is masked in it. Of a judging that
    began after the redaction no hash could be kept, nor did redactions of earlier versions keep any.
    """
    if run.plan is None:
        redactions = [one for one in made.values() if one.kind == InterventionKind.REDACT]
    else:
        of_study = look.interventions.redactions(run.study_id)
        redactions = [one for _, one in of_study]
        if of_study and of_study[-1][0] < run.started_at:
            return None
    if not redactions:
        return {}
    after: dict[str, Any] = redactions[-1].texts["after"] or {}
    return after.get("masked")


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
