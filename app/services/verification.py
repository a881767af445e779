"""Verifying runs: everything kept is hashed and added up anew, and held against the ledger."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.ledger import body_hash, canonical
from app.domain.engine.proof import ArtifactEvidence, CallEvidence, InterventionEvidence, RunEvidence, misfits
from app.domain.engine.quotations import REDACTED
from app.domain.ids import RunId
from app.domain.wording import counted, of_number
from app.library.reader import prompt_templates
from app.services.errors import NotFoundError
from app.services.masked_texts import Hashes, allowed_hashes, request_of, response_of
from app.services.named_studies import find_or_latest
from app.services.unit_of_work import Reading
from app.storage.artifacts import ExactBody
from app.storage.calls import ExactCall
from app.storage.interventions import ExactIntervention
from app.storage.runs import RunRecord

SUMS = (
    "steps_done",
    "calls_made",
    "calls_lost",
    "tokens_in",
    "tokens_out",
    "cost_usd",
    "cost_unknown",
    "cost_presumed",
    "tokens_reserved",
    "cost_reserved",
    "interventions",
)


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """What verifying a run found: ``problems`` from the first event on; ``notes`` are no problems."""

    run_id: RunId
    name: str
    player: str
    state: str
    head: str
    events: int
    calls: int
    documents: int
    redacted: int
    interventions: int
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether everything fits."""
        return not self.problems


def verify_runs(look: Reading, subject: str) -> tuple[RunVerdict, ...]:
    """Verify the run of an id, or every run of the study of an id, the beginning of one, a name, or `latest`.

    Open ``look`` at one moment, so that a run that moves is seen whole. Raises NotFoundError.
    """
    return tuple(verify_run(look, run) for run in _runs(look, subject))


def verify_run(look: Reading, run: RunRecord) -> RunVerdict:
    """Verify one run."""
    templates: Counter[tuple[str, str]] = Counter()
    made = look.interventions.exact(run.id)
    hasher = _Hasher(allowed_hashes(look, run, made))
    evidence = _evidence(look, run, made, templates, hasher)
    return RunVerdict(
        run_id=run.id,
        name=run.name,
        player=run.player,
        state=run.state,
        head=run.ledger_head,
        events=len(evidence.events),
        calls=len(evidence.calls),
        documents=len(evidence.artifacts),
        redacted=len(_redacted(made.values())),
        interventions=len(evidence.interventions),
        problems=tuple(misfits(evidence)),
        notes=(*hasher.notes(), *_other_templates(templates)),
    )


def _runs(look: Reading, subject: str) -> tuple[RunRecord, ...]:
    try:
        return (look.runs.get(UUID(subject)),)
    except (ValueError, NotFoundError):
        return look.runs.every(find_or_latest(look, subject).id)


@dataclass
class _Hasher:
    """Hashes texts; a text that an archive masked passes if it is, to the letter, what the redaction wrote.

    ``allowed`` is None for redactions of before such hashes were kept: then any text with a mask passes, and is
    counted as not checked.
    """

    allowed: Hashes | None
    masked: int = 0

    def hash_of(self, name: str, body: Any, kept: str | None) -> str:
        digest = body_hash(body)
        if digest == kept or kept is None or not self._is_mask(name, body, digest):
            return digest
        self.masked += 1
        return kept

    def of_document(self, name: str, kept: ExactBody, redacted: frozenset[str]) -> str:
        """One that was itself redacted is blank everywhere, and not counted among those that an archive masked."""
        if name not in redacted:
            return self.hash_of(name, kept.body, kept.body_hash)
        digest = body_hash(kept.body)
        return kept.body_hash if self._is_mask(name, kept.body, digest) else digest

    def notes(self) -> Iterable[str]:
        if not self.masked:
            return
        texts = f"{counted(self.masked, 'text')} {of_number(self.masked, 'is', 'are')}"
        if self.allowed is None:
            yield f"{texts} masked because of a redaction that kept no hash of masked texts: not checked"
        else:
            yield f"{texts} masked because of a redaction, each to the letter as the redaction wrote it"

    def _is_mask(self, name: str, body: Any, digest: str) -> bool:
        if self.allowed is not None:
            return self.allowed.get(name) == digest
        return REDACTED in (body if isinstance(body, str) else canonical(body))


def _evidence(
    look: Reading,
    run: RunRecord,
    made: Mapping[str, ExactIntervention],
    templates: Counter[tuple[str, str]],
    hasher: _Hasher,
) -> RunEvidence:
    design, design_kept = look.studies.exact_design(run.study_id)
    events = look.ledgers.of_run(run.id)
    told = {event.body["intervention"]: event.body["sha256"] for event in events if "intervention" in event.body}
    redacted = _redacted(made.values())
    calls: dict[str, CallEvidence] = {}
    for call in look.calls.exact(run.id):
        calls[str(call.id)] = _call(call, hasher)
        templates.update(call.template_hashes.items())
    return RunEvidence(
        number=run.number,
        study=str(run.study_id),
        design_sha256=body_hash(design),
        design_kept=design_kept,
        plan_sha256=body_hash(run.plan) if run.plan is not None else None,
        events=events,
        head=run.ledger_head,
        length=run.ledger_length,
        calls=calls,
        artifacts={
            name: ArtifactEvidence(one.key, hasher.of_document(name, one, redacted), one.body_hash)
            for name, one in look.artifacts.exact(run.id).items()
        },
        interventions={
            name: InterventionEvidence(one.kind, one.author, hasher.hash_of(name, one.texts, told.get(name)))
            for name, one in made.items()
        },
        redacted=redacted if hasher.allowed is None else frozenset(),
        sums={name: getattr(run, name) for name in SUMS},
    )


def _call(call: ExactCall, hasher: _Hasher) -> CallEvidence:
    return CallEvidence(
        attempt=call.attempt,
        model=call.model_asked,
        state=call.state,
        request_sha256=hasher.hash_of(request_of(call.id), call.request, call.request_hash),
        request_kept=call.request_hash,
        templates_sha256=body_hash(call.template_hashes),
        response_sha256=None
        if call.response is None
        else hasher.hash_of(response_of(call.id), call.response, call.response_hash),
        response_kept=call.response_hash,
        tokens_in=call.tokens_in,
        tokens_out=call.tokens_out,
        tokens_estimated=call.tokens_estimated,
        tokens_reserved=call.tokens_reserved,
        cost_reserved=call.cost_reserved,
        cost_usd=call.cost_usd,
    )


def _redacted(made: Iterable[ExactIntervention]) -> frozenset[str]:
    """Documents whose text an intervention took out; the ledger holds the hash of what it says."""
    return frozenset(str(one.texts["before"]["artifact"]) for one in made if one.kind == InterventionKind.REDACT)


def _other_templates(used: Counter[tuple[str, str]]) -> Iterable[str]:
    """Prompts that read otherwise here than when the calls were made: another version, not a misfit."""
    here = {template.name: template.sha256 for template in prompt_templates().values()}
    for (name, digest), calls in sorted(used.items()):
        if here.get(name) != digest:
            yield f"prompt {name}: {counted(calls, 'call')} made with version {digest[:12]}, not this checkout's"
