"""What each probe counted in each document, together with what people decided about the passages it left open."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

from app.domain.audit.findings import rate_of
from app.domain.scoring.measures import Measure
from app.storage.findings import KeptCount, PlacedFinding


@dataclass(frozen=True, slots=True)
class DocumentCount:
    """One probe's count of one document; ``by_people`` are open passages that people took for hits, others wait."""

    count: KeptCount
    by_people: int
    waiting: int

    @property
    def hits(self) -> int:
        """Those the probe is sure of, and those that people decided."""
        return self.count.hits + self.by_people

    @property
    def rate(self) -> Measure:
        """Hits per 1,000 words."""
        return rate_of(self.hits, self.count.words)


def document_counts(placed: Iterable[PlacedFinding], counts: Iterable[KeptCount]) -> Iterator[DocumentCount]:
    """The counts in their order, each with how the passages of its document and probe stand."""
    by_people: Counter[tuple[UUID, str]] = Counter()
    waiting: Counter[tuple[UUID, str]] = Counter()
    for one in placed:
        if one.finding.state == "review":
            place = one.finding.artifact_id, one.finding.probe
            by_people[place] += one.decided is True
            waiting[place] += one.decided is None
    for count in counts:
        place = count.artifact_id, count.probe
        yield DocumentCount(count, by_people[place], waiting[place])
