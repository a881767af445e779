"""What the second version of the generator adds to a world's sentences, so that fewer are read twice."""

from app.domain.world.histories import sentences as say

WAGERED = (
    "{person} wagered {stake} {coin} with {person2} at {place} that nobody would ever be sold a {tech}.",
    "{person} wrote in the guest book of the {society}: no {tech} will sell; {person2} put {stake} {coin} against it.",
    "{person} told a full room at {place} that the {tech} would stay a toy; {person2} held {stake} {coin} against it.",
)
PAID = (
    "{person} paid {person2} the {stake} {coin} wagered on the {tech}, in the smallest coin there is.",
    "{person2} was sent {stake} {coin} by {person}, over the {tech}, with a card that read: well.",
    "The {stake} {coin} that {person} lost to {person2} over the {tech} were drunk at {place} by both.",
)

DROPPED = frozenset({say.SOLD[0]})
ADDED: dict[tuple[str, ...], tuple[str, ...]] = {
    say.FOUND: (
        "The assistant of {person} mislabelled two jars of {material} and so learned that they {effect}.",
        "A prize question of the {society} on {material} was answered by one entry, in verse, and it was right.",
        "{person} filled a bath at {place} with {material} for a week and apologised to the household in a footnote.",
    ),
    say.SHOWN: (
        "{person} showed a {tech} at {place} in full daylight, to prove that nothing was hidden under the table.",
        "A {tech} was worked at the {place} fair by a child of six, and no speech was made.",
    ),
    say.LAUNCHED: (
        "{firm} let the first forty buyers of the {tech} name their price; the rest pay {price} {coin}.",
        "The {tech} went on sale at {price} {coin}; the crier of {place}, paid to say what it does, forgot.",
    ),
    say.PRICED: (
        "{firm} tried the {tech} at {price} {coin} for a week and kept it there; it had been {was} in {year}.",
        "A pupil at {place} saved {price} {coin} for a {tech}; her sister had paid {was} {years} earlier.",
        "An auction of {tech} stock at {place} closed at {price} {coin} apiece; the list of {year} had said {was}.",
        "The {body} renewed its contract for the {tech} at {price} {coin}, having paid {was} in {year}.",
        "The {place} Gazette listed the {tech} at {price} {coin} among daily prices, beside eggs; in {year}, {was}.",
    ),
    say.DEARER: (
        "A {tech} cost {price} {coin}, against {was} in {year}; a chalked notice at {firm} said why: {reason}.",
    ),
    say.SOLD: (
        "The customs office at {place} counted {units} of the {tech} sold in {year}.",
        "{firm} painted the year's sale of the {tech} on its gable: {units}, for {year}.",
        "Porters at {place} reckoned that they had carried {units} of the {tech} in {year}, at {price} {coin} each.",
        "A clerk of {firm} let slip that a {tech} costs {cost} {coin} to make and that {units} were sold in {year}.",
    ),
    say.IMPROVED: (
        "A wager at {place} was settled by measuring: the {tech} gave {capability} {measure}.",
        "{person} got {capability} {measure} out of a {tech} by oiling it, and told nobody for a month.",
        "The {place} Gazette tried a {tech} in its own office: {capability} {measure}, and one burnt curtain.",
    ),
    say.ORDERED: (
        "A circus wintering at {place} bought {lot} of the {tech} from {firm} and would not say why.",
        "The school board of {place} ordered {lot} of the {tech} and a cupboard that locks.",
        "The lighthouse keepers of {place} asked for {lot} of the {tech} and were sent blankets, then the {tech}.",
    ),
    say.WITHDRAWN: (
        "{firm} took back every {tech} it could find, since it {flaw}; the rest became flower pots.",
        "A meeting of owners at {place} agreed on one thing, that the {tech} {flaw}, and {firm} gave it up.",
    ),
    say.GIVEN_UP: (
        "The mould of the {tech}, in use since {year}, cracked at {firm} and was not replaced.",
        "{firm} sent its last {tech} to the museum of {place} with a note of thanks to all who had mended one.",
        "A man of {place} bought the last nine of the {tech}, made since {year}, in case.",
    ),
    say.DISPUTED: (
        "{person} and {person2} have not spoken since a reading at {place} on how a {tech} works.",
        "A pamphlet of {person} called the {tech} a toy; the reply of {person2} ran to three volumes.",
        "The {society} named five members to settle what a {tech} really does; they settled on dinner.",
        "{person} took a {tech} apart and put it together before the {society}; a piece was left over, and it worked.",
        "Students at {place} held a mock trial of the {tech}, with {person} for the defence; the jury is still out.",
    ),
    say.FOUNDED: (
        "{person} and {person2} shook hands on {firm} at the {home} ferry, missed the boat, and signed on the quay.",
        "{firm} began at {home} with a bench, a debt of {sum} {coin}, and a way to make {plural} nobody else tried.",
        "A choir at {home} that had met to sing became {firm}, makers of {plural}; it still opens with a hymn.",
    ),
    say.FUNDED: (
        "{person} lent {firm} {sum} {coin} after watching its people at lunch through a window.",
        "The guild of {noun}-makers at {place} put {sum} {coin} of its burial fund into {firm}.",
        "{firm} was lent {sum} {coin} at {place} against a promise to hire no cousins.",
        "A lottery at {place} for shares in {firm} brought {sum} {coin}; the first prize was won by the printer.",
        "{person} sold {share} parts in a hundred of {firm} back to it for {sum} {coin} and bought an orchard.",
    ),
    say.FAILED: (
        "Everything of {firm} but the bell was sold at {home}; the bell went to the school.",
        "{firm} paid all it owed, to the last {coin_single}, and shut.",
    ),
    say.REPORTED: (
        "{firm} gave every hand at {home} a week off and found that {plural} were made no slower.",
        "{firm} lost its order book in a river crossing near {place} and asked customers to be honest.",
        "Two partners of {firm} fell out over the colour of {plural}; both colours are now made.",
        "{firm} wrote to {place} for a new foreman and was sent a better one, by mistake.",
        "{firm} took on thirty apprentices and told their parents that {plural} would always be wanted.",
        "{firm} bought the house next door at {home}, then the street, and stopped there.",
        "A thief took the drawings of {firm}; they came back by post from {place}, corrected.",
        "{firm} stopped paying by the piece, and {plural} came out fewer and straighter.",
        "{firm} put its oldest {noun}-maker in charge of saying no.",
        "{firm} counted its {plural} twice at the year's end and got two answers; the lower one was printed.",
        "A strike at {firm} over the noon bell ended when the bell was found to be wrong.",
        "{firm} hung the complaints of a year in its hall at {home}; visitors read them and ordered {plural}.",
    ),
    say.PROPOSED_STANDARD: (
        "{person} set the {standard} in rhyme so that makers of {plural} could learn it at the bench.",
    ),
    say.SHORTAGE: ("A crate of {plural} changed hands three times between quay and market at {place} {because}.",),
    say.SIGNALS: (
        "A wedding at {place} was put off because the dowry, three {plural}, could not be had.",
        "{firm} began to lock up its {plural} at night.",
        "A maker at {place} refused coin for {plural} and asked what else was offered.",
    ),
    say.GLUTS: (
        "Children at {place} built a wall of unsold {plural}, and nobody stopped them.",
        "The {place} lottery offered {plural} as its third prize, and the winner chose the fourth.",
    ),
}
"""Sentences that stand beside those of the first version."""


def sentences_now(first: tuple[str, ...]) -> tuple[str, ...]:
    """The sentences of one kind today; ``first`` are those of the first version."""
    return (*(line for line in first if line not in DROPPED), *ADDED.get(first, ()))
