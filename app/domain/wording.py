"""Numbers as sentences and tables say them: with their nouns, or in digits."""


def counted(number: float | None, noun: str, plural: str = "") -> str:
    """``1 call``, ``2,000 calls``, ``– calls`` where the number is not known; ``plural`` where it is not with an s."""
    shown = "–" if number is None else f"{number:,}" if isinstance(number, int) else f"{number:,g}"
    return f"{shown} {of_number(number, noun, plural)}"


def of_number(number: float | None, one: str, many: str = "") -> str:
    """The word that goes with a number: ``one`` for 1, else ``many``, by itself ``one`` with an s."""
    return one if number == 1 else many or f"{one}s"


def written(value: float, form: str = "%.2f") -> str:
    """A number in a printf form with a true minus, and without a sign where it rounds to 0: ``−0.31``, ``0.00``."""
    digits = form % value
    return form.replace("+", "") % 0 if float(digits) == 0 else digits.replace("-", "−")
