"""Two calls beside each other: two attempts at one step, or the same step of two runs; prompt and answer as diffs."""

from dataclasses import dataclass
from uuid import UUID

from app.domain.engine.text_differences import DiffLine, compare_texts
from app.services.call_pages import CallView, show_call
from app.services.errors import NotFoundError
from app.services.unit_of_work import Reading

NOTHING = "no text came back"


@dataclass(frozen=True, slots=True)
class TextPair:
    """One text of both calls; ``lines`` are empty where it is the same."""

    title: str
    lines: tuple[DiffLine, ...]
    length: int


@dataclass(frozen=True, slots=True)
class CallComparison:
    """Both calls; ``facts`` are settings and counts that differ or not, as name, left, right."""

    left: CallView
    right: CallView
    texts: tuple[TextPair, ...]
    facts: tuple[tuple[str, str, str], ...]

    @property
    def rehearsal(self) -> bool:
        """Whether either run is a rehearsal model's."""
        return self.left.study.rehearsal or self.right.study.rehearsal


def compare_calls(reading: Reading, left_id: UUID, *, other: UUID | None, run: UUID | None) -> CallComparison:
    """A call beside another, or beside the last call that another run made for the same step.

    Raises NotFoundError where there is none.
    """
    left = show_call(reading, left_id)
    right = show_call(reading, other if other is not None else _same_step(reading, left, run))
    sent = dict(left.messages), dict(right.messages)
    names = list(dict.fromkeys([*sent[0], *sent[1]]))
    pairs = [(f"Prompt, sent as {name}", *(_text(one.get(name)) for one in sent)) for name in names]
    pairs.append(("Answer", _text(left.answer, NOTHING), _text(right.answer, NOTHING)))
    texts = tuple(TextPair(title, compare_texts(one, two), len(one)) for title, one, two in pairs)
    return CallComparison(left, right, texts, _facts(left, right))


def _same_step(reading: Reading, left: CallView, run: UUID | None) -> UUID:
    """The last call of the same step in another run."""
    if run is None:
        raise NotFoundError("call to compare with", "here")
    step = next((one for one in reading.steps.of_run(run) if one.key == left.step.key), None)
    calls = reading.calls.of_step(step.id) if step else ()
    if not calls:
        raise NotFoundError("call of that run for", left.step.key)
    return calls[-1].id


def _text(text: object, absent: str = "") -> str:
    return getattr(text, "shown", absent)


def _facts(left: CallView, right: CallView) -> tuple[tuple[str, str, str], ...]:
    def told(view: CallView) -> dict[str, str]:
        call = view.call
        settings = {name.replace("_", " "): str(value) for name, value in call.settings.items() if value is not None}
        templates = {f"template {name}": digest[:12] for name, digest in call.template_hashes.items()}
        return {
            "run": view.run.name,
            "attempt": str(call.attempt),
            "state": call.state,
            "model asked": call.model_asked,
            "model reported": call.model_reported or "not said",
            "tokens in": f"{call.tokens_in:,}" if call.tokens_in is not None else "–",
            "tokens out": f"{call.tokens_out:,}" if call.tokens_out is not None else "–",
            "problem": call.error or "none",
            **settings,
            **templates,
        }

    ours, theirs = told(left), told(right)
    names = list(dict.fromkeys([*ours, *theirs]))
    return tuple((name, ours.get(name, "–"), theirs.get(name, "–")) for name in names)
