"""The leakage audit of a run: every probe on every document it has not counted yet; and what people decide."""

from uuid import UUID, uuid4

from pydantic import BaseModel

from app.domain.engine.state import RunState
from app.domain.ids import UserId
from app.jobs import Job
from app.services.errors import RefusedError
from app.services.probes import EraDocument, EraTexts, Probed, probe_era, probe_versions
from app.services.run_states import run_state
from app.services.unit_of_work import Reading, Work, reading, unit_of_work
from app.services.worlds import library_of
from app.storage.findings import KeptCount, KeptDecision, KeptFinding
from app.storage.runs import JUDGING, RunRecord

BATCH = 200


def audit_run(run_id: UUID) -> int:
    """Count what is not counted yet in a run's documents; gives how many counts were added. Safe to repeat.

    Opens transactions of its own: one that reads, and one that writes once everything is counted.
    """
    with reading(one_moment=True) as look:
        run = look.runs.get(run_id)
        if run.kind == JUDGING:  # its documents are a judge's, whom no probe reads
            return 0
        done = look.findings.counted(run_id)
        taken_out = look.redactions.count(run_id)
        eras = _era_texts(look, run)
    found = [
        one
        for texts in eras
        if any((each.id, probe, version) not in done for each in texts.documents for probe, version in _versions())
        for one in probe_era(texts)
        if (one.document.id, one.probe, one.version) not in done
    ]
    with unit_of_work() as work:
        work.runs.lock(run_id)
        if work.redactions.count(run_id) != taken_out:  # what was read left the record meanwhile: no quote is kept
            work.enqueue(Job.AUDIT_RUN, run_id)
            return 0
        added = sum(_keep(work, run_id, one) for one in found)
        if run.state == "finished":
            work.findings.mark_audited(work.new_id(), run_id, current_versions(), work.now)
    return added


def audit_owed() -> int:
    """Send every finished run that the probes of today have not audited; gives how many were sent."""
    with unit_of_work() as work:
        owed = work.findings.owed(current_versions(), limit=BATCH)
        for run_id in owed:
            work.enqueue(Job.AUDIT_RUN, run_id)
    return len(owed)


def ask_audit(work: Work, study_id: UUID) -> None:
    """Have every run of a study audited as far as it is. Raises NotFoundError."""
    study = work.studies.get(study_id)
    for run in work.runs.of_study(study.id):
        work.enqueue(Job.AUDIT_RUN, run.id)


def decide_finding(
    work: Work, finding_id: UUID, author: UserId, *, is_hit: bool, reason: str, seen: int | None = None
) -> UUID:
    """Keep what a person decided about a passage that waits for one; gives its run.

    A later decision counts in place of an earlier one, which stays on record; ``seen`` is how many there were on the
    page that it was made on. Raises NotFoundError, and RefusedError for a passage that the probe is sure of or that
    somebody decided about meanwhile.
    """
    finding = work.findings.get(finding_id).finding
    if finding.state != "review":
        raise RefusedError("The probe is sure of this passage: there is nothing to decide. Nothing was changed.")
    work.runs.lock(finding.run_id)  # of two who decide at once, the second sees what the first decided
    made = work.findings.decisions([finding])[finding.id]
    if seen is not None and len(made) > seen:
        last = made[-1]
        if (last.author_id, last.is_hit, last.reason) == (author, is_hit, reason):
            return finding.run_id  # the same form, sent twice
        raise RefusedError(
            "Somebody decided about this passage meanwhile. Nothing was changed; read it and decide again."
        )
    work.findings.decide(
        KeptDecision(
            id=work.new_id(),
            run_id=finding.run_id,
            artifact_id=finding.artifact_id,
            probe=finding.probe,
            path=finding.path,
            starts_at=finding.starts_at,
            ends_at=finding.ends_at,
            is_hit=is_hit,
            reason=reason,
            author_id=author,
            made_at=work.now,
        )
    )
    return finding.run_id


def current_versions() -> str:
    """The versions of all probes in one line."""
    return " ".join(f"{name}-{version}" for name, version in _versions())


def _versions() -> tuple[tuple[str, str], ...]:
    return tuple(sorted(probe_versions().items()))


def _era_texts(look: Reading, run: RunRecord) -> tuple[EraTexts, ...]:
    state = run_state(look, run.id, run.study_id, run.number, run.steps_done)
    steps = {step.key: step for step in state.plan}
    carried = state.design.preset.judge_writes_next_briefing
    kept: dict[str, list[EraDocument]] = {}
    names: list[str] = []
    found: list[EraTexts] = []
    for one in look.artifacts.of_run(run.id):
        step = steps.get(one.key)
        if step is not None:
            document = EraDocument(one.id, one.key, step.kind, one.artifact, step.by_code and not carried)
            kept.setdefault(step.era, []).append(document)
    for era in state.schedule.eras:
        decision = state.decision(era.id) or state.imported_decision(era.id)
        names += [decision.company_name] if decision else []
        if era.id in kept:
            entering = _entering(state, era.id)
            seed = f"{run.id}:{era.id}"
            found.append(
                EraTexts(era, tuple(kept[era.id]), entering, tuple(names), library_of(state.schedule).events, seed)
            )
    return tuple(found)


def _entering(state: RunState, era: str) -> tuple[BaseModel, ...]:
    """What the company brings and is told beside its briefing: its state, its Playbook, its people."""
    brought = (state.company(era), state.playbook(era))
    return (*brought, state.design.roster) if state.design.roster else brought


def _keep(work: Work, run_id: UUID, found: Probed) -> bool:
    document = found.document
    count = KeptCount(
        id=work.new_id(),
        run_id=run_id,
        artifact_id=document.id,
        key=document.key,
        era=found.era,
        probe=found.probe,
        version=found.version,
        words=found.words,
        hits=sum(one.state == "hit" for one in found.findings),
        numbers=dict(found.numbers) if found.numbers is not None else None,
        made_at=work.now,
    )
    findings = [
        KeptFinding(
            id=uuid4(),
            run_id=run_id,
            artifact_id=document.id,
            probe=one.probe,
            version=one.version,
            path=one.path,
            starts_at=one.start,
            ends_at=one.end,
            quote=one.quote,
            about=one.about,
            state=str(one.state),
            why=one.why,
        )
        for one in found.findings
    ]
    return work.findings.add(count, findings)
