"""What an invented world is made of: a craft with its layers, and the words for them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LayerTheme:
    """One layer of a craft: the thing it makes, four things such a thing can do, and how its capability is counted.

    ``domain`` is the record's domain under which its products are reported; ``near`` are layer ids it adjoins.
    """

    id: str
    name: str
    about: str
    domain: str
    noun: str
    plural: str
    measure: str
    does: tuple[str, str, str, str]
    near: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Theme:
    """One craft on which a world's technology rests; ``material`` and ``hazard`` are used in its sentences."""

    id: str
    title: str
    about: str
    coin: str
    material: str
    hazard: str
    pupil: str
    layers: tuple[LayerTheme, ...]
