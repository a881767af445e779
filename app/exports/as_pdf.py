"""Reports as PDF: a report's strings are handed to Typst as data, so that no text of a model is ever markup."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Literal

import typst

from app.domain.reports.blocks import Report

TEMPLATE = Path(__file__).parent / "typst" / "report.typ"


def as_pdf(report: Report, pictures: Mapping[str, bytes], made_at: datetime) -> bytes:
    """A report as PDF; ``pictures`` are files by the names that its blocks have."""
    return _pages(report, pictures, made_at, "pdf")[0]


def as_pngs(report: Report, pictures: Mapping[str, bytes], made_at: datetime) -> list[bytes]:
    """The pages of the same report as pictures."""
    return _pages(report, pictures, made_at, "png")


def _pages(
    report: Report, pictures: Mapping[str, bytes], made_at: datetime, form: Literal["pdf", "png"]
) -> list[bytes]:
    with tempfile.TemporaryDirectory(prefix="autolab-report-") as name:
        folder = Path(name)
        shutil.copy(TEMPLATE, folder / TEMPLATE.name)
        (folder / "report.json").write_text(json.dumps(asdict(report), ensure_ascii=False), encoding="utf-8")
        (folder / "pictures").mkdir()
        for file, content in pictures.items():
            (folder / "pictures" / file).write_bytes(content)
        compiler = typst.Compiler(str(folder / TEMPLATE.name), root=str(folder))
        made = compiler.compile(format=form, ppi=80.0, timestamp=int(made_at.timestamp()))
    found = made if isinstance(made, list) else [made]
    return [page for page in found if page is not None]
