"""Documents as Markdown for prompts; only our own headings start a line, whatever the documents hold."""

import re
from collections.abc import Iterable, Iterator

from app.domain.engine.forms import thesis_names
from app.domain.engine.inputs import KEPT_TEXTS
from app.domain.once import once_each
from app.domain.protocol.artifacts import (
    Attack,
    AuditorReview,
    Briefing,
    BriefingItem,
    Claim,
    Critique,
    Decision,
    LessonUse,
    Memo,
    Note,
    Reply,
    Review,
    StopThreshold,
    Thesis,
    ThesisChain,
)
from app.domain.protocol.personas import Persona, Roster

NONE = "None."

_HEADING = re.compile(r"^(\s*)(?=#{1,6}(?:\s|$))")


def field(label: str, text: str) -> str:
    """A labelled line; further lines of its text are set in."""
    return f"- {label}: {set_in(text)}"


def bullets(texts: Iterable[str]) -> str:
    """A list, or a word that says there is nothing in it."""
    return "\n".join(f"- {set_in(text)}" for text in texts) or NONE


def set_in(text: str) -> str:
    """The text with its further lines set in; a line that would be a heading is no heading."""
    if text.isprintable() and "#" not in text:  # most are of one line, and no break of lines is printable
        return text.strip()
    return "\n  ".join(_HEADING.sub(r"\1\\", line) for line in text.strip().splitlines())


@once_each(KEPT_TEXTS)
def render_briefing(briefing: Briefing) -> str:
    """Dated facts by section; the numbers of their events are left out, for they mean nothing to a reader."""
    sections = [
        f"### {_one_line(section.heading)}\n\n{bullets(_fact(item) for item in section.items)}"
        for section in briefing.sections
    ]
    return "\n\n".join([set_in(briefing.headline), *sections])


def render_memos(memos: tuple[Memo, ...]) -> str:
    """Every memo with its theses under the names by which others refer to them."""
    return "\n\n".join(_memo(memo) for memo in memos)


def render_notes(notes: tuple[Note, ...], roster: Roster) -> str:
    """What each member of a department wrote for its head."""
    return "\n\n".join(_note(note, roster.persona(note.persona)) for note in notes)


def render_replies(replies: tuple[Reply, ...], roster: Roster) -> str:
    """What each executive answers, and the thesis it backs."""
    return "\n\n".join(_reply(reply, roster.persona(reply.persona)) for reply in replies)


def render_critique(critique: Critique) -> str:
    """A founder's criticism of its own draft."""
    return "\n".join([bullets(critique.points), "\n#### Keep\n", bullets(critique.keep)])


@once_each(KEPT_TEXTS)
def render_attack(attack: Attack) -> str:
    """Objections thesis by thesis, then the thresholds."""
    points = bullets(f"{point.thesis}, suspected {point.suspicion}: {point.objection}" for point in attack.points)
    return f"{set_in(attack.summary)}\n\n{points}\n\n### Stop thresholds\n\n{_thresholds(attack.thresholds)}"


def render_decision(decision: Decision, *, blind: bool = False) -> str:
    """A decision by its fields; a blind judge's has no organization, dissents and lessons, in any condition."""
    return _outer(decision) if blind else f"{_outer(decision)}\n{_inner(decision)}"


@once_each(KEPT_TEXTS)
def _outer(decision: Decision) -> str:
    parts = [
        *_identity(decision),
        *_chain(decision.chain),
        *_plan(decision),
        f"\n### To end\n\n{bullets(decision.end)}",
        f"\n### To keep\n\n{bullets(decision.keep)}",
        f"\n### Stop criteria\n\n{_thresholds(decision.stop_criteria)}",
        f"\n### Assets once carried out\n\n{bullets(decision.state.assets)}",
        f"\n### Tagged claims\n\n{_claims(decision.claims)}",
    ]
    return "\n".join(parts)


@once_each(KEPT_TEXTS)
def render_review(review: Review) -> str:
    """What the judge found, its scores and the simulated outcome; its lessons are the Playbook's to show."""
    scores = bullets(f"{score.dimension} {score.value}: {score.reason}" for score in review.scores)
    return "\n".join(
        [
            *_findings(review),
            field("layer where value pooled", review.pooled_layer),
            field("closest real company", review.closest_company),
            field("simulated outcome", review.outcome.summary),
            f"\n### Scores\n\n{scores}",
        ]
    )


def _findings(review: Review) -> Iterator[str]:
    if isinstance(review, AuditorReview):
        yield from (
            field(f"claim, {claim.confidence_percent} % sure", f"{claim.claim} {claim.finding}")
            for claim in review.claims
        )
        yield from (field("already done by", name) for name in review.already_done_by)
        yield field("case against", review.kill_case)
        yield field("likely course", review.base_outcome)
        yield field("bad course", review.bear_outcome)
    else:
        yield field("what happened", review.reveal)


def _note(note: Note, persona: Persona) -> str:
    heading = f"### {persona.name}, {persona.title}\n"
    lines = [field("proposal", note.proposal), field("doubt", note.doubt)]
    return "\n".join([heading, bullets(note.observations), *lines])


def _reply(reply: Reply, persona: Persona) -> str:
    heading = f"### {persona.name}, {persona.title}\n"
    lines = [field("backs", reply.backs), field("position", reply.position)]
    return "\n".join([heading, *lines, *(field("concedes", text) for text in reply.concedes)])


@once_each(KEPT_TEXTS)
def _memo(memo: Memo) -> str:
    return "\n\n".join(_memo_parts(memo))


def _memo_parts(memo: Memo) -> Iterator[str]:
    yield f"### Memo of {memo.department}\n\n{set_in(memo.summary)}"
    yield from (_thesis(name, thesis) for name, thesis in zip(thesis_names((memo,)), memo.theses, strict=True))
    yield f"#### Lessons used by {memo.department}\n\n{_lesson_uses(memo.lessons)}"
    if memo.claims:
        yield f"#### Claims of {memo.department}\n\n{_claims(memo.claims)}"


def _thesis(name: str, thesis: Thesis) -> str:
    return "\n".join(
        [
            f"#### Thesis {name}\n",
            field("title", thesis.title),
            *_chain(thesis.chain),
            field("why now", thesis.why_now),
            field("wedge", thesis.wedge),
            field("first customer", thesis.first_customer),
            field("makes obsolete", thesis.makes_obsolete),
            field("uncertain", thesis.uncertain),
        ]
    )


def _identity(decision: Decision) -> Iterator[str]:
    yield field("company", decision.company_name)
    yield field("identity", decision.identity)
    yield field("rationale", decision.rationale)


def _chain(chain: ThesisChain) -> Iterator[str]:
    yield field("capability", chain.capability)
    yield field("adoption", chain.adoption)
    yield field("bottleneck", chain.bottleneck)
    yield field("layer owned", f"{chain.layer_owned} (`{chain.layer}`)")
    yield field("proprietary data", chain.proprietary_data)
    yield field("next capability", chain.next_capability)


def _plan(decision: Decision) -> Iterator[str]:
    yield field("wedge", decision.wedge)
    yield field("first customer", decision.first_customer)
    yield from (field(f"year {number}", line) for number, line in enumerate(decision.plan, start=1))
    yield field("capital needed", decision.capital_need)
    gate = decision.deferral.gate or "no gate named"
    yield field("building deferred behind a gate", f"yes: {gate}" if decision.deferral.deferred else "no")
    yield field("capital once carried out", f"US${decision.state.capital_usd:,}")
    yield field("reputation once carried out", decision.state.reputation)


@once_each(KEPT_TEXTS)
def _inner(decision: Decision) -> str:
    dissents = bullets(f"{dissent.id}, {dissent.who}: {dissent.why}" for dissent in decision.dissents)
    return "\n".join(
        [
            f"\n### Organization\n\n{bullets(decision.organization)}",
            f"\n### Dissents\n\n{dissents}",
            f"\n### Lessons used\n\n{_lesson_uses(decision.lessons)}",
        ]
    )


def _lesson_uses(uses: Iterable[LessonUse]) -> str:
    return bullets(f"{use.stance} {use.lesson}: {use.how}" for use in uses)


def _claims(claims: Iterable[Claim]) -> str:
    return bullets(f"{claim.text} ({claim.kind}, {claim.confidence} confidence)" for claim in claims)


def _thresholds(thresholds: Iterable[StopThreshold]) -> str:
    return bullets(f"{one.measure}: {one.threshold}, by {one.by}" for one in thresholds)


def _fact(item: BriefingItem) -> str:
    return f"{item.date}: {item.text}" if item.date else item.text


def _one_line(text: str) -> str:
    return " ".join(text.split())
