"""How the rehearsal models differ: what each is inclined to do."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Temperament:
    """Inclinations from 0 to 1; ``severity`` is in points taken off each subscore, ``saying`` a sentence it likes.

    ``keeps_name``: to carry the old name on. ``defers``: to put all building behind a gate. ``disputes``: to argue
    against a lesson instead of citing it. ``roams``: to prefer theses far from the present layer. ``success_bonus``,
    ``length_bonus`` and ``own_bonus`` are faults planted in a judge, in points on each subscore other than the one for
    leakage: for a company shown as a success, for a decision in more words, and for one that has its own ``saying``.
    """

    keeps_name: float
    defers: float
    disputes: float
    roams: float
    severity: float
    success_bonus: int = 0
    length_bonus: int = 0
    own_bonus: int = 0
    saying: str = ""


TEMPERAMENTS = {
    "steady": Temperament(keeps_name=0.45, defers=0.2, disputes=0.15, roams=0.25, severity=0.2),
    "bold": Temperament(keeps_name=0.1, defers=0.08, disputes=0.4, roams=0.75, severity=-0.3),
    "strict": Temperament(keeps_name=0.3, defers=0.35, disputes=0.3, roams=0.4, severity=0.0),
    "dazzled": Temperament(
        keeps_name=0.3, defers=0.35, disputes=0.3, roams=0.4, severity=0.0, success_bonus=1, length_bonus=1
    ),
    "vain": Temperament(
        keeps_name=0.3,
        defers=0.2,
        disputes=0.3,
        roams=0.4,
        severity=0.0,
        own_bonus=1,
        saying="As ever, the measure leads.",
    ),
    "author": Temperament(keeps_name=0.3, defers=0.2, disputes=0.2, roams=0.5, severity=-0.1),
}


def temperament_of(model: str) -> Temperament:
    """The temperament a model's name ends in, such as ``rehearsal/bold``; an unknown one is steady."""
    return TEMPERAMENTS.get(model.rsplit("/", maxsplit=1)[-1], TEMPERAMENTS["steady"])
