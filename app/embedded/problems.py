"""What can go wrong around the services, worded for the person at the terminal."""


class ServiceProblem(Exception):  # noqa: N818 - it is shown as a sentence, not as an error name
    """A service cannot start, stop or be reached; the message says what is wrong and how to mend it."""
