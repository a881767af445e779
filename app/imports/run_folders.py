"""A published run's folder, found in a zip file."""

from app.imports.bundles import BundleError, entries_of_zip

MOST_FILES = 400
LARGEST_WHOLE = 20 * 2**20


def read_run_folder(content: bytes, file_name: str) -> tuple[str, dict[str, bytes]]:
    """The run's name and its files by path inside its folder (the one that holds ``eras``). Raises BundleError."""
    if len(content) > LARGEST_WHOLE:
        raise BundleError(file_name, "is larger than 20 MB", "Pack the folder of one run")
    files = entries_of_zip(content, file_name, largest_unpacked=LARGEST_WHOLE, most_files=MOST_FILES)
    root = _root(files)
    if root is None:
        raise BundleError(file_name, "there is no folder eras in it", "Pack the folder of one run")
    name = root.rstrip("/").rpartition("/")[2] or file_name.rpartition(".")[0]
    return name, {path.removeprefix(root): body for path, body in files.items() if path.startswith(root)}


def _root(files: dict[str, bytes]) -> str | None:
    roots = sorted({path[: path.index("eras/")] for path in files if path.startswith("eras/") or "/eras/" in path})
    return roots[0] if roots else None
