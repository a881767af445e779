"""Small steps of every kind for the tests of voices, with a layer list and a roster of their own."""

from dataclasses import replace
from datetime import date

from app.domain.engine.inputs import Role, StepInput, StepKind, Wanted
from app.domain.ids import LessonId, StepKey
from app.domain.protocol.artifacts import ARTIFACT, Briefing, BriefingItem, BriefingSection, LessonKind
from app.domain.protocol.company import CompanyState, Identity
from app.domain.protocol.eras import Era, Mode
from app.domain.protocol.layers import Layer, LayerGraph
from app.domain.protocol.personas import DEPARTMENTS, Group, Persona, Roster
from app.domain.protocol.playbook import Lesson, Playbook
from app.domain.world.events import NumberedEvent
from app.providers.chat import ChatRequest, ask
from app.providers.rehearsal import Rehearsal

DOMAINS = (
    "hardware",
    "software",
    "networks",
    "ai",
    "consumer",
    "enterprise",
    "capital",
    "regulation",
    "science",
    "society",
)
KNOWN_LAYERS = LayerGraph(
    layers=(
        Layer(id="components", name="Components and chips", neighbours=("systems",)),
        Layer(id="systems", name="System software", neighbours=("components", "protocols")),
        Layer(id="protocols", name="Protocols and formats", neighbours=("systems", "assurance")),
        Layer(id="assurance", name="Assurance", neighbours=("protocols",)),
    )
)
STRANGE_LAYERS = LayerGraph(
    layers=(
        Layer(id="vell", name="Vellmark looms", neighbours=("orrin",)),
        Layer(id="orrin", name="Orrin network halls", neighbours=("vell",)),
        Layer(id="alone", name="Lone {wardens}"),
    )
)


def roster() -> Roster:
    people = [
        Persona(id=f"{group}{n}", name=f"{group.title()} {n}", title="Member", group=group, lens="", head=n == 0)
        for group in Group
        for n in range(2)
    ]
    return Roster(personas=tuple(people), titles={group: group.title() for group in Group})


def era(mode: Mode = Mode.TRAINING, start: int = 2002) -> Era:
    return Era(id="E3", start=date(start, 1, 1), end=date(start + 6, 1, 1), mode=mode)


def events(count: int, year: int) -> tuple[NumberedEvent, ...]:
    return tuple(
        NumberedEvent(
            number=n + 1,
            on=(f"{year}", f"{year}-03", f"{year}-03-09")[n % 3],
            domain=DOMAINS[n % len(DOMAINS)],
            text=f"Firm {chr(65 + n % 26)} launched device {{{n}}}. It sold {n} units.",
        )
        for n in range(count)
    )


def briefing(facts: int = 12) -> Briefing:
    items = tuple(BriefingItem(text=event.text, date=event.on, event=event.number) for event in events(facts, 2001))
    return Briefing(headline="Now", sections=(BriefingSection(heading="Technology", items=items),))


def playbook(lessons: int = 6) -> Playbook:
    kinds = list(LessonKind)
    return Playbook(
        lessons=tuple(
            Lesson(id=LessonId(f"E{1 + n // 4}-{1 + n % 4}"), era="E1", text=f"Lesson {n}: ask.", kind=kinds[n % 4])
            for n in range(lessons)
        )
    )


def company(assets: int = 3) -> CompanyState:
    return CompanyState(
        assets=tuple(f"Asset {n}" for n in range(assets)),
        identities=(Identity(era="E2", name="Old Name", line="What it was"),),
    )


def step(kind: StepKind, **changes: object) -> StepInput:
    """A step with everything its kind may see, in a training era."""
    base = StepInput(
        key=StepKey(f"E3/{kind}"),
        kind=kind,
        role=Role.PLAYER,
        era=era(),
        layers=KNOWN_LAYERS,
        roster=roster(),
        wanted=Wanted(lesson_use=True),
        department=DEPARTMENTS[0] if kind is StepKind.MEMO else None,
        company=company(),
        playbook=playbook(),
        briefing=briefing(),
    )
    return replace(base, **changes)


def request(wanted: StepInput, *, model: str = "rehearsal/steady", seed: str = "1", prompt: str = "p") -> ChatRequest:
    return ChatRequest(
        model=model,
        system="s",
        prompt=prompt,
        schema_name=wanted.kind,
        schema={"type": "object"},
        temperature=1.0,
        max_tokens=4000,
        step=wanted,
        seed=seed,
    )


def written(wanted: StepInput, **how: str):
    """The artifact a rehearsal voice writes for a step."""
    return ARTIFACT.validate_json(ask(Rehearsal(), request(wanted, **how)).text)


def memos(**changes: object):
    return tuple(
        written(step(StepKind.MEMO, department=department, key=StepKey(f"E3/memo/{department}"), **changes))
        for department in DEPARTMENTS
    )
