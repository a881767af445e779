"""What storage can refuse, by name."""


class NotFoundError(Exception):
    """There is no such thing, or not for the one who asks."""

    def __init__(self, noun: str, wanted: object) -> None:
        super().__init__(f"There is no {noun} {wanted}.")
        self.noun = noun


class LostLeaseError(Exception):
    """The step is no longer held by this worker: what it brings comes too late."""


class AlreadyThereError(Exception):
    """The name is taken."""

    def __init__(self, noun: str, name: str) -> None:
        super().__init__(f"There is a {noun} named {name} already. Choose another name.")
        self.noun = noun
