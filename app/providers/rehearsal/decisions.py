"""The decision: a choice among the theses on the table, or a founder's own where there is no table."""

from dataclasses import dataclass, replace

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import (
    Board,
    CompanyUpdate,
    Decision,
    Deferral,
    StopThreshold,
    Suspicion,
    Thesis,
)
from app.domain.protocol.company import CompanyState
from app.providers.rehearsal.attacks import theses_on_table, thresholds, write_attack
from app.providers.rehearsal.dissents import write_dissents
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.lessons import active_lessons, cite_in_decision, tag_claims
from app.providers.rehearsal.memos import propose
from app.providers.rehearsal.names import company_name
from app.providers.rehearsal.phrases import opening_of, say, sentences
from app.providers.rehearsal.placing import spoken
from app.providers.rehearsal.reports import choose_reports, fact_of
from app.providers.rehearsal.revisions import revise
from app.providers.rehearsal.temperaments import Temperament
from app.providers.rehearsal.wording import as_asset, bare, clip, dollars, high, low

FOUNDER_THESES = 3
MOST_ASSETS = 6


@dataclass(frozen=True, slots=True)
class Choice:
    """The thesis chosen, what lost against it, and the words for both."""

    thesis: Thesis
    others: tuple[Thesis, ...]
    company: CompanyState
    keeps_name: bool
    noun: str
    identity: str
    offer: str
    layer: str
    spend: int
    months: int
    deferred: bool


def write_board(step: StepInput, temperament: Temperament, draws: Draws) -> Board:
    """The pilot's board: the attack first, if there is a Red Team, then the decision that knows it."""
    attack = write_attack(step, temperament, draws) if step.wanted.red_team else None
    return Board(attack=attack, decision=write_decision(replace(step, attack=attack), temperament, draws))


def write_decision(step: StepInput, temperament: Temperament, draws: Draws) -> Decision:
    """The decision with everything it must say; where there is a draft, the draft revised."""
    if step.drafts:
        return revise(step, step.drafts[-1], draws)
    choice = _choose(step, temperament, draws)
    end, keep, kept_assets = _businesses(choice, temperament, draws)
    name = _name(choice, draws)
    thesis = choice.thesis
    return Decision(
        company_name=name,
        identity=clip(choice.identity),
        chain=thesis.chain,
        rationale=_rationale(step, choice, name, temperament, draws),
        end=end,
        keep=keep,
        wedge=thesis.wedge,
        first_customer=thesis.first_customer,
        plan=_plan(step, choice, draws),
        capital_need=clip(say(draws, "decision.capital", sum=dollars(choice.spend), months=choice.months)),
        stop_criteria=_stop_criteria(step, draws),
        deferral=_deferral(choice, draws),
        organization=tuple(draws.some(sentences("decision.organization"), draws.between(1, 3))),
        dissents=write_dissents(step, choice.others, draws),
        lessons=cite_in_decision(step, temperament.disputes, draws),
        claims=tag_claims(step, thesis, fact_of(thesis.chain.capability), draws),
        state=CompanyUpdate(
            capital_usd=max(choice.company.capital_usd - choice.spend, 0),
            assets=_assets(choice, kept_assets),
            reputation=clip(say(draws, "decision.reputations", noun=low(choice.noun))),
        ),
    )


def _choose(step: StepInput, temperament: Temperament, draws: Draws) -> Choice:
    company = step.company or CompanyState()
    table = theses_on_table(step)
    theses = dict(table) or {
        f"founder/{n}": thesis
        for n, thesis in enumerate(propose(step, choose_reports(step, draws, FOUNDER_THESES), draws), start=1)
    }
    names = list(theses)
    chosen = draws.weighted(names, [_appeal(step, name, theses[name], temperament) for name in names])
    thesis = theses[chosen]
    opening = opening_of(thesis.title)
    return Choice(
        thesis=thesis,
        others=tuple(theses[name] for name in names if name != chosen),
        company=company,
        keeps_name=company.identity is not None and draws.chance(temperament.keeps_name),
        noun=opening.noun if opening else "Works",
        identity=f"{opening.identity}: {opening.offer}" if opening else high(bare(thesis.chain.layer_owned)),
        offer=opening.offer if opening else clip(low(bare(thesis.title)), 160),
        layer=spoken(step.layers, thesis.chain.layer),
        spend=company.capital_usd * draws.between(25, 60) // 100,
        months=draws.between(12, 30),
        deferred=draws.chance(temperament.defers + (0.08 if step.attack else 0.0)),
    )


def _appeal(step: StepInput, name: str, thesis: Thesis, temperament: Temperament) -> float:
    """How much a thesis attracts: less under suspicion, more with backers and where lessons point, near or far."""
    appeal = 1.0 + sum(reply.backs == name for reply in step.replies)
    suspicions = [point.suspicion for point in step.attack.points if point.thesis == name] if step.attack else []
    appeal *= 0.35 ** sum(suspicion is not Suspicion.NONE for suspicion in suspicions)
    layer = spoken(step.layers, thesis.chain.layer)
    appeal += 0.5 * any(layer in lesson.text for lesson in active_lessons(step))
    previous = step.previous_decision.chain.layer if step.previous_decision else None
    if previous in step.layers.ids:
        near = {previous, *step.layers.layer(previous).neighbours}
        appeal *= 1.5 - temperament.roams if thesis.chain.layer in near else 0.5 + temperament.roams
    return appeal


def _name(choice: Choice, draws: Draws) -> str:
    identities = choice.company.identities
    if choice.keeps_name and identities:
        return identities[-1].name
    return company_name(choice.noun, {identity.name for identity in identities}, draws)


def _businesses(
    choice: Choice, temperament: Temperament, draws: Draws
) -> tuple[tuple[str, ...], tuple[str, ...], list[str]]:
    """What ends and what stays, each with its reason, and the assets that stay."""
    assets = list(choice.company.assets)
    ended = {asset for asset in assets if draws.chance(0.25 + temperament.roams / 3)}
    kept = [asset for asset in assets if asset not in ended]
    ended.update(kept[: max(len(kept) - MOST_ASSETS + 1, 0)])
    kept = [asset for asset in assets if asset not in ended]
    end = _reasoned([asset for asset in assets if asset in ended], "decision.end_reasons", draws)
    identity = choice.company.identity
    if identity and not choice.keeps_name:
        end.insert(0, say(draws, "decision.drops_old", old=identity.name))
    keep = _reasoned(kept, "decision.keep_reasons", draws)
    return tuple(map(clip, end or sentences("decision.first_end"))), tuple(map(clip, keep)), kept


def _reasoned(assets: list[str], path: str, draws: Draws) -> list[str]:
    """Each asset with a reason, the reasons taken in turn."""
    reasons = draws.some(sentences(path), len(assets))
    return [f"{bare(asset)}: {reasons[number % len(reasons)]}" for number, asset in enumerate(assets)]


def _rationale(step: StepInput, choice: Choice, name: str, temperament: Temperament, draws: Draws) -> str:
    chain = choice.thesis.chain
    text = say(
        draws,
        "decision.rationales",
        title=f"“{choice.thesis.title}”",
        fact=bare(chain.capability),
        bottleneck=low(bare(chain.bottleneck)),
        layer=choice.layer,
        against=say(draws, "decision.against" if step.attack else "decision.unopposed"),
    )
    kept = say(draws, "decision.keeps_old", name=name) if choice.keeps_name else ""
    return " ".join(part for part in (text, kept, temperament.saying) if part)


def _plan(step: StepInput, choice: Choice, draws: Draws) -> tuple[str, ...]:
    slots = {
        "offer_short": choice.offer,
        "customer": low(bare(choice.thesis.first_customer)),
        "layer": choice.layer,
        "next": low(bare(choice.thesis.chain.next_capability)),
    }
    return tuple(
        clip(f"{step.era.start.year + number}: " + years[choice.deferred].format(small=draws.between(3, 12), **slots))
        for number, years in enumerate(_plan_sentences())
    )


def _plan_sentences() -> list[list[str]]:
    return [list(pair) for pair in sentences("decision.plan")]


def _stop_criteria(step: StepInput, draws: Draws) -> tuple[StopThreshold, ...]:
    """Those of the Red Team it accepts and its own; more of them the more lessons there are."""
    count = min(1 + draws.between(0, 1) + min(len(active_lessons(step)), 12) // 5, 4)
    offered = list(step.attack.thresholds) if step.attack else []
    accepted = draws.some(offered, count - 1)
    measures = {stop.measure for stop in accepted}
    own = [stop for stop in thresholds(step, count + len(measures), draws) if stop.measure not in measures]
    return tuple((accepted + own)[:count])


def _deferral(choice: Choice, draws: Draws) -> Deferral:
    if not choice.deferred:
        return Deferral(deferred=False, gate=None)
    slots = {"small": draws.between(2, 6), "percent": draws.between(1, 5), "large": draws.between(2, 9) * 100}
    return Deferral(deferred=True, gate=say(draws, "decision.gates", **slots))


def _assets(choice: Choice, kept: list[str]) -> tuple[str, ...]:
    gained = [
        clip(as_asset(choice.thesis.chain.proprietary_data), 160),
        clip(f"A first contract with {low(bare(choice.thesis.first_customer))}", 160),
    ]
    fresh = [asset for asset in gained[: 1 if choice.deferred else 2] if asset not in kept]
    return (*kept, *fresh)
