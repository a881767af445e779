"""The audit's findings as marks in the documents of an era."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from app.domain.ids import StepKey
from app.domain.protocol.artifacts import Artifact
from app.services.document_counts import DocumentCount, document_counts
from app.services.probes import TEXT_PROBES, fields_of
from app.services.unit_of_work import Work
from app.storage.findings import KeptCount, KeptFinding, PlacedFinding


@dataclass(frozen=True, slots=True)
class MarkedFinding:
    """A finding with the whole text of the field it lies in; ``decided`` is how a person settled an open one."""

    finding: KeptFinding
    text: str
    decided: bool | None

    @property
    def span(self) -> tuple[int, int]:
        """Its first character in the text and the one after its last."""
        return self.finding.starts_at, self.finding.ends_at

    @property
    def name(self) -> str:
        """The probe's name, with a question mark while it waits for a person."""
        return f"{self.finding.probe}?" if self.is_open else self.finding.probe

    @property
    def is_open(self) -> bool:
        """Whether a person has yet to decide."""
        return self.finding.state == "review" and self.decided is None


def findings_by_document(
    placed: Iterable[PlacedFinding], artifacts: Mapping[StepKey, Artifact]
) -> dict[str, tuple[MarkedFinding, ...]]:
    """An era's findings by their document's key; without those that people took for no hit, or that were redacted."""
    found: dict[str, list[MarkedFinding]] = defaultdict(list)
    texts: dict[str, dict[str, str]] = {}
    for one in placed:
        artifact = artifacts.get(StepKey(one.key))
        if artifact is None or one.decided is False:
            continue
        if one.key not in texts:
            texts[one.key] = {field.path: field.text for field in fields_of(artifact)}
        text = texts[one.key].get(one.finding.path, "")
        if _stands(one, text):
            found[one.key].append(MarkedFinding(one.finding, text, one.decided))
    return {key: tuple(marks) for key, marks in found.items()}


def counts_by_document(
    placed: Iterable[PlacedFinding], counts: Iterable[KeptCount]
) -> dict[str, tuple[DocumentCount, ...]]:
    """What the probes counted in each document of an era, by the document's key; nothing where none was read yet."""
    found: dict[str, list[DocumentCount]] = defaultdict(list)
    for one in document_counts(placed, sorted(counts, key=lambda one: _place(one.probe))):
        found[one.count.key].append(one)
    return {key: tuple(own) for key, own in found.items()}


def take_out_marks(work: Work, run_id: UUID) -> None:
    """Take the quotes of marks out where the text was: in a redacted document, and in those that quoted it."""
    kept = work.artifacts.of_run(run_id)
    texts: dict[tuple[UUID, str], str] = {
        (one.id, field.path): field.text for one in kept for field in fields_of(one.artifact)
    }
    marks = work.findings.of_run(run_id)
    work.findings.blank([one.id for one in marks if one.quote not in texts.get((one.artifact_id, one.path), "")])


def _place(probe: str) -> int:
    """Where a probe stands among those that read words, in their order; the others follow."""
    return next((number for number, one in enumerate(TEXT_PROBES) if one.name == probe), len(TEXT_PROBES))


def _stands(placed: PlacedFinding, text: str) -> bool:
    """Whether the passage is still there: it may have been taken out."""
    one = placed.finding
    return bool(one.quote) and text[one.starts_at : one.ends_at] == one.quote
