"""Taking a document of an imported run out of the texts that came with it, where they are kept."""

from uuid import UUID

from app.domain.engine.inputs import StepKind
from app.domain.engine.quotations import REDACTED, Prints
from app.domain.engine.redaction import masked_json
from app.domain.ids import StepKey
from app.services.imported_documents import FILES
from app.services.unit_of_work import Work
from app.storage.imports import Imports

_NAMES = {
    StepKind.BRIEFING: {"world_briefing.md", "briefing.md"},
    StepKind.BOARD: {"board_decision.md", "decision.md", "red_team.md"},
    StepKind.REVIEW: {"reveal.md"},
}


def take_out_imported(work: Work, run_id: UUID, key: StepKey, prints: Prints) -> None:
    """Blank the file that a step's document was read from, and mask what the run's other texts quote of it.

    Nothing happens to a run that was not imported.
    """
    store = Imports(work.session)
    run = store.run(run_id)
    if run is None:
        return
    era, kind, *part = key.split("/")
    names = {file for group, file in FILES.items() if part == [group]} or _NAMES.get(StepKind(kind), set())
    paths = {f"eras/{era}/{name}" for name in names}
    texts = {path: REDACTED if path in paths else masked_json(text, prints) for path, text in run.texts.items()}
    store.change_texts(run_id, texts=texts, playbook=masked_json(list(run.playbook), prints))
