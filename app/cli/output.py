"""Printing for people: at once, also into a pipe."""


def say(sentence: str) -> None:
    """Print a sentence now."""
    print(sentence, flush=True)
