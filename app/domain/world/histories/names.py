"""Invented, pronounceable names that occur neither in the record nor in the first-use dictionary."""

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from app.domain.world.events import Event
from app.domain.world.first_use import DatedTerm


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ONSETS = _split("b br d dr f fl g gr h j k kr l m n p pr qu r s sh sk sl t th tr v w y z")
MIDDLES = _split("b d dr l ld ll lm lv m mb n nd nn nt p r rd rl rn rr rv s sk ss st t th v z")
VOWELS = _split("a e i o u")
PAIRS = _split("ai ea ei ou ie oa")
CODAS = _split("d k l m n nd r rn s sk st t th x")

SOUNDS_IN_A_WORLD = (12, 11, 7)
"""How many onsets, middles and codas one world's language uses: names of one world sound alike."""

AVOIDED = _split(
    "anal anus arab arse coc cok cum cunt dik dic fag fuk hitl jap jew kik kkk mari muslim naz nig pee pis poo porn "
    "pus rap sex shit slav slut stupid tit turd vag wank"
)
"""Strings a name must not hold, because of what they mean or recall."""

REAL = frozenset(
    _split(
        "brandt drell dresden fiat flint flora florida gretel harvard kremlin kroll lloyd london madrid manila merlin "
        "milan moldova nissan norway pentax perseus persia poland prada roland sandoz seattle senna serena shell skoda "
        "stanford stella sweden tandem thales toledo tesla toyota trier verona verdi vienna volvo warner zenith "
        "yamaha dora brenda bruno daria diana fiona flavia greta jenna karen laura linda luna maria marina martin "
        "mason melissa molly nadia nina norman nora olivia petra quentin rita robert sandra selma sofia teresa thomas "
        "tina vera walter wilma dover bristol preston kendal brest dresda lorient quito turin berlin dublin leiden "
        "lambda sigma delta gamma theta zeta mentor vector tensor sensor motor radar laser maser modem mordor gondor "
        "vinnie bonnie ronnie lonnie"
    )
)
"""Some names and words of the real world that the record does not happen to hold."""

FEWEST_LETTERS = 6
MOST_LETTERS = 9
DISTINCT_START = 4


@dataclass(frozen=True)
class Taken:
    """What no invented name may occur in: ``text`` (lower case) and the dictionary's ``patterns``."""

    text: str
    patterns: tuple[str, ...]

    @classmethod
    def of(cls, terms: Iterable[DatedTerm], events: Iterable[Event], words: Iterable[str] = ()) -> "Taken":
        """Everything named by the dictionary, the record and ``words``."""
        terms = tuple(terms)
        texts = [*(f"{term.term} {term.sense} {term.source}" for term in terms), *words]
        texts += [f"{event.id} {event.text} {event.source}" for event in events]
        found = sorted({word for text in texts for word in re.findall(r"[^\W\d_]+", text.lower())})
        return cls(text=" ".join(found), patterns=tuple(term.pattern for term in terms))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{pattern})" for pattern in self.patterns) or r"(?!)", re.IGNORECASE)

    def holds(self, name: str) -> bool:
        """Whether the name occurs there, as a word or inside one."""
        return name.lower() in self.text or bool(self._pattern.search(name))


class Coiner:
    """Coins names of one world's language, each clearly unlike the others of that world."""

    def __init__(self, chance: random.Random, taken: Taken) -> None:
        onsets, middles, codas = SOUNDS_IN_A_WORLD
        self._chance = chance
        self._taken = taken
        self._starts: set[str] = set()
        self._coined: list[str] = []
        self._onsets = chance.sample(ONSETS, onsets)
        self._middles = chance.sample(MIDDLES, middles)
        self._vowels = [*VOWELS, *VOWELS, *chance.sample(PAIRS, 1)]
        self._codas = chance.sample(CODAS, codas)

    def coin(self) -> str:
        """A new name with a capital letter."""
        while True:
            name = self._candidate()
            if self._fits(name):
                self._starts.add(name[:DISTINCT_START])
                self._coined.append(name.capitalize())
                return self._coined[-1]

    @property
    def coined(self) -> tuple[str, ...]:
        """Every name so far, in order."""
        return tuple(self._coined)

    def coin_many(self, count: int) -> list[str]:
        """As many new names as asked for."""
        return [self.coin() for _ in range(count)]

    def _candidate(self) -> str:
        pick = self._chance.choice
        parts = [pick(self._onsets), pick(self._vowels), pick(self._middles), pick(self._vowels)]
        if self._chance.random() < 0.3:
            parts += [pick(self._middles), pick(self._vowels)]
        if self._chance.random() < 0.7:
            parts.append(pick(self._codas))
        return "".join(parts)

    def _fits(self, name: str) -> bool:
        return (
            FEWEST_LETTERS <= len(name) <= MOST_LETTERS
            and name[:DISTINCT_START] not in self._starts
            and name not in REAL
            and not any(part in name for part in AVOIDED)
            and not self._taken.holds(name)
        )
