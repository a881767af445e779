"""What the Playbooks of a study's runs are made of, by condition: lessons, revisions, citations, kinds."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.ids import RunId
from app.domain.protocol.artifacts import LessonDraft, LessonKind, Stance
from app.domain.protocol.eras import Schedule
from app.domain.protocol.playbook import Playbook
from app.domain.scoring.lessons import LessonSummary, summarize_lessons
from app.domain.scoring.measures import Measure, mean_of
from app.services.judged_runs import StudiedRun
from app.services.unit_of_work import Reading
from app.storage.judgements import Judgements


@dataclass(frozen=True, slots=True)
class PlaybookLine:
    """Means over the runs of one condition; ``shares`` are by kind in words, of runs that have lessons."""

    condition: str
    runs: int
    lessons: Measure
    revisions: Measure
    citations: Measure
    shares: Mapping[str, Measure]


def playbook_lines(look: Reading, studied: Sequence[StudiedRun], schedule: Schedule) -> tuple[PlaybookLine, ...]:
    """A line for each condition, over the judged eras that its runs hold; none where nobody wrote a lesson."""
    store, ids = Judgements(look.session), [one.record.id for one in studied]
    drafts = store.lessons(ids) if ids else {}
    uses = store.lesson_uses(ids) if ids else {}
    found: dict[str, list[LessonSummary]] = defaultdict(list)
    for one in studied:
        held = [era.id for era in schedule.eras if era.id in {judged.era for judged in one.judged.eras}]
        found[one.record.condition].append(_summary(one.record.id, held, drafts, uses))
    if not any(summary.lessons for summaries in found.values() for summary in summaries):
        return ()
    return tuple(_line(condition, summaries) for condition, summaries in found.items())


def _summary(
    run: RunId,
    eras: Sequence[str],
    drafts: Mapping[tuple[RunId, str], tuple[LessonDraft, ...]],
    uses: Mapping[tuple[RunId, str], tuple[str, ...]],
) -> LessonSummary:
    playbook = Playbook()
    for era in eras:
        playbook = playbook.with_lessons(era, drafts.get((run, era), ()))
    changed = sum(lesson.revises is not None or lesson.retires is not None for lesson in playbook.lessons)
    cited = sum(stance == Stance.CITES for era in eras for stance in uses.get((run, era), ()))
    return summarize_lessons([lesson.kind for lesson in playbook.lessons], changed, cited)


def _line(condition: str, summaries: Sequence[LessonSummary]) -> PlaybookLine:
    shares = {
        kind.replace("_", " and ").capitalize(): mean_of(
            [share.value for one in summaries if (share := one.share_by_kind[kind]).value is not None], "run"
        )
        for kind in LessonKind
    }
    return PlaybookLine(
        condition=condition,
        runs=len(summaries),
        lessons=mean_of([float(one.lessons) for one in summaries], "run"),
        revisions=mean_of([float(one.revisions) for one in summaries], "run"),
        citations=mean_of([float(one.citations) for one in summaries], "run"),
        shares=shares,
    )
