"""The levels that can be exported, and the data dictionary: every column of each with its meaning."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.engine.deviations import DeviationKind
from app.domain.protocol.artifacts import LessonKind
from app.domain.protocol.rubrics import AUDITOR_DIMENSIONS, RECORD_DIMENSIONS

DIMENSIONS = tuple(dict.fromkeys((*RECORD_DIMENSIONS, *AUDITOR_DIMENSIONS)))


def _subscore(name: str) -> str:
    if name in RECORD_DIMENSIONS and name in AUDITOR_DIMENSIONS:
        return "subscore 0-10, in both rubrics (never compared across them)"
    judge = "The Record" if name in RECORD_DIMENSIONS else "The Auditor"
    return f"subscore 0-10 of {judge}; empty on the other rubric"


class Level(StrEnum):
    """What a row of an export is."""

    STUDIES = "studies"
    RUNS = "runs"
    SCORES = "scores"
    JUDGEMENTS = "judgements"
    STEPS = "steps"
    CALLS = "calls"
    ARTIFACTS = "artifacts"
    LESSONS = "lessons"
    DISSENTS = "dissents"
    INTERVENTIONS = "interventions"
    DEVIATIONS = "deviations"
    SIMILARITY = "similarity"
    PROBES = "probes"
    FINDINGS = "findings"
    LEDGER = "ledger"


@dataclass(frozen=True, slots=True)
class Shape:
    """One level: what a row is, its columns with their meaning, and those that only JSON lines have."""

    row: str
    columns: Mapping[str, str]
    long: Mapping[str, str] = field(default_factory=dict)


_RUN = {
    "study": "name of the study",
    "run": "label of the run, unique in its study",
    "run_id": "id of the run",
}
INTERVENED = (
    "yes where a person changed something in the row's era, or in the run as a whole; where a row has no era, anywhere "
    "in what it tells of"
)
_END = {
    "intervened": INTERVENED,
    "rehearsal": "yes where a rehearsal model took part: such rows show the software, not the behaviour of models",
}
_UTC = "UTC, ISO 8601"

SHAPES: Mapping[Level, Shape] = {
    Level.STUDIES: Shape(
        "the study",
        {
            "study": "name of the study",
            "study_id": "id of the study",
            "design_sha256": "SHA-256 of the canonical JSON of the frozen design",
            "preset": "pilot or controlled",
            "mapping": "how personas map to model contexts: department or persona",
            "briefings": "how briefings are made: drawn or model",
            "schedules": "ids of the schedules, as a JSON list; each makes runs of its own",
            "conditions": "conditions, as a JSON list",
            "repetitions": "runs of each condition and player model on each schedule",
            "players": "player models, as a JSON list",
            "judge": "the judge's model",
            "author": "the briefing author's model",
            "seed": "seed of the design",
            "launched_at": f"when the design was frozen, {_UTC}",
            "runs": "number of runs there are",
            **_END,
        },
        {"design": "the frozen design; its canonical JSON gives design_sha256"},
    ),
    Level.RUNS: Shape(
        "a run",
        {
            **_RUN,
            "number": "place of the run in the design, from 1",
            "schedule": "id of the schedule that the run lives through",
            "condition": "condition",
            "replicate": "replicate, from 1; the same replicate shares drawn briefings",
            "player": "player model",
            "state": "running, paused, cancelled or finished",
            "steps_owed": "steps the run owes from first to last",
            "steps_done": "steps that are done",
            "calls_owed": "model calls the plan asks for",
            "calls_made": "calls that were sent, repeats included",
            "calls_lost": "calls whose outcome is unknown",
            "tokens_in": "tokens sent, as the provider counts or as estimated",
            "tokens_out": "tokens received",
            "cost_usd": "known cost in US$",
            "cost_unknown": "calls whose cost is not known",
            "interventions": "interventions of people on this run",
            "ledger_length": "events in the run's ledger",
            "ledger_head": "hash of the last event",
            "started_at": f"launch, {_UTC}",
            "finished_at": f"end, {_UTC}; empty while it runs",
            **_END,
        },
    ),
    Level.SCORES: Shape(
        "a judged era of a run",
        {
            "run": "label of the run, unique in its study",
            "era": "id of the era",
            "mode": "training, live, forecast, fictional or post_cutoff",
            "company": "name of the company that the decision made",
            "total": "total typed by the judge, 0-100; empty where the judge types none",
            "subscore_sum_x2": "mechanical total: twice the sum of the five subscores, 0-100",
            "controlled_total": "2.5 times the sum of The Record's four subscores other than hindsight; else empty",
            "gap": "frontier_accuracy minus layer_choice; The Record's eras only",
            **{name: _subscore(name) for name in DIMENSIONS},
            "intervened": INTERVENED,
            "layer": "layer the decision chose",
            "pooled_layer": "layer where value pooled, by the judge's label",
            "layer_distance": "match, neighbour (one edge in the layer graph) or miss, from the market's truth in an "
            "invented world, else from pooled_layer; empty where not comparable",
            "schedule": "id of the schedule; scores of two schedules are not pooled",
            "condition": "condition",
            "replicate": "replicate, from 1",
            "player": "player model",
            "run_id": "id of the run",
            "study": "name of the study",
            **_END,
        },
    ),
    Level.JUDGEMENTS: Shape(
        "one judgement of a stored decision: the first judge's, and every one in which it was judged again",
        {
            "run": "label of the judged run, unique in its study",
            "era": "id of the era",
            "mode": "training, live, forecast, fictional or post_cutoff",
            "purpose": "first for the study's own judge; else further, retest, swap, padding, self_preference, "
            "outcome_flip or blindness",
            "judge": "model that judged",
            "anchors": "set of anchors it judged under; scores under different anchors are never averaged",
            "variant": "plain, padded, success or failure (the outcome it was shown)",
            "repetition": "which time this judge judged this variant, from 1; 0 for the first judge",
            **{name: _subscore(name) for name in DIMENSIONS},
            "subscore_sum_x2": "mechanical total: twice the sum of the five subscores, 0-100",
            "controlled_total": "2.5 times the sum of The Record's four subscores other than hindsight; else empty",
            "pooled_layer": "layer where value pooled, by this judge's label",
            "leaks": "passages of the decision it marked as leakage",
            "guessed_condition": "blindness only: the condition guessed; empty is cannot tell",
            "guessed_model": "blindness only: the player model guessed; empty is cannot tell",
            "guessed_run": "blindness only: the run guessed; empty is cannot tell",
            "schedule": "id of the judged run's schedule",
            "condition": "condition of the judged run",
            "replicate": "replicate, from 1",
            "player": "player model of the judged run",
            "judging": "name of the judging; empty for the first judge",
            "judging_id": "id of the judging, as its steps, calls and documents have it; empty for the first judge",
            "run_id": "id of the judged run",
            "study": "name of the study",
            **_END,
        },
    ),
    Level.STEPS: Shape(
        "a step: one unit of work that a run owes",
        {
            **_RUN,
            "step_id": "id of the step",
            "era": "id of the era",
            "step": "key of the step in its run, such as E3/memo/market_capital",
            "kind": "what the step writes",
            "state": "ready, claimed, done or needs_operator",
            "attempts": "calls it took so far",
            "tries": "answers that did not fit",
            "failures": "calls without an answer",
            "problem": "what the last problem was",
            "ready_at": f"when it was owed, {_UTC}",
            "claimed_at": f"when a worker took it, {_UTC}",
            "done_at": f"when it was done, {_UTC}",
            **_END,
        },
    ),
    Level.CALLS: Shape(
        "a call: one attempt at a model",
        {
            **_RUN,
            "call_id": "id of the call",
            "step": "key of the step it served",
            "attempt": "number of the attempt at the step, from 1",
            "state": "sent, answered, refused (did not fit), failed, lost or discarded (came too late)",
            "provider": "provider",
            "model_asked": "model id asked for",
            "model_reported": "model id the provider reported",
            "settings": "sampling settings, as JSON",
            "template_hashes": "SHA-256 of every prompt template used, as JSON",
            "sources": "steps whose documents had to be there first, as a JSON list of step keys; "
            "the call’s page lists all that the prompt holds",
            "request_sha256": "SHA-256 of the exact request",
            "response_sha256": "SHA-256 of the exact response",
            "error": "why there is no fitting answer",
            "stop": "why the model stopped: complete, truncated (at its token limit) or refused",
            "tokens_in": "tokens sent, by the provider's count; empty where it gave none",
            "tokens_out": "tokens received",
            "tokens_cached": "tokens of the request the provider had cached",
            "tokens_cache_written": "tokens of the request the provider wrote to its cache",
            "tokens_reasoning": "tokens received that were reasoning",
            "searches": "web searches the model made",
            "cost_usd": "cost in US$; empty where not known",
            "started_at": f"when it was sent, {_UTC}",
            "ended_at": f"when it ended, {_UTC}",
            **_END,
        },
        {
            "request": "the exact request; quotations of redacted documents are masked",
            "response": "the exact response, masked likewise",
        },
    ),
    Level.ARTIFACTS: Shape(
        "a document that a step wrote",
        {
            **_RUN,
            "artifact_id": "id of the document",
            "era": "id of the era",
            "step": "key of the step that wrote it",
            "kind": "briefing, memo, attack, decision, board, record_review, auditor_review, second_reading and so on",
            "written_by": "model, person or code",
            "person": "who wrote it by hand; empty else",
            "call_id": "call that wrote it; empty for a person's or code's",
            "sha256": "SHA-256 of the canonical JSON of the document as it was written",
            "redacted": "yes where its text was taken out afterwards",
            "written_at": f"when it was written, {_UTC}",
            **_END,
        },
        {"body": "the document; quotations of redacted documents are masked"},
    ),
    Level.LESSONS: Shape(
        "a lesson of a run's Playbook",
        {
            **_RUN,
            "era": "era whose review wrote it",
            "lesson": "id of the lesson, such as E2-1",
            "kind": f"{', '.join(LessonKind)}: its writer's own label",
            "text": "the lesson",
            "revises": "lesson that it replaces",
            "retires": "lesson that it withdraws",
            "replaced_by": "lesson that replaced it",
            "retired_by": "lesson that withdrew it",
            "active": "yes where it holds at the end of the run so far",
            "cited": "how often memos and decisions cited it",
            "disputed": "how often memos and decisions argued against it",
            **_END,
        },
    ),
    Level.DISSENTS: Shape(
        "a dissent in a decision",
        {
            **_RUN,
            "era": "id of the era",
            "dissent": "id of the dissent in its decision, such as D1",
            "who": "who disagreed",
            "why": "why",
            "verdict": "vindicated, refuted or unresolved, by the judge's second reading; empty without one",
            "reason": "the judge's reason for the verdict",
            **_END,
        },
    ),
    Level.INTERVENTIONS: Shape(
        "an intervention: what a person did to a run after launch",
        {
            **_RUN,
            "intervention_id": "id of the intervention",
            "era": "era it marks; empty for the run as a whole",
            "step": "key of the step it concerns",
            "kind": "what was done",
            "author": "who did it",
            "reason": "why",
            "judge_told": "yes where the judge was told",
            "judge_words": "the words the judge was given",
            "made_at": f"when, {_UTC}",
            **_END,
        },
        {"before": "what stood there before", "after": "what stood there afterwards"},
    ),
    Level.DEVIATIONS: Shape(
        "something that went otherwise than the frozen design says, found by comparing and told by nobody",
        {
            "study": "name of the study",
            "kind": f"what differs: {', '.join(DeviationKind)}",
            "run": "label of the run or judging, or of what is missing; empty for the study as a whole",
            "run_id": "id of the run or judging, where there is one",
            "step": "key of the step, where it is about one; a step has one row",
            "words": "how it differs, with the design's word and the reasons that were given",
            **_END,
        },
    ),
    Level.SIMILARITY: Shape(
        "two runs' decisions in one era, on one schedule",
        {
            "study": "name of the study",
            "schedule": "id of the schedule",
            "era": "id of the era",
            "run": "label of the one run",
            "run_id": "its id",
            "other_run": "label of the other run",
            "other_run_id": "its id",
            "condition": "condition of the one run",
            "other_condition": "condition of the other run",
            "similarity": "TF-IDF cosine of the two decisions without the company's name, 0 to 1",
            "different_eras": "mean cosine of these two runs' decisions of different eras, the yardstick",
            **_END,
        },
    ),
    Level.PROBES: Shape(
        "what one probe of the leakage audit counted in one document",
        {
            **_RUN,
            "era": "id of the era",
            "step": "key of the step that wrote the document",
            "probe": "vocabulary, dates, entities or selection",
            "version": "version of the probe with the start of its data's hash; only those of today are listed",
            "words": "words that were read; 0 for selection",
            "hits": "passages that count, those that a person decided to be hits among them",
            "by_people": "hits that a person decided",
            "open": "passages that wait for a person and do not count",
            "rate": "hits per 1,000 words; empty without words",
            **_END,
        },
        {"numbers": "for selection: used, dominant, share, expected, excess, p_value, power, or the reason for none"},
    ),
    Level.FINDINGS: Shape(
        "a passage that a probe marked",
        {
            **_RUN,
            "condition": "condition of the run",
            "era": "id of the era",
            "step": "key of the step that wrote the document",
            "probe": "the probe that marked it",
            "version": "version of the probe",
            "path": "field of the document in which it stands",
            "starts_at": "its first character in the field, from 0",
            "ends_at": "the character after its last",
            "quote": "its exact words; empty where the text was taken out",
            "about": "the term, date or name that it holds",
            "why": "why it was marked",
            "state": "hit, or review: a person decides",
            "decided": "hit or no hit by the last decision; empty where nobody decided",
            "reason": "the reason of the last decision",
            **_END,
        },
        {"decisions": "every decision with person, reason and time, the first first"},
    ),
    Level.LEDGER: Shape(
        "an event of a run's ledger",
        {
            **_RUN,
            "seq": "place in the chain, from 1",
            "kind": "what happened",
            "at": f"when, {_UTC} with microseconds, as it is hashed",
            "body": "names, numbers and hashes of the event, as JSON",
            "previous": "hash of the event before it; sixty-four zeros for the first",
            "hash": "SHA-256 over number, kind, time, body and previous in canonical JSON",
            **_END,
        },
    ),
}


def dictionary() -> str:
    """The data dictionary in Markdown: one table a level."""
    return "\n".join(line for level, shape in SHAPES.items() for line in _table(level, shape))


def _table(level: Level, shape: Shape) -> list[str]:
    lines = [f"### {level}", "", f"One row is {shape.row}.", "", "| column | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {words} |" for name, words in shape.columns.items()]
    lines += [f"| `{name}` (JSON lines only) | {words} |" for name, words in shape.long.items()]
    return [*lines, ""]
