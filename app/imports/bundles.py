"""A folder or zip file as named contents, with limits, refusing what could step outside or swell."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

LARGEST_UPLOAD = 200 * 2**20
LARGEST_UNPACKED = 2**29
MOST_FILES = 20_000
DAMAGED = (
    ValueError,  # offsets that lead before the file's start, names that are no text
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    RuntimeError,  # encrypted, or packed in a way it does not know
)
"""What the standard library raises for zip files that are cut, damaged or of a kind it does not know."""

_PIECE = 2**20


class BundleError(ValueError):
    """A folder or zip file is refused; the message names it, the entry and the mend."""

    def __init__(self, file: str, problem: str, mend: str) -> None:
        super().__init__(f"{file}: {problem}. {mend}.")


def files_of_folder(folder: Path) -> dict[str, bytes]:
    """Read every file below a folder, by path relative to it; hidden files and links are left out."""
    if not folder.is_dir():
        raise BundleError(str(folder), "is not a folder", "Give a run's folder or a zip file of it")
    found: dict[str, bytes] = {}
    total = 0
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not path.is_file() or _is_hidden(name):
            continue
        total += path.stat().st_size
        if total > LARGEST_UNPACKED or len(found) >= MOST_FILES:
            raise BundleError(str(folder), "holds too much", "Give the folder of one run only")
        found[name] = path.read_bytes()
    return found


def files_of_zip(content: bytes, file: str, *, largest_unpacked: int | None = None) -> dict[str, bytes]:
    """As ``entries_of_zip``; one folder around everything is taken off, unless it is a run's, which it names."""
    return _without_outer_folder(entries_of_zip(content, file, largest_unpacked=largest_unpacked))


def entries_of_zip(
    content: bytes, file: str, *, largest_unpacked: int | None = None, most_files: int | None = None
) -> dict[str, bytes]:
    """Unpack a zip file in memory, by entry path; hidden files are left out.

    Raises BundleError for a truncated or damaged file, an entry that leads outside, a link or an encrypted entry, and
    for contents beyond the limits, which are counted while unpacking and not taken from the file's own word.
    """
    if len(content) > LARGEST_UPLOAD:
        raise BundleError(file, "is larger than 200 MB", "Upload one run at a time")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            largest = LARGEST_UNPACKED if largest_unpacked is None else largest_unpacked
            return _unpacked(archive, file, largest, MOST_FILES if most_files is None else most_files)
    except BundleError:
        raise
    except DAMAGED as error:
        raise BundleError(file, f"is not a whole zip file ({error})", "Make the zip file again") from error


def _unpacked(archive: zipfile.ZipFile, file: str, largest: int, most_files: int) -> dict[str, bytes]:
    entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    if len(entries) > most_files:
        raise BundleError(file, f"holds {len(entries):,} files", f"At most {most_files:,} are read")
    found: dict[str, bytes] = {}
    left = largest
    for entry in entries:
        _refuse_unsafe(entry, file)
        if entry.filename in found:
            raise BundleError(file, f"entry {entry.filename} is there twice", "Keep one of them")
        if not _is_hidden(entry.filename):
            piece = _read(archive, entry, left)
            if piece is None:
                raise BundleError(file, f"unpacks to more than {largest // 2**20:,} MB", "Upload one run at a time")
            found[entry.filename] = piece
            left -= len(piece)
    return found


def _refuse_unsafe(entry: zipfile.ZipInfo, file: str) -> None:
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    if path.is_absolute() or not path.parts or ".." in path.parts or ":" in path.parts[0]:
        raise BundleError(file, f"entry {entry.filename} leads outside the folder", "Remove it from the zip file")
    if (entry.external_attr >> 16) & 0o170000 == 0o120000:
        raise BundleError(file, f"entry {entry.filename} is a link", "Replace it with the file itself")
    if entry.flag_bits & 0x1:
        raise BundleError(file, f"entry {entry.filename} is encrypted", "Make the zip file without a password")


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> bytes | None:
    """An entry's bytes; None as soon as there are more than ``left``."""
    pieces: list[bytes] = []
    with archive.open(entry) as source:
        while piece := source.read(_PIECE):
            left -= len(piece)
            if left < 0:
                return None
            pieces.append(piece)
    return b"".join(pieces)


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _without_outer_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    tops = {PurePosixPath(name).parts[0] for name in files}
    is_runs = any("eras" in name.split("/")[:2] for name in files)
    if len(tops) != 1 or any("/" not in name for name in files) or is_runs:
        return files
    return {name.split("/", 1)[1]: content for name, content in files.items()}
