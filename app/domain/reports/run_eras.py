"""A run, era by era, as sections of a report: what was decided, what the judge said, what was learned."""

from collections.abc import Collection, Mapping, Sequence

from app.domain.engine.state import RunState
from app.domain.protocol.artifacts import AuditorReview, Decision, LessonDraft, Review, SecondReading
from app.domain.protocol.eras import Era
from app.domain.protocol.rubrics import RubricId, dimensions_of, rubric_of
from app.domain.reports.blocks import (
    NONE,
    Align,
    Block,
    Column,
    Facts,
    Listed,
    Section,
    Table,
    joined,
    plain,
    prose,
    shown,
    words,
)  # fmt: skip
from app.domain.reports.results import MARK, MARKED
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.scoring.totals import controlled_total, mechanical_total

UNJUDGED = "This era is not judged yet."


def scores_tables(eras: Mapping[str, ScoredEra], state: RunState, marked: Collection[str]) -> tuple[Table, ...]:
    """The subscores and totals of every judged era, a table a rubric: the two are never set against each other."""
    return tuple(table for rubric in RubricId if (table := _scores(rubric, eras, state, marked)).rows)


def era_section(state: RunState, era: Era, layers: Mapping[str, str], marked: Collection[str]) -> Section:
    """One era in full: decision, review, second reading, lessons; ``layers`` are names by id."""
    decision, review, reading = state.decision(era.id), state.review(era.id), state.reading(era.id)
    mark = f" {MARK}" if era.id in marked else ""
    name = f": {shown(decision.company_name)}" if decision else ""
    window = f"{era.start:%Y-%m} to {era.end:%Y-%m}, {words(era.mode)}"
    blocks: list[Block] = [Facts((("Window", window),))]
    blocks += _decision(decision, layers) if decision else [prose("No decision was made in this era yet.")]
    blocks += _review(review, layers) if review else [prose(UNJUDGED)]
    if decision and decision.dissents:
        blocks.append(_dissents(decision, reading))
    if review:
        blocks.append(Listed("Lessons", tuple(_lesson(lesson) for lesson in review.lessons)))
    return Section(f"{shown(era.id)}{name}{mark}", tuple(blocks), level=2)


def _scores(rubric: RubricId, eras: Mapping[str, ScoredEra], state: RunState, marked: Collection[str]) -> Table:
    names = dimensions_of(rubric)
    record = rubric is RubricId.RECORD
    totals = ["T̃", "T*", "T typed"] if record else ["T̃", "T typed"]
    columns = [Column("Era"), Column("Company", 3), *(Column(words(name), 2, Align.RIGHT) for name in names)]
    columns += [Column(name, align=Align.RIGHT) for name in totals]
    listed = [era for era in state.schedule.eras if rubric_of(era.mode) is rubric and era.id in eras]
    rows = tuple(_score_row(eras[era.id], record=record, mark=MARK if era.id in marked else "") for era in listed)
    judge = "The Record" if record else "The Auditor"
    note = "Subscores 0 to 10. T̃: twice their sum."
    note += " T*: 2.5 times the sum of the four other than hindsight leakage (10 = none)." if record else ""
    any_mark = tuple(place for place, era in enumerate(listed) if era.id in marked)
    note += f" {MARKED}" if any_mark else ""
    return Table(tuple(columns), rows, caption=f"Scores by {judge}", note=note, marked=any_mark)


def _score_row(era: ScoredEra, *, record: bool, mark: str) -> tuple[str, ...]:
    subscores = [str(era.subscores[name]) for name in dimensions_of(era.rubric)]
    totals = [plain(mechanical_total(era), 0)]
    totals += [plain(controlled_total(era).value, 1)] if record else []
    return (f"{shown(era.era)}{mark}", shown(era.company), *subscores, *totals, plain(era.typed_total, 0))


def _decision(decision: Decision, layers: Mapping[str, str]) -> list[Block]:
    chain = decision.chain
    deferral = decision.deferral
    gate = f"yes, behind: {shown(deferral.gate or NONE)}" if deferral.deferred else "no"
    stops = [f"{one.measure}: {one.threshold} by {one.by}" for one in decision.stop_criteria]
    return [
        Facts(
            (
                ("Identity", shown(decision.identity)),
                ("Layer", shown(layers.get(chain.layer, chain.layer))),
                ("Chain", _chain(decision)),
                ("Wedge", shown(decision.wedge)),
                ("First customer", shown(decision.first_customer)),
                ("Ends", shown(_one_line(decision.end))),
                ("Keeps", shown(_one_line(decision.keep))),
                ("Building deferred", gate),
                ("Stops if", shown("; ".join(stops))),
                ("Capital", shown(decision.capital_need)),
            )
        ),
        prose(decision.rationale, "Rationale."),
    ]


def _one_line(texts: Sequence[str]) -> str:
    """Texts in one line, none with a full stop before the semicolon."""
    return "; ".join([*(text.rstrip(". ") for text in texts[:-1]), *texts[-1:]]) or NONE


def _chain(decision: Decision) -> str:
    chain = decision.chain
    parts = (
        chain.capability, chain.adoption, chain.bottleneck, chain.layer_owned, chain.proprietary_data,
        chain.next_capability,
    )  # fmt: skip
    return shown(" → ".join(parts))


def _review(review: Review, layers: Mapping[str, str]) -> list[Block]:
    blocks: list[Block] = []
    if isinstance(review, AuditorReview):
        blocks.append(prose(review.kill_case, "Case against."))
        blocks.append(_claims(review))
        blocks.append(prose(review.base_outcome, "Base outcome."))
        blocks.append(prose(review.bear_outcome, "Bear outcome."))
    else:
        blocks.append(prose(review.reveal, "What happened."))
    rows = tuple((words(shown(one.dimension)), str(one.value), shown(one.reason)) for one in review.scores)
    blocks.append(Table((Column("Score"), Column("", align=Align.RIGHT), Column("Reason", 1)), rows))
    leaks = joined([f"“{leak.quote}” ({leak.reason})" for leak in review.leaks])
    pooled = layers.get(review.pooled_layer, review.pooled_layer)
    outcome = f"{review.outcome.summary} Capital US$\u00a0{review.outcome.capital_usd:,}."
    facts = (
        ("Value pooled in", shown(pooled)),
        ("Closest company", shown(review.closest_company)),
        ("Suspected leakage", shown(leaks)),
        ("Simulated outcome", shown(outcome)),
    )
    return [*blocks, Facts(facts)]


def _claims(review: AuditorReview) -> Table:
    columns = (Column("Claim", 1), Column("Finding", 1), Column("Holds", align=Align.RIGHT))
    rows = tuple((shown(one.claim), shown(one.finding), f"{one.confidence_percent} %") for one in review.claims)
    return Table(columns, rows)


def _dissents(decision: Decision, reading: SecondReading | None) -> Table:
    verdicts = {one.dissent: one for one in reading.verdicts} if reading else {}
    rows = []
    for one in decision.dissents:
        verdict = verdicts.get(one.id)
        rows.append(
            (shown(one.who), shown(one.why), f"{verdict.verdict}: {shown(verdict.reason)}" if verdict else NONE)
        )
    return Table((Column("Dissent"), Column("Why", 1), Column("Verdict", 1)), tuple(rows))


def _lesson(lesson: LessonDraft) -> str:
    ends = [
        f"revises {lesson.revises}" if lesson.revises else "",
        f"retires {lesson.retires}" if lesson.retires else "",
    ]
    more = "".join(f"; {end}" for end in ends if end)
    return shown(f"{lesson.text} ({words(lesson.kind)}{more})")
