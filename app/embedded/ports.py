"""Free TCP ports on this machine, outside the range that outgoing connections use."""

import secrets
import socket

LOWEST, HIGHEST = 20_000, 29_999
LOCAL = "127.0.0.1"


def is_free(port: int, host: str = LOCAL) -> bool:
    """Whether a server could listen on the port now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


def free_port() -> int:
    """A port that nobody listens on; drawn at random, so that two instances rarely ask for the same."""
    while True:
        port = LOWEST + secrets.randbelow(HIGHEST - LOWEST + 1)
        if is_free(port):
            return port


def next_free_port(port: int, host: str, tries: int = 20) -> int | None:
    """The port itself or the first free one after it; None when `tries` ports in a row are busy."""
    return next((candidate for candidate in range(port, port + tries) if is_free(candidate, host)), None)
