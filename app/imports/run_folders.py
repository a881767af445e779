"""A published run's folder in a ZIP file, with bounds on how much is unpacked."""

import io
import zipfile

from app.imports.bundles import DAMAGED

MOST_FILES = 400
LARGEST_WHOLE = 20 * 2**20


class RunFolderError(ValueError):
    """The ZIP file cannot be read; the message says what to send instead."""


def read_run_folder(content: bytes, file_name: str) -> tuple[str, dict[str, bytes]]:
    """The run's name and its files by path inside its folder (the one that holds ``eras``). Raises RunFolderError."""
    too_large = RunFolderError(f"{file_name}: more than {MOST_FILES} files or 20 MB; pack one run's folder")
    if len(content) > LARGEST_WHOLE:
        raise too_large
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > LARGEST_WHOLE:
                raise too_large
            files = {entry.filename: archive.read(entry) for entry in entries}
    except RunFolderError:
        raise
    except DAMAGED as error:
        raise RunFolderError(f"{file_name}: not a ZIP file that can be read; pack the run's folder as ZIP") from error
    root = _root(files)
    if root is None:
        raise RunFolderError(f"{file_name}: there is no folder eras in it; pack the folder of one run")
    name = root.rstrip("/").rpartition("/")[2] or file_name.rpartition(".")[0]
    return name, {path.removeprefix(root): body for path, body in files.items() if path.startswith(root)}


def _root(files: dict[str, bytes]) -> str | None:
    roots = sorted({path[: path.index("eras/")] for path in files if path.startswith("eras/") or "/eras/" in path})
    return roots[0] if roots else None
