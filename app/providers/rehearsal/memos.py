"""Memos: two theses built from the briefing's own events, through the department's lens."""

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import Memo, Thesis, ThesisChain
from app.domain.protocol.company import INITIAL_CAPITAL_USD
from app.domain.protocol.personas import DEPARTMENTS
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.lessons import cite_in_memo, tag_claims
from app.providers.rehearsal.phrases import Domain, Opening, domains, say, sentences
from app.providers.rehearsal.placing import layer_for, spoken
from app.providers.rehearsal.reports import Report, choose_reports, reports_of
from app.providers.rehearsal.temperaments import Temperament
from app.providers.rehearsal.wording import bare, clip, dollars, high, low


def write_memo(step: StepInput, temperament: Temperament, draws: Draws) -> Memo:
    """The department's memo."""
    reports = choose_reports(step, draws, 2)
    theses = propose(step, reports, draws)
    names = [spoken(step.layers, thesis.chain.layer) for thesis in theses]
    summary = say(
        draws,
        "memo.summaries",
        first_layer=names[0],
        second_layer=names[1],
        first_title=low(theses[0].title),
        second_title=low(theses[1].title),
        first_domain=reports[0].domain,
        second_domain=reports[1].domain,
    )
    return Memo(
        department=step.department or DEPARTMENTS[0],
        summary=clip(summary),
        theses=theses,
        lessons=cite_in_memo(step, theses, temperament.disputes, draws),
        claims=tag_claims(step, theses[0], reports[0].fact, draws),
    )


def propose(step: StepInput, reports: list[Report], draws: Draws) -> tuple[Thesis, ...]:
    """One thesis for each report, members' proposals first, no opening twice and none the company has been."""
    lived = {identity.line for identity in step.company.identities} if step.company else set()
    theses: list[Thesis] = []
    customers = draws.some(sentences("customers"), len(reports))
    for report, customer in zip(reports, customers, strict=True):
        domain = domains()[report.domain]
        fresh = [opening for opening in domain.openings if not any(opening.identity in line for line in lived)]
        noted = [opening for opening in fresh if any(low(opening.title) in note.proposal for note in step.member_notes)]
        opening = draws.one(noted or fresh or domain.openings)
        lived.add(opening.identity)
        theses.append(_thesis(step, report, domain, opening, customer, draws))
    return tuple(theses)


def _thesis(step: StepInput, report: Report, domain: Domain, opening: Opening, customer: str, draws: Draws) -> Thesis:
    layer = layer_for(report.domain, opening, step.layers, draws)
    return Thesis(
        title=clip(f"{opening.title}, for {customer}"),
        chain=ThesisChain(
            capability=clip(f"{report.fact}: {draws.one(domain.turns)}"),
            adoption=clip(f"{high(draws.one(domain.adoptions))}; {customer} first"),
            bottleneck=high(opening.bottleneck),
            layer_owned=clip(f"{high(opening.owned)}, in the {spoken(step.layers, layer.id)}"),
            layer=layer.id,
            proprietary_data=high(opening.data),
            next_capability=high(opening.next),
        ),
        why_now=_why_now(step, report, opening, draws),
        wedge=_wedge(step, opening, customer, draws),
        first_customer=high(customer),
        makes_obsolete=high(opening.obsolete),
        uncertain=say(draws, "memo.uncertain"),
    )


def _why_now(step: StepInput, report: Report, opening: Opening, draws: Draws) -> str:
    others = [other for other in reports_of(step.briefing) if other is not report and other.text != report.text]
    second = draws.one(others) if others else report
    return say(
        draws,
        "memo.why_now",
        first=report.fact,
        second=second.fact,
        second_quote=f"“{bare(clip(second.text, 240))}”",
        bottleneck=opening.bottleneck,
    )


def _wedge(step: StepInput, opening: Opening, customer: str, draws: Draws) -> str:
    capital = step.company.capital_usd if step.company else INITIAL_CAPITAL_USD
    return say(
        draws,
        "memo.wedge",
        offer=opening.offer,
        customer=customer,
        people=draws.between(6, 18),
        months=draws.between(6, 15),
        cost=dollars(capital * draws.between(15, 40) // 100),
        start=_start(step, draws),
    )


def _start(step: StepInput, draws: Draws) -> str:
    if step.previous_review is not None and draws.chance(0.4):
        return say(draws, "memo.after_reveal", pooled=spoken(step.layers, step.previous_review.pooled_layer))
    if step.company and step.company.assets:
        return say(draws, "memo.heirs", asset=low(bare(draws.one(step.company.assets))))
    return say(draws, "memo.beginners")
