"""An archive: a zip that is written while it is sent, with the rows of a study and a manifest of their hashes."""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

FORMAT = "autolab-archive"
VERSION = 1
MANIFEST = "manifest.json"
CHUNK = 256 * 1024
"""Bytes that are gathered before they are sent on."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file of an archive, its content as it comes; ``rows`` says whether each piece is a row."""

    name: str
    pieces: Iterable[bytes]
    rows: bool = True


class _Sink:
    """A file that only grows, whose content is taken away as fast as it comes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.size = 0

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def take(self) -> bytes:
        parts, self._parts, self.size = self._parts, [], 0
        return b"".join(parts)


def write_archive(parts: Iterable[Part], about: Mapping[str, Any], made_at: datetime) -> Iterator[bytes]:
    """The bytes of the zip: every part as its rows come, the manifest last; never more than a part's piece in memory.

    ``about`` is written into the manifest. A stream that breaks off has no manifest, and no reader takes it for whole.
    """
    sink = _Sink()
    files: list[dict[str, Any]] = []
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for part in parts:
            for size in _written(archive, part, files, made_at):
                if size or sink.size >= CHUNK:
                    yield sink.take()
        manifest = {"format": FORMAT, "version": VERSION, **about, "files": files}
        text = json.dumps(manifest, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        archive.writestr(_entry(MANIFEST, made_at), text)
    yield sink.take()


def _written(archive: zipfile.ZipFile, part: Part, files: list[dict[str, Any]], made_at: datetime) -> Iterator[bool]:
    """Write a part piece by piece; gives whether it is whole after each."""
    digest, size, count = hashlib.sha256(), 0, 0
    with archive.open(_entry(part.name, made_at), "w", force_zip64=True) as file:
        for piece in part.pieces:
            file.write(piece)
            digest.update(piece)
            size, count = size + len(piece), count + 1
            yield False
    rows = {"rows": count} if part.rows else {}
    files.append({"name": part.name, **rows, "bytes": size, "sha256": digest.hexdigest()})
    yield True


def _entry(name: str, made_at: datetime) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, made_at.astimezone(UTC).timetuple()[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry
