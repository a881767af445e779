"""The review list: passages that wait for a person, were decided, or count, and each one by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from uuid import UUID

from app.domain.audit.findings import FindingFilter, Shown
from app.domain.audit.texts import sentence_around
from app.domain.protocol.analysis import Treatment
from app.services.boards import StudyView, show_study
from app.services.interventions_list import author_names
from app.services.judged_runs import changed_places, is_changed
from app.services.listing import Listing, listing
from app.services.probes import TEXT_PROBES, fields_of, probe_versions
from app.services.unit_of_work import Reading
from app.storage.findings import KeptDecision, KeptFinding, PlacedFinding

SIZE = 25


@dataclass(frozen=True, slots=True)
class FindingLine:
    """One passage in its sentence, with all that people decided about it, the first first, and their names.

    ``text`` is the sentence, empty where it was taken out, ``span`` the passage's place in it; ``marked`` says that the
    era or the run carries an intervention.
    """

    placed: PlacedFinding
    decisions: tuple[tuple[KeptDecision, str], ...]
    text: str
    span: tuple[int, int]
    marked: bool

    @property
    def name(self) -> str:
        """The probe that marked it."""
        return self.placed.finding.probe


@dataclass(frozen=True, slots=True)
class FindingsView:
    """One page of a study's passages; ``wanted`` is what was asked for, as far as the study has it."""

    page: StudyView
    wanted: FindingFilter
    counts: Mapping[Shown, int]
    probes: tuple[str, ...]
    eras: tuple[str, ...]
    intervened: bool
    lines: Listing[FindingLine]

    @property
    def address(self) -> dict[str, str]:
        """What is listed, as its address says it."""
        return asdict(self.wanted)

    @property
    def narrowed(self) -> bool:
        """Whether less is asked for than every passage of its kind."""
        return self.wanted != FindingFilter(self.wanted.shown)


def show_findings(reading: Reading, study_id: UUID, wanted: FindingFilter, *, page: int = 1) -> FindingsView:
    """Passages that wait for a person, were decided, or count; of one probe, era or schedule where asked.

    Raises NotFoundError.
    """
    study = show_study(reading, study_id)
    schedules = [one.id for one in study.study.design.schedules]
    eras = tuple(dict.fromkeys(one.id for one in study.study.design.eras))
    probes = tuple(one.name for one in TEXT_PROBES)
    wanted = replace(
        wanted,
        probe=wanted.probe if wanted.probe in probes else "",
        era=wanted.era if wanted.era in eras else "",
        schedule=wanted.schedule if len(schedules) > 1 and wanted.schedule in schedules else "",
    )
    changed = changed_places(reading, [run.id for run in reading.runs.of_study(study_id)])
    out = changed if wanted.interventions is Treatment.LEAVE_OUT else frozenset()
    versions, store = probe_versions().items(), reading.findings
    counts = {one: store.count(study_id, versions, replace(wanted, shown=one), but=out) for one in Shown}
    found = store.listed(study_id, versions, wanted, but=out, limit=SIZE, offset=(page - 1) * SIZE)
    lines = listing(finding_lines(reading, found), page=page, size=SIZE, total=counts[wanted.shown])
    return FindingsView(study, wanted, counts, probes, eras, bool(changed), lines)


def show_finding(reading: Reading, finding_id: UUID) -> tuple[StudyView, FindingLine]:
    """One passage with its study. Raises NotFoundError."""
    placed = reading.findings.get(finding_id)
    study = show_study(reading, reading.runs.get(placed.finding.run_id).study_id)
    return study, finding_lines(reading, [placed])[0]


def finding_lines(reading: Reading, found: Sequence[PlacedFinding]) -> tuple[FindingLine, ...]:
    """Passages in their sentences with what people decided."""
    names = author_names(reading)
    made = reading.findings.decisions([placed.finding for placed in found])
    fields = _fields(reading, found)
    changed = changed_places(reading, {placed.finding.run_id for placed in found})
    return tuple(
        FindingLine(
            placed,
            tuple((one, names.get(one.author_id, "unknown")) for one in made[placed.finding.id]),
            *_sentence(placed.finding, fields),
            marked=is_changed(changed, placed.finding.run_id, placed.era),
        )
        for placed in found
    )


def _fields(reading: Reading, found: Sequence[PlacedFinding]) -> dict[tuple[UUID, str], str]:
    """The fields of the documents that these passages lie in, by document and path."""
    places = {(placed.finding.run_id, placed.era) for placed in found}
    wanted = {placed.finding.artifact_id for placed in found}
    kept = (one for run_id, era in places for one in reading.artifacts.of_run(run_id, era=era) if one.id in wanted)
    return {(one.id, field.path): field.text for one in kept for field in fields_of(one.artifact)}


def _sentence(finding: KeptFinding, fields: Mapping[tuple[UUID, str], str]) -> tuple[str, tuple[int, int]]:
    text = fields.get((finding.artifact_id, finding.path), "")
    start, end = finding.starts_at, finding.ends_at
    if not finding.quote or text[start:end] != finding.quote:
        return "", (0, 0)
    first, last = sentence_around(text, start, end)
    return text[first:last], (start - first, end - first)
