"""What services can refuse, for the doors above them that must not reach storage."""

from app.storage.errors import AlreadyThereError, NotFoundError

__all__ = ["AlreadyThereError", "NotFoundError", "RefusedError"]


class RefusedError(Exception):
    """What was asked for cannot be done now; the text says why and what to do instead."""
