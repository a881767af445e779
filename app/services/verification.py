"""Verifying runs: everything kept is hashed and added up anew, and held against the ledger."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.ledger import body_hash
from app.domain.engine.proof import ArtifactEvidence, CallEvidence, InterventionEvidence, RunEvidence, misfits
from app.domain.ids import RunId
from app.library.reader import prompt_templates
from app.services.errors import NotFoundError
from app.services.unit_of_work import Reading
from app.storage.calls import ExactCall
from app.storage.interventions import ExactIntervention
from app.storage.runs import RunRecord

LATEST = "latest"

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
    """Verify the run of an id, or every run of the study of an id or of the latest study.

    Open ``look`` at one moment, so that a run that moves is seen whole. Raises NotFoundError.
    """
    return tuple(verify_run(look, run) for run in _runs(look, subject))


def verify_run(look: Reading, run: RunRecord) -> RunVerdict:
    """Verify one run."""
    templates: Counter[tuple[str, str]] = Counter()
    evidence = _evidence(look, run, templates)
    return RunVerdict(
        run_id=run.id,
        name=run.name,
        player=run.player,
        state=run.state,
        head=run.ledger_head,
        events=len(evidence.events),
        calls=len(evidence.calls),
        documents=len(evidence.artifacts),
        redacted=len(evidence.redacted),
        interventions=len(evidence.interventions),
        problems=tuple(misfits(evidence)),
        notes=tuple(_other_templates(templates)),
    )


def _runs(look: Reading, subject: str) -> tuple[RunRecord, ...]:
    if subject == LATEST:
        studies = look.studies.newest(limit=1)
        if not studies:
            raise NotFoundError("study", "yet")
        return look.runs.of_study(studies[0].id)
    try:
        wanted = UUID(subject)
    except ValueError:
        raise NotFoundError("run or study", subject) from None
    try:
        return (look.runs.get(wanted),)
    except NotFoundError:
        runs = look.runs.of_study(wanted)
    if not runs:
        raise NotFoundError("run or study", subject)
    return runs


def _evidence(look: Reading, run: RunRecord, templates: Counter[tuple[str, str]]) -> RunEvidence:
    design, design_kept = look.studies.exact_design(run.study_id)
    made = look.interventions.exact(run.id)
    calls: dict[str, CallEvidence] = {}
    for call in look.calls.exact(run.id):
        calls[str(call.id)] = _call(call)
        templates.update(call.template_hashes.items())
    return RunEvidence(
        number=run.number,
        study=str(run.study_id),
        design_sha256=body_hash(design),
        design_kept=design_kept,
        events=look.ledgers.of_run(run.id),
        head=run.ledger_head,
        length=run.ledger_length,
        calls=calls,
        artifacts={
            name: ArtifactEvidence(one.key, body_hash(one.body), one.body_hash)
            for name, one in look.artifacts.exact(run.id).items()
        },
        interventions={
            name: InterventionEvidence(one.kind, one.author, body_hash(one.texts)) for name, one in made.items()
        },
        redacted=_redacted(made.values()),
        sums={name: getattr(run, name) for name in SUMS},
    )


def _call(call: ExactCall) -> CallEvidence:
    return CallEvidence(
        attempt=call.attempt,
        model=call.model_asked,
        state=call.state,
        request_sha256=body_hash(call.request),
        request_kept=call.request_hash,
        templates_sha256=body_hash(call.template_hashes),
        response_sha256=None if call.response is None else body_hash(call.response),
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
            yield f"prompt {name}: {calls} calls were made with version {digest[:12]}, not this checkout's"
