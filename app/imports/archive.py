"""Reading an archive: nothing is unpacked to disk or believed before its size and hash fit the manifest."""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.imports.bundles import DAMAGED

FORMAT = "autolab-archive"
VERSION = 1
MANIFEST = "manifest.json"
EXPORT_AGAIN = "Export the study again and copy the whole file"

LARGEST_MANIFEST = 4 * 2**20
LARGEST_LINE = 64 * 2**20
LARGEST_ARCHIVE = 64 * 2**30
LARGEST_RATIO = 400
UNFIT = re.compile("[\0\ud800-\udfff]")
"""How much a file may grow when it is unpacked: texts shrink to a tenth or so, the densest of them to a hundredth."""

SMALL = 2**20
"""Bytes up to which a file may grow as it likes."""


class ArchiveError(Exception):
    """An archive that cannot be taken in: the message names the file, what is wrong with it, and the mend."""

    def __init__(self, file: str, problem: str, mend: str = EXPORT_AGAIN) -> None:
        super().__init__(f"{file}: {problem}. {mend}. Nothing was imported.")
        self.file = file


class _Listed(BaseModel):
    """Base of what a manifest says; what it does not know it passes over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ListedFile(_Listed):
    """A file as the manifest lists it; ``rows`` is None for one that is no table."""

    name: str
    rows: int | None = Field(default=None, ge=0)
    bytes: int = Field(ge=0)
    sha256: str


class ListedStudy(_Listed):
    """The study as the manifest names it."""

    id: str
    name: str
    design_sha256: str


class Manifest(_Listed):
    """What an archive says of itself."""

    format: str
    version: int
    exported_at: str
    study: ListedStudy
    files: tuple[ListedFile, ...]


@dataclass(frozen=True, slots=True)
class OpenArchive:
    """An archive whose every file has been read once and found as the manifest says."""

    file: str
    manifest: Manifest
    fingerprint: str
    _zip: zipfile.ZipFile
    _streams: ExitStack

    @property
    def tables(self) -> dict[str, ListedFile]:
        """The listed tables by name."""
        return {one.name[5:-6]: one for one in self.manifest.files if one.rows is not None}

    def rows(self, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The rows of a table with their line numbers; none for a table that is not there."""
        listed = self.tables.get(table)
        if listed is None:
            return
        # closed with the archive too: a reader that fails in the middle leaves this function where it stands
        with self._streams.enter_context(self._zip.open(listed.name)) as stream:
            for number, line in enumerate(_lines(stream, listed.name), start=1):
                yield number, _row(line, listed.name, number)


@contextmanager
def open_archive(source: Path | BinaryIO, name: str = "") -> Iterator[OpenArchive]:
    """The archive at a path or in a file named so, checked from the first byte to the last. Raises ArchiveError."""
    name = source.name if isinstance(source, Path) else name
    try:
        archive = zipfile.ZipFile(source)
    except OSError as error:
        raise ArchiveError(name, f"it cannot be read ({error.strerror})", "Give the path of an archive") from error
    except DAMAGED as error:
        raise ArchiveError(name, "it is no zip file, or it was cut short") from error
    with archive, ExitStack() as streams:
        manifest, fingerprint = _manifest(archive, name)
        _check_names(archive, manifest, name)
        for listed in manifest.files:
            _check_file(archive, listed)
        yield OpenArchive(name, manifest, fingerprint, archive, streams)


def _manifest(archive: zipfile.ZipFile, file: str) -> tuple[Manifest, str]:
    if MANIFEST not in archive.namelist():
        raise ArchiveError(file, f"it has no {MANIFEST}: it is no archive of a study, or it was cut short")
    content = _bounded(archive, MANIFEST, LARGEST_MANIFEST)
    try:
        manifest = Manifest.model_validate(json.loads(content))
    except (ValueError, RecursionError) as error:
        problem = f"{MANIFEST} does not read as a manifest ({first_problem(error)})"
        raise ArchiveError(file, problem) from error
    if manifest.format != FORMAT:
        raise ArchiveError(file, f"{MANIFEST} says the format is {manifest.format[:40]!r}, not {FORMAT}")
    if manifest.version != VERSION:
        mend = "Bring this checkout up to date, or export with one like it"
        raise ArchiveError(file, f"it is of version {manifest.version}, and this checkout reads {VERSION}", mend)
    return manifest, hashlib.sha256(content).hexdigest()


def _check_names(archive: zipfile.ZipFile, manifest: Manifest, file: str) -> None:
    """Exactly the listed files are there, each once, under names that lead nowhere else."""
    found = archive.namelist()
    listed = [one.name for one in manifest.files]
    for name in found:
        if name.startswith(("/", "\\")) or "\\" in name or ".." in name.split("/") or ":" in name:
            raise ArchiveError(file, f"it holds a file named {name[:80]!r}, which would lead out of the archive")
    if len(set(found)) != len(found) or len(set(listed)) != len(listed):
        raise ArchiveError(file, "it names a file twice")
    strangers = sorted(set(found) - set(listed) - {MANIFEST})
    if strangers:
        raise ArchiveError(file, f"it holds {strangers[0][:80]!r}, which {MANIFEST} does not list")
    missing = sorted(set(listed) - set(found))
    if missing:
        raise ArchiveError(file, f"{missing[0][:80]!r} is listed and not there")
    for one in manifest.files:
        if one.rows is not None and not (one.name.startswith("data/") and one.name.endswith(".jsonl")):
            raise ArchiveError(file, f"{one.name[:80]!r} is listed as a table and is none")


def _check_file(archive: zipfile.ZipFile, listed: ListedFile) -> None:
    """Unpack a file, hold its size and hash against the manifest, and stop as soon as it grows beyond either."""
    info = archive.getinfo(listed.name)
    if listed.bytes > LARGEST_ARCHIVE or listed.bytes > max(SMALL, info.compress_size * LARGEST_RATIO):
        problem = f"it would grow from {info.compress_size:,} to {listed.bytes:,} bytes, more than any export does"
        raise ArchiveError(listed.name, problem)
    digest, size, rows = hashlib.sha256(), 0, 0
    with _opened(archive, listed.name) as stream:
        while piece := _read(stream, listed.name):
            size += len(piece)
            if size > listed.bytes:
                raise ArchiveError(listed.name, f"it is longer than the {listed.bytes:,} bytes {MANIFEST} lists")
            digest.update(piece)
            rows += piece.count(b"\n")
    if size != listed.bytes or (listed.rows is not None and rows != listed.rows):
        problem = f"it has {size:,} bytes and {rows:,} lines, {MANIFEST} lists {listed.bytes:,} and {listed.rows}"
        raise ArchiveError(listed.name, problem)
    if digest.hexdigest() != listed.sha256:
        raise ArchiveError(listed.name, f"its SHA-256 is not the one {MANIFEST} lists: it was changed")


def _bounded(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    with _opened(archive, name) as stream:
        content = _read(stream, name, most + 1)
    if len(content) > most:
        raise ArchiveError(name, f"it is larger than {most:,} bytes")
    return content


def _opened(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    try:
        return archive.open(name)
    except DAMAGED as error:
        raise ArchiveError(name, "it cannot be unpacked") from error


def _read(stream: IO[bytes], name: str, most: int = 2**20) -> bytes:
    try:
        return stream.read(most)
    except DAMAGED as error:
        raise ArchiveError(name, "its bytes are damaged") from error


def _lines(stream: IO[bytes], name: str) -> Iterator[bytes]:
    while line := stream.readline(LARGEST_LINE + 1):
        if len(line) > LARGEST_LINE:
            raise ArchiveError(name, f"it has a line of more than {LARGEST_LINE:,} bytes")
        yield line


def _row(line: bytes, name: str, number: int) -> dict[str, Any]:
    try:
        text = line.decode()
        row = json.loads(text, parse_constant=_no_constant)
        is_unfit = "\\u" in text and _is_unfit(row)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(name, f"line {number} is no JSON") from error
    if not isinstance(row, dict):
        raise ArchiveError(name, f"line {number} is no row")
    if is_unfit:
        raise ArchiveError(name, f"line {number} holds NUL or half a character, which no text of an export has")
    return row


def _is_unfit(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_is_unfit(one) for pair in value.items() for one in pair)
    if isinstance(value, list):
        return any(map(_is_unfit, value))
    return isinstance(value, str) and UNFIT.search(value) is not None


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no number")


def first_problem(error: Exception) -> str:
    """The first thing that is wrong with a document, by its place; of what is no JSON, just that."""
    if isinstance(error, ValidationError):
        item = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}"
    return "no JSON"
