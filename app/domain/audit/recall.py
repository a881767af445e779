"""The recall probe: forced-choice questions on an outcome window, with decoys from the record, scored by code."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from scipy.special import bdtrc

from app.domain.audit.findings import Probe
from app.domain.scoring.measures import Measure, undefined
from app.domain.world.events import Event, Fate, events_within

RECALL = Probe(
    name="recall",
    version="1",
    false_hits=0.25,
    basis="chance: one of four options is right, so a model that knows nothing is right one time in four",
)
LETTERS = ("A", "B", "C", "D")
_YEAR = re.compile(r"\b[1-9]\d{3}\b")
_ALONE = re.compile(r"^\W*(?:option|answer(?:\s+is)?)?[\s:]*\(?([A-D])\b(?!['’])", re.IGNORECASE)


class QuestionKind(StrEnum):
    """What a question asks: which event lies in the window, or which of its subjects came to dominate."""

    WHEN = "when"
    FATE = "fate"


@dataclass(frozen=True, slots=True)
class Question:
    """One forced choice; ``right`` is the letter and ``event`` the id of the true option, which no prompt shows."""

    id: str
    kind: QuestionKind
    text: str
    options: tuple[str, str, str, str]
    right: str
    event: str


@dataclass(frozen=True, slots=True)
class RecallCount:
    """Right answers of all asked; an unreadable one is wrong and counted. ``p_value`` is one-sided against chance."""

    asked: int
    right: int
    unreadable: int
    share: Measure
    p_value: float | None


def draw_questions(
    events: Iterable[Event], *, start: date, end: date, count: int, seed: str | int
) -> tuple[Question, ...]:
    """Draw up to ``count`` questions on the window from ``start`` up to ``end``, of the two kinds in turn.

    WHEN: an event of the window among three of its domain that lie outside. FATE: a dominant subject of the window
    among three of the window that did not last. Events whose text names a year are not used. The same arguments give
    the same questions, whatever the order of ``events``.
    """
    usable = sorted((event for event in events if not _YEAR.search(event.text)), key=lambda one: one.id)
    inside = sorted(events_within(usable, start, end), key=lambda one: one.id)
    outside = [event for event in usable if event.last_day < start or event.last_day >= end]
    draw = random.Random(f"recall:{seed}")
    when = _when(inside, outside, start, end, draw)
    fate = _fate(inside, start, end, draw)
    longest = max(len(when), len(fate))
    mixed = [pool[index] for index in range(longest) for pool in (when, fate) if index < len(pool)]
    return tuple(mixed[:count])


def read_choice(answer: str) -> str | None:
    """The letter an answer begins with, such as ``B``, ``(b)`` or ``Answer: B``; None if there is none."""
    match = _ALONE.match(answer.strip())
    return match[1].upper() if match else None


def score_recall(questions: Sequence[Question], answers: Mapping[str, str]) -> RecallCount:
    """Score raw answers by question id; a question without an answer counts as unreadable."""
    chosen = [read_choice(answers.get(question.id, "")) for question in questions]
    right = sum(letter == question.right for letter, question in zip(chosen, questions, strict=True))
    unreadable = sum(letter is None for letter in chosen)
    if not questions:
        return RecallCount(0, 0, 0, undefined("there is no question on this window"), None)
    p_value = float(bdtrc(right - 1, len(questions), 1 / len(LETTERS)))
    return RecallCount(len(questions), right, unreadable, Measure(right / len(questions), len(questions)), p_value)


def _when(
    inside: Sequence[Event], outside: Sequence[Event], start: date, end: date, draw: random.Random
) -> list[Question]:
    ask = f"Which of these happened between {start} and the day before {end}? Answer with one letter."
    found = []
    for event in draw.sample(list(inside), k=len(inside)):
        decoys = [other for other in outside if other.domain == event.domain]
        if len(decoys) >= 3:
            found.append(_question(QuestionKind.WHEN, ask, event, draw.sample(decoys, k=3), draw))
    return found


def _fate(inside: Sequence[Event], start: date, end: date, draw: random.Random) -> list[Question]:
    ask = (
        f"All of these happened between {start} and the day before {end}. "
        "Of which did the subject come to dominate its field? Answer with one letter."
    )
    won = [event for event in inside if event.fate is Fate.DOMINANT]
    lost = [event for event in inside if event.fate in {Fate.ABANDONED, Fate.NICHE}]
    if len(lost) < 3:
        return []
    return [
        _question(QuestionKind.FATE, ask, event, draw.sample(lost, k=3), draw) for event in draw.sample(won, k=len(won))
    ]


def _question(kind: QuestionKind, ask: str, event: Event, decoys: Sequence[Event], draw: random.Random) -> Question:
    first, second, third, fourth = draw.sample([event, *decoys], k=4)
    options = (first.text, second.text, third.text, fourth.text)
    right = LETTERS[[first, second, third, fourth].index(event)]
    return Question(f"{kind}/{event.id}", kind, ask, options, right, event.id)
