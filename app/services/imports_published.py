"""Importing published runs: read and shown first, then stored whole as a study of finished runs, or not at all."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from app.domain.engine.inputs import StepKind
from app.domain.engine.interventions import InterventionKind
from app.domain.engine.ledger import EventKind
from app.domain.engine.steps import PlannedStep, plan_steps, step_key
from app.domain.ids import RunId, StepId, StepKey, StudyId, UserId
from app.domain.protocol.artifacts import Artifact
from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Schedule
from app.domain.protocol.presets import Briefings, Preset
from app.domain.study import ModelChoice, PlannedRun, StudyDesign, design_hash, plan_runs
from app.imports.published.uploads import FoundRun, FoundUpload, read_upload, unpack_upload
from app.imports.published.values import Proposal, ProposalKind
from app.imports.shifted_scores import ShiftedScoresError
from app.library.reader import schedule
from app.services.errors import NotFoundError, RefusedError
from app.services.imported_documents import documents_of
from app.services.locked_run import LockedRun
from app.services.marks import Wish, leave_mark
from app.services.moving import Origin, write_artifact
from app.services.unit_of_work import Reading, Work
from app.storage.imports import Import, ImportDraft, ImportedRun, Imports
from app.storage.steps import StepRecord
from app.storage.studies import Study

__all__ = ["ShiftedScoresError", "confirm_import", "preview_upload", "show_import", "show_preview"]

UNKNOWN = ModelChoice(model="unknown", family="unknown", temperature=None)
PUBLISHED_SCHEDULE = "history-1990-2040"
LONGEST_REASON = 4_000
DRAFT_WAITS = timedelta(days=1)
KINDS: Mapping[ProposalKind, InterventionKind] = {
    ProposalKind.INTERVENTION: InterventionKind.WRITE_BY_HAND,
    ProposalKind.EXPOSURE: InterventionKind.ANNOTATE_EXPOSURE,
    ProposalKind.WINDOW: InterventionKind.ANNOTATE,
    ProposalKind.SHARED_CONTEXT: InterventionKind.ANNOTATE,
    ProposalKind.SAMPLING: InterventionKind.ANNOTATE,
}


@dataclass(frozen=True, slots=True)
class NamedProposal:
    """A proposal with the name under which a form confirms it."""

    name: str
    run: str
    proposal: Proposal


@dataclass(frozen=True, slots=True)
class Preview:
    """An upload that was read; ``before`` is the study it was imported as already, if it was."""

    draft_id: UUID
    found: FoundUpload
    proposals: tuple[NamedProposal, ...]
    before: Import | None
    mend: bool


@dataclass(frozen=True, slots=True)
class ImportView:
    """How a study was imported, and what came with its runs, by their names."""

    made: Import
    runs: tuple[tuple[str, ImportedRun], ...]


def preview_upload(work: Work, content: bytes, file: str, user: UserId, *, mend: bool) -> Preview:
    """Read an upload and keep its texts until it is confirmed. Raises a ValueError that says the mend."""
    found = read_upload(unpack_upload(content, file), file, mend=mend)
    schedule_of(found)
    draft = ImportDraft(work.new_id(), file, mend, found.texts, found.unread, user, work.now)
    store = Imports(work.session)
    store.keep_draft(draft, for_at_most=DRAFT_WAITS)
    return Preview(draft.id, found, _named(found), store.by_fingerprint(found.fingerprint), mend)


def show_preview(reading: Reading, draft_id: UUID) -> Preview:
    """A kept upload, read again. Raises NotFoundError once it was confirmed or dropped."""
    store = Imports(reading.session)
    draft = store.draft(draft_id)
    found = _read(draft)
    return Preview(draft.id, found, _named(found), store.by_fingerprint(found.fingerprint), draft.mend)


def confirm_import(work: Work, draft_id: UUID, name: str, accepted: Collection[str], user: UserId) -> StudyId:
    """Store an upload as a study; the same contents give the study they gave before, and nothing changes."""
    store = Imports(work.session)
    draft = store.draft(draft_id)
    found = _read(draft)
    before = store.by_fingerprint(found.fingerprint)
    store.drop_draft(draft_id)
    if before:
        return before.study_id
    design = _design(found, name)
    study = Study(
        StudyId(work.new_id()), design, design_hash(design), rehearsal=False, launched_by=user, launched_at=work.now
    )
    work.studies.add(study)
    made = Import(study.id, found.fingerprint, draft.file, (*found.notes, *_unread(found)), user, work.now)
    if not store.add(made):
        raise RefusedError("The same contents are being imported right now. Look at the list of studies.")
    chosen = [one for one in _named(found) if one.name in accepted]
    for planned, run in zip(plan_runs(design), found.runs, strict=True):
        _store_run(work, study, planned, run, [one.proposal for one in chosen if one.run == run.run], draft)
    return study.id


def show_import(reading: Reading, study_id: UUID) -> ImportView:
    """How a study was imported. Raises NotFoundError for a study that was launched here."""
    store = Imports(reading.session)
    made = store.of_study(study_id)
    if made is None:
        raise NotFoundError("import of study", study_id)
    runs = {run.run_id: run for run in store.runs(study_id)}
    return ImportView(made, tuple((record.name, runs[record.id]) for record in reading.runs.of_study(study_id)))


def schedule_of(found: FoundUpload) -> Schedule:
    """The published schedule, cut to the eras there are. Raises RefusedError for eras or modes it does not have."""
    whole = schedule(PUBLISHED_SCHEDULE)
    modes = {era.id: era.mode for era in whole.eras}
    there = set()
    for run in found.runs:
        for era in run.eras:
            if modes.get(era.era) != era.mode:
                raise RefusedError(
                    f"{run.run} {era.era}: the published schedule has no {era.mode} era of that name; it has "
                    f"{', '.join(f'{one} ({mode})' for one, mode in modes.items())}. Correct era or mode."
                )
            there.add(era.era)
        there |= {era.era for era in run.documents.eras} if run.documents else set()
    strange = sorted(there - set(modes))
    if strange:
        raise RefusedError(f"eras/{strange[0]}: the published schedule has {', '.join(modes)}. Rename the folder.")
    eras = tuple(era for era in whole.eras if era.id in there)
    return whole.model_copy(update={"id": "published", "title": f"{whole.title}, as published", "eras": eras})


def _read(draft: ImportDraft) -> FoundUpload:
    files = {path: text.encode() for path, text in draft.texts.items()}
    return replace(read_upload(files, draft.file, mend=draft.mend), unread=draft.unread)


def _named(found: FoundUpload) -> tuple[NamedProposal, ...]:
    return tuple(
        NamedProposal(f"{run.run}/{place}", run.run, proposal)
        for run in found.runs
        for place, proposal in enumerate(run.proposals, start=1)
    )


def _unread(found: FoundUpload) -> tuple[str, ...]:
    return (f"Not read: {', '.join(found.unread)}.",) if found.unread else ()


def _design(found: FoundUpload, name: str) -> StudyDesign:
    """What is known of the design: the pilot's way with models that the records do not name."""
    return StudyDesign(
        name=name,
        preset=Preset.PILOT,
        briefings=Briefings.MODEL,
        schedules=(schedule_of(found),),
        conditions=(Condition.FULL,),
        repetitions=len(found.runs),
        players=(UNKNOWN,),
        judge=UNKNOWN,
        author=UNKNOWN,
    )


def _store_run(
    work: Work, study: Study, planned: PlannedRun, found: FoundRun, proposals: list[Proposal], draft: ImportDraft
) -> None:
    run_id = RunId(work.new_id())
    documents = documents_of(found)
    head = work.runs.add(run_id, study.id, planned, steps=len(documents), calls=0, at=work.now)
    run = LockedRun.added(work, head)
    run.set(name=found.run)
    run.tell(EventKind.RUN_PLANNED, {"study": str(study.id), "design_sha256": study.design_hash, "run": planned.number})
    steps = _store_documents(work, run, study.design, documents)
    source = (
        f"Imported from {draft.file}; subscores were moved one column by choice."
        if draft.mend
        else f"Imported from {draft.file}."
    )
    leave_mark(work, run, InterventionKind.IMPORT, Wish(author=draft.made_by, reason=source), None)
    for proposal in proposals:
        reason = " ".join([proposal.statement, *(f"[{line}]" for line in proposal.evidence)])
        wish = Wish(author=draft.made_by, reason=reason[:LONGEST_REASON])
        leave_mark(work, run, KINDS[proposal.kind], wish, _place(work, steps, proposal))
    run.tell(EventKind.RUN_FINISHED, {"steps": len(documents)})
    run.set(state="finished", finished_at=work.now)
    run.write()
    Imports(work.session).add_run(_rest(run_id, study.id, found))


def _store_documents(
    work: Work, run: LockedRun, design: StudyDesign, documents: Mapping[StepKey, Artifact]
) -> dict[StepKey, StepId]:
    plan: dict[StepKey, PlannedStep] = {
        step.key: step for step in plan_steps(design, Condition.FULL, design.schedules[0])
    }
    steps: dict[StepKey, StepId] = {}
    for key, document in documents.items():
        steps[key] = StepId(work.new_id())
        work.steps.add(steps[key], run.head.id, plan[key], work.now, done=True)
        write_artifact(work, run, steps[key], plan[key], document, Origin())
    return steps


def _place(work: Work, steps: Mapping[StepKey, StepId], proposal: Proposal) -> StepRecord | None:
    """The step a proposal is about: the board's, or the review's where there is none; None for a whole run."""
    if proposal.era is None:
        return None
    keys = (step_key(proposal.era, kind) for kind in (StepKind.BOARD, StepKind.REVIEW))
    found = next((steps[key] for key in keys if key in steps), None)
    return work.steps.get(found) if found else None


def _rest(run_id: RunId, study_id: StudyId, found: FoundRun) -> ImportedRun:
    documents = found.documents
    return ImportedRun(
        run_id=run_id,
        study_id=study_id,
        playbook=[
            {"tag": lesson.tag, "text": lesson.text, "revisions": list(lesson.revisions)}
            for lesson in (documents.playbook if documents else ())
        ],
        unparsed=[{"path": one.path, "what": one.what} for one in found.unparsed],
        texts=dict(documents.texts) if documents else {},
    )
