"""A study's Audit tab: rates by probe, condition and era, selection, layers against the truth, and the review list."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.domain.audit.captures import UNRECALLABLE, CaptureContrast, JudgedLayer, contrast_captures
from app.domain.audit.findings import Probe, rate_of
from app.domain.audit.layer_truth import LayerAccuracy, LayerCase, layer_accuracy
from app.domain.audit.selection import excess_beyond_prominence
from app.domain.audit.texts import sentence_around
from app.domain.protocol.analysis import Treatment
from app.domain.protocol.eras import Schedule
from app.domain.protocol.fictional import fictional_layers, true_profits
from app.domain.scoring.measures import Measure, mean_of
from app.domain.study import StudyDesign
from app.services.boards import StudyView, show_study
from app.services.check_results import ResultLine
from app.services.interventions_list import author_names
from app.services.judged_runs import StudiedRun, changed_places, is_changed, studied_runs
from app.services.judging_pages import JudgingLine, show_checks
from app.services.listing import Listing, listing
from app.services.probe_quality import ProbeQuality, probe_qualities
from app.services.probes import TEXT_PROBES, fields_of, probe_versions
from app.services.treatments import Touched, chosen_treatment, touched_in, touched_places, treated
from app.services.unit_of_work import Reading
from app.services.worlds import world_of
from app.storage.findings import CountSum, KeptCount, KeptDecision, KeptFinding, PlacedFinding
from app.storage.judgements import Judgements
from app.storage.studies import Study

SIZE = 25
SHOWN = ("waiting", "decided", "hit")
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class RateCell:
    """Hits per 1,000 words of some documents; ``by_people`` of the hits were decided by a person."""

    rate: Measure
    hits: int
    words: int
    documents: int
    by_people: int
    waiting: int


@dataclass(frozen=True, slots=True)
class ProbeTable:
    """One probe's rates, a row a condition: its eras in order (None where nothing was read), then all."""

    probe: Probe
    version: str
    quality: ProbeQuality
    rows: tuple[tuple[str, tuple[RateCell | None, ...], RateCell], ...]
    whole: RateCell


@dataclass(frozen=True, slots=True)
class SelectionLine:
    """What one briefing took; numbers are None with a reason where it can say nothing."""

    run_id: UUID
    run: str
    condition: str
    schedule: str
    era: str
    key: str
    author: str
    used: int
    dominant: int
    unnumbered: int
    share: float | None
    expected: float | None
    excess: float | None
    p_value: float | None
    power: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class SelectionSum:
    """The briefings of one author on one schedule: mean excess, and how many have p at or under the level."""

    author: str
    schedule: str
    briefings: int
    excess: Measure
    tested: int
    small: int


@dataclass(frozen=True, slots=True)
class SelectionLean:
    """How far an author's briefings lean to what came to dominate on history, on invented worlds, and beyond these."""

    author: str
    real: Measure
    fictional: Measure
    beyond: Measure


@dataclass(frozen=True, slots=True)
class AuditView:
    """Everything the Audit tab says; ``tables`` are of the schedule that ``page`` shows, ``worlds`` one by one."""

    page: StudyView
    audited_at: datetime | None
    documents: int
    tables: tuple[ProbeTable, ...]
    hits: int
    words: int
    waiting: int
    decided: int
    selections: tuple[SelectionLine, ...]
    selection_sums: tuple[SelectionSum, ...]
    leans: tuple[SelectionLean, ...]
    layers: LayerAccuracy | None
    worlds: tuple[tuple[str, LayerAccuracy], ...]
    captures: tuple[CaptureContrast, ...]
    checks: tuple[JudgingLine, ...]
    fiction: ResultLine | None
    treatment: Treatment
    touched: Touched


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
    """One page of a study's passages."""

    page: StudyView
    shown: str
    probe: str
    era: str
    eras: tuple[str, ...]
    schedule: str
    counts: Mapping[str, int]
    probes: tuple[str, ...]
    lines: Listing[FindingLine]


def show_audit(reading: Reading, study_id: UUID, schedule: str = "", interventions: str = "") -> AuditView:
    """The Audit tab of a study, its rates on one schedule, the first if none is named. Raises NotFoundError.

    ``interventions`` names a treatment of what carries one; the design's main analysis has its own.
    """
    page = show_study(reading, study_id, schedule=schedule)
    design = page.study.design
    versions = tuple(probe_versions().items())
    every = studied_runs(reading, design, reading.runs.of_study(study_id))
    treatment = chosen_treatment(interventions, design)
    runs, out = treated(every, treatment), touched_places(every) if treatment is Treatment.LEAVE_OUT else frozenset()
    sums = reading.findings.sums(study_id, versions, but=out)
    audited_at, documents = reading.findings.last_count(study_id)
    whole = tuple(rate_cell([one for one in sums if one.probe == probe.name]) for probe in TEXT_PROBES)
    tables = tuple(_table(probe, design, page.schedule, sums) for probe in TEXT_PROBES)
    selected = (selection_line(page.study, *row) for row in reading.findings.selections(study_id, versions))
    selections = tuple(one for one in selected if not is_changed(out, one.run_id, one.era))
    cases = layer_cases(reading, design, runs)
    checks, fiction = show_checks(reading, page.study)
    return AuditView(
        page=page,
        audited_at=audited_at,
        documents=documents,
        tables=tables,
        hits=sum(cell.hits for cell in whole),
        words=max(cell.words for cell in whole),
        waiting=sum(cell.waiting for cell in whole),
        decided=reading.findings.count(study_id, versions, shown="decided"),
        selections=selections,
        selection_sums=_selection_sums(selections),
        leans=_leans(design, selections),
        layers=layer_accuracy([case for own in cases.values() for case in own]) if cases else None,
        worlds=tuple((title, layer_accuracy(own)) for title, own in cases.items()),
        captures=_captures(design, runs),
        checks=checks,
        fiction=fiction,
        treatment=treatment,
        touched=touched_in(every),
    )


def show_findings(
    reading: Reading,
    study_id: UUID,
    *,
    shown: str = "",
    probe: str = "",
    era: str = "",
    schedule: str = "",
    page: int = 1,
) -> FindingsView:
    """Passages that wait for a person, were decided, or count, of one probe, era or schedule where asked.

    Raises NotFoundError.
    """
    study = show_study(reading, study_id)
    schedules = study.study.design.schedules
    schedule = schedule if len(schedules) > 1 and schedule in {one.id for one in schedules} else ""
    eras = tuple(dict.fromkeys(one.id for one in study.study.design.eras))
    versions = tuple(probe_versions().items())
    probes = tuple(one.name for one in TEXT_PROBES)
    shown, probe = (shown if shown in SHOWN else SHOWN[0]), (probe if probe in probes else "")
    era = era if era in eras else ""
    place = {"probe": probe, "era": era, "schedule": schedule}
    counts = {one: reading.findings.count(study_id, versions, shown=one, **place) for one in SHOWN}
    found = reading.findings.listed(study_id, versions, shown=shown, **place, limit=SIZE, offset=(page - 1) * SIZE)
    lines = listing(finding_lines(reading, found), page=page, size=SIZE, total=counts[shown])
    return FindingsView(study, shown, probe, era, eras, schedule, counts, probes, lines)


def show_finding(reading: Reading, finding_id: UUID) -> tuple[StudyView, FindingLine]:
    """One passage with its study. Raises NotFoundError."""
    placed = reading.findings.get(finding_id)
    study = show_study(reading, reading.runs.get(placed.finding.run_id).study_id)
    return study, finding_lines(reading, [placed])[0]


def finding_lines(reading: Reading, found: Sequence[PlacedFinding]) -> tuple[FindingLine, ...]:
    """Passages in their sentences with what people decided."""
    names = author_names(reading)
    made: dict[tuple[object, ...], list[tuple[KeptDecision, str]]] = defaultdict(list)
    for one in reading.findings.decisions({placed.finding.artifact_id for placed in found}):
        made[_passage(one)].append((one, names.get(one.author_id, "unknown")))
    fields = _fields(reading, found)
    changed = changed_places(reading, {placed.finding.run_id for placed in found})
    return tuple(
        FindingLine(
            placed,
            tuple(made[_passage(placed.finding)]),
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


def _passage(one: object) -> tuple[object, ...]:
    return tuple(getattr(one, name) for name in ("artifact_id", "probe", "path", "starts_at", "ends_at"))


def _table(probe: Probe, design: StudyDesign, schedule: Schedule, sums: Iterable[CountSum]) -> ProbeTable:
    own = [one for one in sums if one.probe == probe.name and design.schedule_of(one.schedule) == schedule]
    rows = []
    for condition in design.conditions:
        here = [one for one in own if one.condition == condition]
        cells = tuple(_cell_at(here, era.id) for era in schedule.eras)
        if here:
            rows.append((str(condition), cells, rate_cell(here)))
    version = probe_versions()[probe.name]
    return ProbeTable(probe, version, probe_qualities()[probe.name], tuple(rows), rate_cell(own))


def _cell_at(sums: Sequence[CountSum], era: str) -> RateCell | None:
    here = [one for one in sums if one.era == era]
    return rate_cell(here) if here else None


def rate_cell(sums: Sequence[CountSum]) -> RateCell:
    """Counts of one probe as one rate."""
    by_people = sum(one.by_people for one in sums)
    hits, words = sum(one.hits for one in sums) + by_people, sum(one.words for one in sums)
    documents, waiting = sum(one.documents for one in sums), sum(one.waiting for one in sums)
    return RateCell(rate_of(hits, words), hits, words, documents, by_people, waiting)


def selection_line(study: Study, count: KeptCount, run: str, condition: str, schedule: str) -> SelectionLine:
    """What one briefing took, from its count and its run's name, condition and schedule."""
    numbers = count.numbers or {}
    carried = study.design.preset.judge_writes_next_briefing
    author = study.design.judge.model if carried else study.design.author.model
    return SelectionLine(
        run_id=count.run_id,
        run=run,
        condition=condition,
        schedule=study.design.schedule_of(schedule).title,
        era=count.era,
        key=count.key,
        author="drawn by code" if numbers.get("drawn") else author,
        used=numbers.get("used", 0),
        dominant=numbers.get("dominant", 0),
        unnumbered=numbers.get("unnumbered", 0),
        share=numbers.get("share"),
        expected=numbers.get("expected"),
        excess=numbers.get("excess"),
        p_value=numbers.get("p_value"),
        power=numbers.get("power"),
        reason=numbers.get("reason"),
    )


def _selection_sums(lines: Sequence[SelectionLine]) -> tuple[SelectionSum, ...]:
    by_author: dict[tuple[str, str], list[SelectionLine]] = defaultdict(list)
    for line in lines:
        by_author[line.author, line.schedule].append(line)
    return tuple(
        SelectionSum(
            author=author,
            schedule=schedule,
            briefings=len(own),
            excess=mean_of([one.excess for one in own if one.excess is not None], "briefing with an excess"),
            tested=sum(one.p_value is not None for one in own),
            small=sum(one.p_value is not None and one.p_value <= LEVEL for one in own),
        )
        for (author, schedule), own in sorted(by_author.items())
    )


def _leans(design: StudyDesign, lines: Sequence[SelectionLine]) -> tuple[SelectionLean, ...]:
    """Every author in order of name; what already dominates is prominent without leakage, in a world as in history."""
    invented = {one.title for one in design.schedules if one.is_fictional}
    leans = []
    for author in sorted({line.author for line in lines}):
        own = [
            (line.schedule in invented, line.excess)
            for line in lines
            if line.author == author and line.excess is not None
        ]
        real, fictional = (
            mean_of([excess for among, excess in own if among is wanted], "briefing with an excess")
            for wanted in (False, True)
        )
        leans.append(SelectionLean(author, real, fictional, excess_beyond_prominence(real, fictional)))
    return tuple(leans)


def layer_cases(reading: Reading, design: StudyDesign, runs: Sequence[StudiedRun]) -> Mapping[str, Sequence[LayerCase]]:
    """The judged eras of each fictional world by its title, with what its market says of them."""
    worlds = {one.id: one for one in design.schedules if one.is_fictional}
    invented = [run for run in runs if run.judged.schedule in worlds]
    reviews = {(one.run_id, one.era): one.pooled_layer for one in Judgements(reading.session).reviews(_ids(invented))}
    cases: dict[str, list[LayerCase]] = defaultdict(list)
    for run in invented:
        schedule = worlds[run.judged.schedule]
        world = world_of(schedule)
        graph = fictional_layers(world)
        for era, decided in run.decided.items():
            pooled = reviews.get((run.record.id, era))
            if pooled in graph.ids and decided.layer in graph.ids:
                assert pooled
                assert decided.layer
                cases[schedule.title].append(LayerCase(decided.layer, pooled, true_profits(world, era), graph))
    return cases


def _ids(runs: Iterable[StudiedRun]) -> list[UUID]:
    return [run.record.id for run in runs]


def _captures(design: StudyDesign, runs: Sequence[StudiedRun]) -> tuple[CaptureContrast, ...]:
    modes = {(one.id, era.id): era.mode for one in design.schedules for era in one.eras}
    kinds = {mode in UNRECALLABLE for mode in modes.values() if mode.has_outcome}
    if len(kinds) < 2:
        return ()
    return contrast_captures(
        JudgedLayer(run.label, run.record.condition, run.record.player, modes[run.judged.schedule, era], distance)
        for run in runs
        for era, distance in run.judged.distances.items()
    )
