"""Sections that reports of studies and of runs share: deviations, interventions, leakage marks, provenance."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from app.domain.engine.deviations import Deviation
from app.domain.reports.blocks import Align, Column, Facts, Section, Table, plain, prose, shown, words
from app.domain.wording import counted
from app.exports.as_json import utc
from app.services.deviations import HEADINGS, list_deviations
from app.services.interventions_list import author_names
from app.services.judged_runs import StudiedRun
from app.services.unit_of_work import Reading
from app.services.verification import RunVerdict, verify_run
from app.storage.facts import StudyFacts
from app.storage.interventions import Intervention
from app.storage.runs import RunRecord
from app.storage.studies import Study

CUT = 600
"""Characters of a reason or text that a table shows; the exports have the whole."""


def deviations_section(look: Reading, study: Study, run: RunRecord | None = None) -> Section:
    """Where study or run differ from the design, found from the rows and not from anybody's word."""
    found = [one for one in list_deviations(look, study) if run is None or one.run in {run.id, None}]
    if not found:
        return Section("Deviations from the design", (prose("None was found."),))
    columns = (Column("What", 2), *(() if run else (Column("Run", 3),)), Column("Step", 2), Column("How it differs", 5))
    rows = tuple(_deviation(one, with_run=run is None) for one in found)
    note = "Found by comparing the design with every run, call and step; nobody wrote this list."
    return Section("Deviations from the design", (Table(columns, rows, note=note),))


def interventions_section(look: Reading, runs: Sequence[RunRecord], labels: dict[UUID, str]) -> Section:
    """Everything that people did after launch."""
    made = [(run, one) for run in runs if run.interventions for one in look.interventions.of_run(run.id)]
    made.sort(key=lambda pair: pair[1].made_at)
    if not made:
        return Section("Interventions", (prose("Nobody intervened after launch."),))
    several = len(runs) > 1
    names = author_names(look)
    columns = (Column("When (UTC)"), *((Column("Run", 3),) if several else ()), Column("Era"), Column("What", 2))
    columns = (*columns, Column("By", 2), Column("Reason, and what the judge was told", 5))
    rows = tuple(
        (
            f"{utc(one.made_at)[:16].replace('T', ' ')}",
            *((shown(words(labels[run.id])),) if several else ()),
            one.era or "run",
            words(one.kind),
            shown(names.get(one.author_id, "unknown")),
            _reason(one),
        )
        for run, one in made
    )
    note = "Texts before and after are in the exports. An intervention cannot be removed: the ledger holds its hash."
    return Section("Interventions", (Table(columns, rows, note=note),))


def leakage_section(runs: Sequence[StudiedRun], spans: Counter[str]) -> Section:
    """What the judge itself says of leakage: opinions, and named so."""
    columns = (
        Column("Run", 1),
        *(Column(name, align=Align.RIGHT) for name in ("eras", "mean h", "lowest h", "passages")),
    )
    rows = []
    for run in runs:
        scores = [era.subscores["hindsight_leakage"] for era in run.judged.eras if "hindsight_leakage" in era.subscores]
        mean = sum(scores) / len(scores) if scores else None
        lowest = plain(min(scores), 0) if scores else "–"
        rows.append((shown(words(run.label)), str(len(scores)), plain(mean, 2), lowest, str(spans[str(run.record.id)])))
    words_before = (
        "The judge scores hindsight leakage from 0 to 10 (10 = none) and quotes the passages it suspects. It knows the "
        "outcome itself: these are its opinions and not measurements, and they count for The Record’s eras only."
    )
    note = "h: hindsight subscore; passages: quoted by the judge in reviews and second readings, all eras."
    return Section("Leakage, as judged", (prose(words_before), Table(columns, tuple(rows), note=note)))


def provenance_section(look: Reading, study: Study, runs: Sequence[RunRecord], labels: dict[UUID, str]) -> Section:
    """Who answered, at what cost, and whether everything kept still fits its ledger."""
    ids = {run.id for run in runs}
    calls = [call for call in StudyFacts(look.session).calls(study.id) if call.run in ids]
    models = Counter((call.model_asked, call.model_reported or "not reported") for call in calls)
    templates = Counter((name, digest) for call in calls for name, digest in call.template_hashes.items())
    verdicts = [verify_run(look, run) for run in runs]
    return Section(
        "Provenance",
        (
            Facts(_sums(runs, verdicts)),
            Table(
                (Column("Model asked for"), Column("Model reported", 1), Column("Calls", align=Align.RIGHT)),
                tuple((shown(asked), shown(said), f"{count:,}") for (asked, said), count in sorted(models.items())),
                caption="Models",
            ),
            Table(
                (
                    Column("Run"),
                    Column("State"),
                    Column("Events", align=Align.RIGHT),
                    Column("Ledger"),
                    Column("Head", 1),
                ),
                tuple(_ledger(verdict, labels) for verdict in verdicts),
                caption="Ledgers",
                note="Verified when this report was made: every text, hash and sum held against the chain of events.",
            ),
            Table(
                (Column("Prompt template"), Column("SHA-256", 1), Column("Calls", align=Align.RIGHT)),
                tuple(
                    (shown(name), shown(digest), f"{count:,}") for (name, digest), count in sorted(templates.items())
                ),
                caption="Prompts",
            ),
        ),
    )


def _deviation(one: Deviation, *, with_run: bool) -> tuple[str, ...]:
    place = (shown(words(one.label)) or "–",) if with_run else ()
    return (HEADINGS[one.kind], *place, shown(one.step or "–"), shown(_cut(one.words)))


def _reason(made: Intervention) -> str:
    told = f"The judge was told: “{_cut(made.judge_words)}”" if made.judge_told and made.judge_words else ""
    reason = _cut(made.reason)
    return shown(f"{reason}{'' if reason.endswith(('.', '!', '?', '…')) else '.'} {told}" if told else reason)


def _sums(runs: Sequence[RunRecord], verdicts: Sequence[RunVerdict]) -> tuple[tuple[str, str], ...]:
    cost = sum(run.cost_usd for run in runs)
    unknown = sum(run.cost_unknown for run in runs)
    sound = sum(verdict.is_sound for verdict in verdicts)
    priced = f"US${cost:,.2f}" + (f"; the cost of {counted(unknown, 'call')} is not known" if unknown else "")
    lost = sum(run.calls_lost for run in runs)
    return (
        ("Calls", f"{sum(run.calls_made for run in runs):,} made, {lost:,} of them lost"),
        ("Tokens", f"{sum(run.tokens_in for run in runs):,} in, {sum(run.tokens_out for run in runs):,} out"),
        ("Cost", priced),
        ("Ledgers", f"{sound} of {len(verdicts)} verify"),
    )


def _ledger(verdict: RunVerdict, labels: dict[UUID, str]) -> tuple[str, ...]:
    sound = "verifies" if verdict.is_sound else f"does not verify: {verdict.problems[0]}"
    return (
        shown(words(labels[verdict.run_id])),
        verdict.state,
        f"{verdict.events:,}",
        shown(sound),
        shown(verdict.head),
    )


def _cut(text: str) -> str:
    return text if len(text) <= CUT else f"{text[:CUT].rstrip()} …"
