"""A world as canonical bytes: what is hashed, compared and kept."""

import json
from dataclasses import asdict
from hashlib import sha256

from app.domain.world.histories.facts import History


def history_bytes(history: History) -> bytes:
    """JSON in UTF-8 with sorted keys and no spare white space; equal worlds give equal bytes on every machine."""
    return json.dumps(asdict(history), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def history_hash(history: History) -> str:
    """SHA-256 of the world's bytes, in hex."""
    return sha256(history_bytes(history)).hexdigest()
