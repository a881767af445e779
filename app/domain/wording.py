"""Numbers with their nouns, as sentences and tables say them."""


def counted(number: float | None, noun: str, plural: str = "") -> str:
    """``1 call``, ``2,000 calls``, ``– calls`` where the number is not known; ``plural`` where it is not with an s."""
    shown = "–" if number is None else f"{number:,}" if isinstance(number, int) else f"{number:,g}"
    return f"{shown} {of_number(number, noun, plural)}"


def of_number(number: float | None, one: str, many: str = "") -> str:
    """The word that goes with a number: ``one`` for 1, else ``many``, by itself ``one`` with an s."""
    return one if number == 1 else many or f"{one}s"
