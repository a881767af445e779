"""Rows of a run as they may leave the house: quotations of redacted documents are masked, as on every page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.domain.engine.quotations import REDACTED, Prints
from app.domain.engine.redaction import masked_artifact, masked_body, masked_json
from app.domain.protocol.artifacts import ARTIFACT
from app.services.unit_of_work import Reading
from app.storage.archives import Archives

Row = Mapping[str, Any]
TEXTS = ("reason", "before", "after", "judge_words")
"""What people wrote about a run: of interventions, and of decisions about passages, which have a reason alone."""


@dataclass(frozen=True, slots=True)
class RunMasks:
    """What was taken out of one run; nothing for nearly all, and then rows pass as they are."""

    prints: Prints
    artifacts: frozenset[UUID]
    steps: frozenset[UUID]

    @classmethod
    def of(cls, look: Reading, run_id: UUID) -> "RunMasks":
        """The masks of a run."""
        prints = look.redactions.prints(run_id)
        return cls(prints, look.redactions.artifacts(run_id), Archives(look.session).redacted_steps(run_id))

    def call(self, row: Row) -> Row:
        """A call's row; the answer that was redacted is left out whole."""
        if not self.prints and not self.artifacts:
            return row
        response = row["response"]
        if response is not None:
            response = REDACTED if row["step_id"] in self.steps else self.text(response)
        error = masked_json(row["error"], self.prints)
        return {**row, "request": self.text(row["request"]), "response": response, "error": error}

    def artifact(self, row: Row) -> Row:
        """A document's row; a redacted one was blanked when it was redacted."""
        if not self.prints:
            return row
        body = masked_artifact(ARTIFACT.validate_python(row["body"]), self.prints)
        return {**row, "body": body.model_dump(mode="json")}

    def written_about(self, row: Row) -> Row:
        """The row of what somebody did to a run or decided about a passage of it."""
        if not self.prints:
            return row
        return {**row, **{name: masked_json(row[name], self.prints) for name in TEXTS if name in row}}

    def text(self, text: str) -> str:
        """A request or response, to the letter unless something in it is masked: then it is written anew."""
        return masked_body(text, self.prints)
