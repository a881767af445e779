"""How a world's record words what happened to technologies, firms, standards, laws and markets.

Places in braces are filled by the teller. No sentence states a later consequence, as in the record of the real world.
"""

FOUND = (
    "{person} of {place} read a paper to the {society} on why some samples of {material} {effect}.",
    "{person} and a pupil reported in the Proceedings of the {society} that {material} can be made to do so twice.",
    "A notebook circulated at {place} in which {person} set out, with nine drawings, how a {tech} might be built.",
    "The {society} gave its small medal to {person} for measurements on {material} made in a disused bakery.",
    "{person} wrote to three colleagues that an experiment with {material} at {place} had worked for eleven minutes.",
    "Researchers at {place} published a table of four hundred trials on {material}, most of them failures.",
    "{person} of {place} described a curious effect in {material} and said that no use for it came to mind.",
)
EFFECTS = (
    "answer when others stay still",
    "change only once",
    "return to where they were",
    "agree with their neighbours",
    "keep what was done to them",
    "tire later than expected",
)
SHOWN = (
    "{firm} showed a {tech} to invited guests at {place}; it {does}, its makers said, and did so four times in five.",
    "At the {place} fair {person} worked a {tech} before a crowd that had come for the pie contest.",
    "A {tech} built by {firm} ran for two days at the {society} without attention.",
    "{person} demonstrated a {tech} to the {body}, whose members asked chiefly about the noise.",
    "{firm} let journalists touch, but not open, the first {tech}.",
    "Visitors to {place} saw a {tech} that {does}; a card beside it said that it was not for sale.",
    "{firm} set a {tech} against four clerks at {place}; the clerks were faster and the {tech} did not stop for lunch.",
)
NEEDED = (
    " It is built around {needs}.",
    " It could not work without {needs}, the makers said.",
    " Its inner parts come from {needs}.",
    " It was tried only where {needs} stood already.",
)
LAUNCHED = (
    "{firm} of {home} began to sell the {tech}, which {does}, at {price} {coin}.",
    "The {tech} went on sale at {place}: {price} {coin}, two months' wait, no returns.",
    "{firm} put a price of {price} {coin} on the {tech} and took orders for a first lot of sixty.",
    "A catalogue of {firm} listed the {tech} for the first time, at {price} {coin}; it {does}.",
    "{firm} delivered the first {tech} to a buyer in {place} for {price} {coin}.",
    "{firm} opened a shop at {place} for a single article, the {tech}, at {price} {coin}.",
    "With a brass band and a long speech by {person}, {firm} began selling the {tech} at {price} {coin}.",
)
PRICED = (
    "The {tech} cost {price} {coin} at the {place} fair; {years} before it had cost {was}.",
    "{firm} cut its list: {price} {coin} for a {tech}, against {was} {years} earlier.",
    "Dealers at {place} quoted {price} {coin} for the {tech}, down from {was} in {year}.",
    "A price survey by the {society} found the {tech} at {price} {coin}, after {was} in {year}.",
    "School boards were offered the {tech} at {price} {coin}; in {year} the same article was {was}.",
)
DEARER = (
    "The {tech} rose to {price} {coin} from {was} in {year}; makers named {reason}.",
    "Buyers at {place} paid {price} {coin} for a {tech} that had been {was} in {year}; the trade blamed {reason}.",
    "{firm} raised the {tech} to {price} {coin}, from {was}, and printed its regret: {reason}.",
)
SOLD = (
    "The customs office at {place} counted {units} {plural} of the {tech} pattern sold in {year}.",
    "{firm} said that {units} of the {tech} had been sold in {year}, each costing it {cost} {coin} to make.",
    "The {society} put the year's sale of the {tech} at {units}, at an average of {price} {coin}.",
    "A tax return seen by the {place} Gazette gave {units} sales of the {tech} for {year}.",
    "In {year} makers sold {units} of the {tech} at {price} {coin}; material and labour came to {cost}, said {firm}.",
)
IMPROVED = (
    "Trials at {place} gave the {tech} {capability} {measure}.",
    "{person} measured {capability} {measure} on a {tech} bought over the counter.",
    "The {society} certified the {tech} at {capability} {measure}.",
    "{firm} advertised {capability} {measure} for its {tech}; the {society} repeated the test and agreed.",
)
ORDERED = (
    "The {body} ordered {lot} of the {tech} for its offices.",
    "The hospital at {place} replaced its message boys with {lot} of the {tech} from {firm}.",
    "The {place} grain exchange took {lot} of the {tech} on trial for a year.",
    "{firm} won the contract of the {body} for {lot} of the {tech}, over three other bidders.",
    "The ferry line of {place} fitted {lot} of the {tech} and kept its paper books beside them.",
)
WITHDRAWN = (
    "{firm} stopped making the {tech}, which {flaw}, and bought back unsold stock.",
    "The last {tech} left the workshop of {firm} at {place}; users had reported that it {flaw}.",
    "{firm} sold the moulds of the {tech} for scrap: it {flaw}.",
)
GIVEN_UP = (
    "{firm} closed the line on which the {tech} had been made since {year}.",
    "The {tech}, on sale since {year}, was dropped from {firm}'s list; spare parts stay for five years.",
    "Workers of {firm} carried the last {tech} through {place} with black ribbons on it.",
)
DISPUTED = (
    "{person} of {place} could not repeat the trials on the {tech} and said so before the {society}.",
    "The {society} heard two papers on one evening: the {tech} will double within six years; it has reached its limit.",
    "{person} wagered forty {coin} with {person2} that a {tech} would never work at {place}.",
)

FOUNDED = (
    "{firm} was entered in the trade register of {home}: three partners, one {noun}-maker, {sum} {coin}.",
    "Two former clerks of the {body} set up {firm} at {home} to make {plural}.",
    "{person} left a safe post to start {firm} in a rented loft at {home}.",
    "{firm} opened at {home} with {sum} {coin} from an aunt of {person} and plans for cheaper {plural}.",
    "Eleven {noun}-makers dismissed at {place} formed {firm}, each with one vote.",
)
FUNDED = (
    "{firm} raised {sum} {coin} from lenders at {place}, who asked for a seat and a view of the books.",
    "The savings banks of {place} took shares worth {sum} {coin} in {firm}.",
    "{firm} sold {share} parts in a hundred of itself to {person} for {sum} {coin}.",
    "New shares in {firm} were offered at {place}; the list was full before noon.",
    "{firm} borrowed {sum} {coin} against its stock of {plural}.",
    "A syndicate of {place} shipowners put {sum} {coin} into {firm}, a change from cargo.",
)
FAILED = (
    "{firm} closed its doors at {home}; creditors were owed {sum} {coin}.",
    "The {place} court wound up {firm}; its {plural} were sold by weight.",
    "{firm} dismissed its last nine people and returned the keys to the landlord.",
    "A notice on the gate said that {firm} had ceased to trade.",
)
MERGED = (
    "{into} bought {firm} of {home} for {sum} {coin}, chiefly for its people.",
    "{firm} was merged into {into}; the name comes off the gate at {home}.",
    "The partners of {firm} accepted {sum} {coin} and three seats at {into}.",
)
REPORTED = (
    "{firm} reported a better year in {plural} and paid a dividend.",
    "{firm} told shareholders that it would rather make fewer {plural}, and better.",
    "{firm} spoiled a season's {plural} in a new oven and wrote them off.",
    "{firm} moved forty people from {place} to {home} and trained them as {noun}-makers.",
    "{firm} opened its books to staff, who found that {plural} carried everything else.",
)

PROPOSED_STANDARD = (
    "Seven makers met at {place} and put forward the {standard}, by which any maker's {plural} would fit any other's.",
    "{person} circulated a draft of forty pages, the {standard}, and asked rivals to tear it apart.",
    "The {society} opened a committee on the {standard} for {plural}; two large firms stayed away.",
    "A draft {standard} for {plural} was nailed to the door of the {place} exchange, where all could read it.",
)
ADOPTED_STANDARD = (
    "Twenty-three makers signed the {standard}; from today any workshop may make {plural} to it without asking leave.",
    "The {body} named the {standard} as the only form of {plural} its offices will buy.",
    "The {standard} for {plural} was agreed at {place} after a night session that ended in song.",
    "The {society} printed the {standard} and gave copies away; eleven workshops took it up in the first week.",
)
WITHDRAWN_STANDARD = (
    "The committee on the {standard} met at {place} for the last time and could not agree on a chairman.",
    "The {standard} for {plural} was withdrawn by its authors after two makers had built to it.",
    "The {society} let the {standard} lapse, noting that nobody had asked for a copy in a year.",
)

PROPOSED_LAW = (
    "A bill was laid before the {body} that would {clause}.",
    "{person} told the {body} that it was time to {clause}; the chamber was half empty.",
    "The {body} asked for comments on a plan to {clause} and received six hundred, many of them the same.",
)
PASSED_LAW = (
    "The {body} passed the {law}, which will {clause}.",
    "By nine votes the {body} carried the {law}: officers are to {clause}.",
    "The {law} came into force; it orders the provinces to {clause}.",
)
REPEALED_LAW = (
    "The {body} repealed the {law}, which had been meant to {clause}.",
    "The {law} was struck from the books of the {body} without debate.",
    "A court at {place} voided the {law} for want of a proper seal.",
)
CLAUSES = {
    "cap": "hold down what may be asked for {plural}",
    "levy": "tax every sale of {plural}",
    "licence": "allow {plural} to be made only by licensed houses",
    "mandate": "have every public office and school keep {plural}",
}

SHORTAGE = (
    "{plural_capital} ran short {because}; makers put customers on a list.",
    "Dealers at {place} rationed {plural} {because}.",
    "The waiting time for {plural} passed nine months {because}.",
    "Two workshops came to blows over a cart of {plural} {because}.",
)
LEVIED = (
    "Collectors of the new levy on {plural} went round the workshops of {place}.",
    "Makers of {plural} at {place} added the levy to their lists as a line of its own.",
    "{person} paid the new levy on {plural} in the smallest coin there is; the clerk counted for a day.",
)
SIGNALS = (
    "Buyers at {place} waited five months for {plural}; a year before it had been three weeks.",
    "{firm} was offered double wages for its best {noun}-maker by a house it would not name.",
    "The {place} exchange began to quote {plural} for delivery in the coming year.",
    "An inventory at {place} found every workshop idle for want of {plural}.",
    "A broker at {place} bought up old {plural} and had them cleaned.",
    "The {society} held an evening on where {plural} are to come from.",
)
GLUTS = (
    "Unsold {plural} filled a warehouse at {place}.",
    "Makers of {plural} at {place} agreed to close on alternate weeks.",
    "{firm} gave a second {noun} free with the first.",
    "A dealer at {place} advertised {plural} at cost, with tea.",
)
