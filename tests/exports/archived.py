"""Archives put in, changed, and all rows that they carry."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import text

from app.services.archives import import_archive
from app.services.unit_of_work import reading, unit_of_work

Change = Callable[[bytes], bytes]

TABLES = ("studies", "runs", "steps", "calls", "artifacts", "ledger", "interventions", "redactions")


def put(path: Path):
    with unit_of_work() as work:
        return import_archive(work, path)


def everything() -> dict[str, list]:
    """All rows, as text, of every table that an archive carries."""
    with reading() as look:
        return {
            name: sorted(look.session.execute(text(f"select {name}::text from {name}")).scalars()) for name in TABLES
        }


def changed(source: Path, target: Path, name: str, change: Change, *, relist: bool = False) -> Path:
    """A copy of an archive with one file changed; ``relist`` brings the manifest into line."""
    with zipfile.ZipFile(source) as old:
        files = {one: old.read(one) for one in old.namelist()}
    files[name] = change(files[name])
    if relist:
        manifest = json.loads(files["manifest.json"])
        for one in manifest["files"]:
            if one["name"] == name:
                one["bytes"] = len(files[name])
                one["sha256"] = hashlib.sha256(files[name]).hexdigest()
                if "rows" in one:
                    one["rows"] = files[name].count(b"\n")
        files["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for one, content in files.items():
            new.writestr(one, content)
    return target


def edit_row(number: int, **values: Any):
    def change(content: bytes) -> bytes:
        lines = content.splitlines(keepends=True)
        row = json.loads(lines[number]) | values
        lines[number] = json.dumps(row).encode() + b"\n"
        return b"".join(lines)

    return change
