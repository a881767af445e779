"""Whatever is damaged in an archive is refused by name, as the other readers of zip files refuse it."""

import contextlib
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.imports.archive import ArchiveError, open_archive


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b'{"format": "autolab-archive", "version": 1}')
    return buffer.getvalue()


def test_an_offset_before_the_files_start_is_refused(tmp_path: Path):
    content = bytearray(zipped())
    end = content.rindex(b"PK\x05\x06")
    content[end + 16] += 1  # the list of contents is said to begin a byte later, so that all files begin a byte earlier
    path = tmp_path / "x.zip"
    path.write_bytes(content)

    with pytest.raises(ArchiveError):
        open_archive(path).__enter__()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(changes=[], cut=0)
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6), st.integers(0, 40))
def test_whatever_is_damaged_is_refused_by_name(tmp_path: Path, changes: list[tuple[int, int]], cut: int):
    content = bytearray(zipped())
    for place, byte in changes:
        content[place % len(content)] = byte
    path = tmp_path / "x.zip"
    path.write_bytes(content[: len(content) - cut])
    with contextlib.suppress(ArchiveError), open_archive(path):
        pass
