"""What is changed in a judge's packet to test the judge: empty words, what became of the company, the exact layer."""

from app.domain.engine.inputs import ShownOutcome
from app.domain.protocol.artifacts import Decision
from app.domain.protocol.company import CompanyState
from app.domain.protocol.eras import Era
from app.domain.protocol.layers import Layer

PADDING = (
    "Every part of this deserves to be stated with care, and care is what has gone into stating it here.",
    "It bears repeating that a decision of this kind is only as good as the attention with which it is followed.",
    "Seen from any side, the considerations named above hang together and lead to what has been said.",
    "None of this is said lightly, and all of it has been weighed before it was written down.",
    "The reasons given are the reasons that count, and they have been given in the order in which they matter.",
    "What follows from this follows in the usual way, step after step, as has been laid out.",
)
"""Sentences that say nothing of any company, time or thing."""

PADDED_FIELDS = ("rationale", "wedge")
"""Long texts that take the padding; names, chains, numbers and one-line fields stay as they are."""

GAIN = 20
"""How many times its capital a company shown as a success ends with."""


def padded(decision: Decision) -> Decision:
    """The same decision in more words: nothing is added that could be judged. It is not checked for length again."""
    half = len(PADDING) // len(PADDED_FIELDS)
    more = {
        name: f"{getattr(decision, name)} {' '.join(PADDING[place * half : (place + 1) * half])}"
        for place, name in enumerate(PADDED_FIELDS)
    }
    return decision.model_copy(update=more)


def committed_to(decision: Decision, layer: Layer) -> Decision:
    """The same decision, committed to this layer: its id, its words for the layer, and a sentence of the rationale.

    What the company sees coming stays as it was, so that a judge gives both dimensions alike. It is not checked for
    length again.
    """
    words = f"the {layer.name} layer"
    owned = f"We own {words}: {layer.about}" if layer.about else f"We own {words}."
    chain = decision.chain.model_copy(update={"layer": layer.id, "layer_owned": owned})
    rationale = f"{decision.rationale} Everything we build is committed to {words}."
    return decision.model_copy(update={"chain": chain, "rationale": rationale})


def shown_outcome(decision: Decision, company: CompanyState, era: Era, *, is_success: bool) -> ShownOutcome:
    """What became of a company, in one of two ways that differ in nothing but its fortune.

    The world's events stay what they were in both, so that a judge of decisions scores both alike. One of the two is
    not what happened in the run, and neither claims anything about the layer, the technology or the reasons.
    """
    name, capital = " ".join(decision.company_name.split()), decision.state.capital_usd or company.capital_usd
    if is_success:
        text = (
            f"{name} carried out its plan and by {era.end} it had prospered. Its first customers stayed and brought "
            f"others, it earned more than it spent, and its capital stood at US${GAIN * max(capital, 1):,}. Those who "
            "had backed it were glad that they had."
        )
    else:
        text = (
            f"{name} carried out its plan and by {era.end} it had failed. Its first customers left and brought no "
            "others, it spent more than it earned, and its capital stood at US$0. Those who had backed it wished that "
            "they had not."
        )
    return ShownOutcome(is_success, text)
