"""Months as whole numbers, so that a generator can add to them, and as they are written."""

MONTHS = 12


def month_of(year: int, month: int) -> int:
    """Months since year 0; ``month`` counts from 1."""
    return year * MONTHS + month - 1


def year_of(month: int) -> int:
    """The year a month lies in."""
    return month // MONTHS


def written(month: int) -> str:
    """YYYY-MM."""
    return f"{month // MONTHS:04d}-{month % MONTHS + 1:02d}"


def month_from(text: str) -> int:
    """The month of a date written YYYY-MM or YYYY-MM-DD."""
    return month_of(int(text[:4]), int(text[5:7]))
