"""Invents a whole technology history from a seed: the same seed gives the same world, to the byte."""

import random
from collections.abc import Sequence

from app.domain.world.histories.chronicle import Chronicle
from app.domain.world.histories.facts import Happening, History, Technology, Trade, WorldLayer
from app.domain.world.histories.fates import firm_fates, technology_fates
from app.domain.world.histories.firms import plan_firms
from app.domain.world.histories.market import run_market, windows_of
from app.domain.world.histories.months import written
from app.domain.world.histories.names import Coiner, Taken
from app.domain.world.histories.plans import Horizon, Plan
from app.domain.world.histories.rules import BECAUSE, plan_causes, plan_regulations, plan_standards
from app.domain.world.histories.scene import GENERATION_YEARS, NEWCOMERS, Cast, Scene
from app.domain.world.histories.stacks import choose_layers, neighbours_within, walk_scarcity
from app.domain.world.histories.technologies import plan_technologies, with_makers_and_needs
from app.domain.world.histories.telling_colour import tell_colour
from app.domain.world.histories.telling_firms import FirmTeller
from app.domain.world.histories.telling_rules import RuleTeller
from app.domain.world.histories.telling_technologies import TechnologyTeller
from app.domain.world.histories.theme_brine import BRINE
from app.domain.world.histories.theme_lamps import LAMPS
from app.domain.world.histories.theme_looms import LOOMS
from app.domain.world.histories.theme_reeds import REEDS
from app.domain.world.histories.themes import Theme

VERSION = "2"
"""Changes whenever any seed's world changes: a study names seed and version."""

VERSIONS = ("1", VERSION)
"""Every version whose worlds can still be made, to the byte: studies were set in them."""

THEMES = (REEDS, BRINE, LOOMS, LAMPS)
MOST_ERAS = 9
YEARS_PER_ERA = (3, 10)
FIRST_YEARS = range(2210, 2800, 10)
BODIES = ("Assembly of {name}", "Estates of {name}", "Council of {name}")
SOCIETIES = ("{name} Society", "{name} Academy", "Institute of {name}")


def invent_history(
    seed: int, taken: Taken, *, eras: int = 6, years_per_era: int = 6, version: str = VERSION
) -> History:
    """The world of a seed. ``taken`` is what no name may occur in, such as ``Taken.of(first_use, record)``.

    Raises ValueError for fewer than one or more than nine eras, eras shorter than three or longer than ten years, or a
    version that is not one of VERSIONS.
    """
    if not 1 <= eras <= MOST_ERAS:
        raise ValueError(f"eras: {eras} is not between 1 and {MOST_ERAS}")
    if not YEARS_PER_ERA[0] <= years_per_era <= YEARS_PER_ERA[1]:
        raise ValueError(f"years_per_era: {years_per_era} is not between {YEARS_PER_ERA[0]} and {YEARS_PER_ERA[1]}")
    if version not in VERSIONS:
        raise ValueError(f"version: {version} is none of {', '.join(VERSIONS)}")
    chance = random.Random(f"history:{version}:{seed}")
    theme = chance.choice(THEMES)
    coiner = Coiner(chance, taken)
    horizon = Horizon(chance.choice(FIRST_YEARS), eras, years_per_era)
    cast = _cast(horizon, coiner, chance)
    plan = _plan(theme, cast, horizon, coiner, chance)
    trades = run_market(plan, chance)
    told = _told(Scene(theme, plan, cast, chance, version), trades, chance)
    return _history(seed, theme, plan, trades, told, coiner, version)


def _cast(horizon: Horizon, coiner: Coiner, chance: random.Random) -> Cast:
    years = horizon.last_year - horizon.first_year + 1
    count = NEWCOMERS * (years // GENERATION_YEARS + 2)
    names = zip(coiner.coin_many(count), coiner.coin_many(count), strict=True)
    people = tuple(f"{first} {last}" for first, last in names)
    bodies = [chance.choice(BODIES).format(name=coiner.coin()) for _ in range(3)]
    societies = [chance.choice(SOCIETIES).format(name=coiner.coin()) for _ in range(3)]
    return Cast(horizon.first_month, people, tuple(coiner.coin_many(9)), tuple(societies), tuple(bodies))


def _plan(theme: Theme, cast: Cast, horizon: Horizon, coiner: Coiner, chance: random.Random) -> Plan:
    layers = choose_layers(theme.layers, chance)
    near = neighbours_within(layers)
    scarce = walk_scarcity(near, horizon.eras + 1, chance)
    firms = plan_firms(layers, cast.places, horizon, coiner, chance)
    technologies = plan_technologies(layers, horizon, coiner, theme.hazard, chance)
    regulations = plan_regulations(layers, horizon, coiner, chance)
    because = [
        text.format(place=place, hazard=theme.hazard, material=theme.material)
        for text in BECAUSE
        for place in chance.sample(cast.places, k=4)
    ]
    return Plan(
        horizon=horizon,
        layers=layers,
        near=near,
        scarce=scarce,
        technologies=with_makers_and_needs(technologies, firms, near, chance),
        firms=firms,
        standards=plan_standards(scarce, layers, horizon, coiner, chance),
        regulations=regulations,
        causes=plan_causes(scarce, layers, regulations, horizon, because, chance),
    )


def _told(scene: Scene, trades: Sequence[Trade], chance: random.Random) -> tuple[Happening, ...]:
    plan = scene.plan
    chronicle = Chronicle(plan.horizon, scene.cast, chance)
    technologies = TechnologyTeller(scene, chronicle, trades, technology_fates(plan, trades), chance)
    for one in plan.technologies:
        technologies.tell(one)
    firms = FirmTeller(scene, chronicle, firm_fates(plan, trades), chance)
    for firm in plan.firms:
        firms.tell(firm)
    rules = RuleTeller(scene, chronicle, chance)
    for standard in plan.standards:
        rules.tell_standard(standard)
    for law in plan.regulations:
        rules.tell_law(law)
    for cause in plan.causes:
        rules.tell_cause(cause)
    rules.tell_signs()
    tell_colour(scene, chronicle, chance)
    return chronicle.told()


def _history(
    seed: int,
    theme: Theme,
    plan: Plan,
    trades: tuple[Trade, ...],
    told: tuple[Happening, ...],
    coiner: Coiner,
    version: str,
) -> History:
    fates = firm_fates(plan, trades)
    horizon = plan.horizon
    return History(
        seed=seed,
        version=version,
        title=f"{theme.title[0].upper()}{theme.title[1:]}, {horizon.era_year(0)} to {horizon.last_year + 1}",
        about=theme.about,
        coin=theme.coin,
        first_year=horizon.first_year,
        layers=tuple(WorldLayer(one.id, one.name, one.about, plan.near[one.id]) for one in plan.layers),
        technologies=_technologies(plan, trades),
        firms=tuple(
            firm.as_fact(fates[firm.id], written(firm.founded), None if firm.ended is None else written(firm.ended))
            for firm in plan.firms
        ),
        standards=plan.standards,
        regulations=plan.regulations,
        causes=plan.causes,
        trades=trades,
        happenings=told,
        windows=windows_of(plan, trades),
        names=coiner.coined,
    )


def _technologies(plan: Plan, trades: Sequence[Trade]) -> tuple[Technology, ...]:
    fates = technology_fates(plan, trades)
    opened = plan.horizon.first_month
    return tuple(
        Technology(
            id=one.id,
            name=one.name,
            layer=one.layer.id,
            noun=one.layer.noun,
            plural=one.layer.plural,
            does=one.does,
            needs=one.needs,
            found_on=written(one.found) if one.found >= opened else None,
            shown_on=written(one.shown) if one.shown >= opened else None,
            launched_on=written(one.launched),
            ended_on=None if one.ended is None else written(one.ended),
            maker=one.maker,
            follows=one.follows,
            flaw=one.flaw,
            fate=fates[one.id],
        )
        for one in plan.technologies
    )
