"""The frame of a published run: its documents as packets, without deliberation, dissents and scores."""

import re
from collections.abc import Iterator, Mapping

from app.domain.protocol.eras import Era
from app.domain.protocol.rubrics import RubricId, rubric_of
from app.domain.rating.mask_terms import MaskKind, company_terms, note_terms, plain_terms, role_terms
from app.domain.rating.packets import Packet, Section
from app.domain.rating.study_packets import score_band
from app.imports.published.values import PublishedDecision, PublishedEra, PublishedRun
from app.library.reader import schedule
from app.services.frame_items import SourceItem
from app.services.worlds import library

HISTORY = "history-1990-2040"
HIDDEN_FIELDS = frozenset({"organization", "org changes", "dissents", "dissent log", "company"})
TITLES = {"end": "To end", "keep": "To keep", "stop_criteria": "Stop criteria", "plan": "Three-year plan"}
CARRIED = r"^## End of E{number} .*\n(?P<body>(?:(?!^## ).*\n?)*)"
LEAVES_OUT = re.compile(r"^\s*- (?:Dissent follow-up|Kill criteria status)\b", re.IGNORECASE)


def published_items(run: PublishedRun, rubric: RubricId) -> Iterator[SourceItem]:
    """Every era of the run that has a decision and that this rubric judges."""
    names = _company_names(run)
    terms = (
        *company_terms(names),
        *plain_terms(MaskKind.RUN, {run.run, run.run.replace("-", " "), run.run.replace("-", " ").title()}),
        *role_terms(_people(run.texts)),
        *note_terms(),
    )
    for era in run.eras:
        protocol_era = schedule(HISTORY).era(era.era)
        if era.decision is None or rubric_of(protocol_era.mode) is not rubric:
            continue
        scores = _scores(run, era)
        yield SourceItem(
            key=f"published|{run.run}|{era.era}",
            unit=run.run,
            strata={
                "mode": str(protocol_era.mode),
                "era": era.era,
                "run": run.run,
                **({"score_band": score_band(scores)} if scores else {}),
            },
            packet=Packet(sections=tuple(_sections(run, era, protocol_era))),
            terms=terms,
            judge=scores,
        )


def _sections(run: PublishedRun, era: PublishedEra, protocol_era: Era) -> Iterator[Section]:
    when = protocol_era.start.strftime("%B %Y")
    if state := _carried_into(run.texts.get("company_state.md", ""), era.era):
        yield Section(id="company", title="The company before", text=state)
    if not protocol_era.mode.has_outcome and run.playbook:
        lessons = "\n".join(f"- {lesson.text}" for lesson in run.playbook if lesson.tag[:2] < era.era)
        yield Section(id="lessons", title="Lessons so far", text=lessons or "None.")
    if era.briefing:
        yield Section(id="briefing", title=f"Briefing, {when}", text=_without_title(era.briefing.text))
    assert era.decision is not None
    yield Section(id="decision", title=f"Decision, {when}", text=_decision_text(era.decision))
    if events := library().outcomes(protocol_era):
        lines = "\n".join(f"- {event.on}, {event.domain}: {event.text}" for event in events)
        yield Section(id="outcome", title="What happened", text=lines, world=True, outcome=True)


def _decision_text(decision: PublishedDecision) -> str:
    """The labelled parts under headings; a short prose decision without the sentences that tell who dissented."""
    parts = [f"**Company.** {decision.company}"] if decision.company else []
    fields = {name: text for name, text in decision.fields.items() if name not in HIDDEN_FIELDS}
    if {"end", "keep", "identity"} & set(fields):
        parts += [
            f"### {TITLES.get(name, name.replace('_', ' ').capitalize())}\n\n{text}" for name, text in fields.items()
        ]
        return "\n\n".join(parts)
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z*])", _without_title(decision.text))
    kept = [one for one in sentences if not re.search(r"\b(?:dissent|argues|Red Team|hindsight)", one, re.IGNORECASE)]
    return " ".join(kept)


def _carried_into(text: str, era: str) -> str:
    number = int(era[1:]) - 1
    found = re.search(CARRIED.replace("{number}", str(number)), text, re.MULTILINE)
    if not found:
        return ""
    return "\n".join(line for line in found["body"].splitlines() if not LEAVES_OUT.match(line)).strip()


def _without_title(text: str) -> str:
    return re.sub(r"\A(?:\s*# [^\n]*\n|\s*[*_][^*_\n][^\n]*[*_]\s*\n)+", "", text).strip()


def _company_names(run: PublishedRun) -> set[str]:
    names = {era.company for era in run.scores.eras} if run.scores else set()
    names |= {era.decision.company for era in run.eras if era.decision and era.decision.company}
    for path, text in run.texts.items():
        if "memo" in path or "briefing" in path or "reveal" in path:
            continue  # these also tell of real companies that were renamed
        names |= set(re.findall(r"(?:Company renamed|renamed from|formerly) ([A-Z][A-Za-z]+(?: [A-Z][a-z]+)?)", text))
        names |= set(re.findall(r"^\s+- E\d+ \([^)]*\): ([A-Z][\w ]+?) —", text, re.MULTILINE))
    return names


def _people(texts: Mapping[str, str]) -> set[str]:
    """Full and given names of the personas, as the decisions' and the roster's texts name them."""
    text = "\n".join(text for path, text in texts.items() if "memo" in path or "decision" in path or "roster" in path)
    full = set(re.findall(r"(?:\*\*|Dr\. )((?:[A-Z][a-z]+ ){1,2}[A-Z][a-z]+)(?: \([A-Z]|\*\*:|,|:\*\*| →)", text))
    full |= set(re.findall(r"(?:; |: |\. )((?:[A-Z][a-z]+ )[A-Z][a-z]+)(?: →| owns| leads| keeps| adds)", text))
    full = {name for name in full if not name.endswith((" Audit", " Watch"))}
    return {f"Dr. {name}" for name in full} | full | {name.split()[0] for name in full}


def _scores(run: PublishedRun, era: PublishedEra) -> dict[str, int]:
    if era.reveal and era.reveal.scores:
        return {name: score.value for name, score in era.reveal.scores.items()}
    return {}
