"""Folders and zip files: what is read, and what is refused."""

import contextlib
import io
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.imports import bundles
from app.imports.bundles import BundleError, files_of_folder, files_of_zip


def zipped(entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_folder_and_its_zip_file_hold_the_same(tmp_path: Path):
    for name, content in {"playbook.md": b"p", "eras/E1/reveal.md": b"r", ".git/config": b"c"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link.md").symlink_to(tmp_path / "playbook.md")

    found = files_of_folder(tmp_path)

    assert found == {"playbook.md": b"p", "eras/E1/reveal.md": b"r"}
    assert files_of_zip(zipped(found), "x.zip") == found


def test_one_folder_around_everything_is_taken_off_unless_it_names_a_run():
    runs = {"run-001/playbook.md": b"p", "run-001/eras/E1/reveal.md": b"r"}

    assert files_of_zip(zipped(runs), "x.zip") == runs
    assert files_of_zip(zipped({f"all/{name}": content for name, content in runs.items()}), "x.zip") == runs
    assert files_of_zip(zipped({"eras/E1/reveal.md": b"r"}), "x.zip") == {"eras/E1/reveal.md": b"r"}
    assert files_of_zip(zipped({}), "x.zip") == {}
    assert files_of_zip(zipped({"a/": b"", "a/x.md": b"1", "__MACOSX/x": b"2"}), "x.zip") == {"x.md": b"1"}


@pytest.mark.parametrize("cut", [4, 30, 60])
def test_a_truncated_zip_file_is_refused(cut: int):
    content = zipped({"playbook.md": b"lessons " * 50})

    with pytest.raises(BundleError, match=r"x.zip: is not a whole zip file.*Make the zip file again"):
        files_of_zip(content[:-cut], "x.zip")


def test_a_damaged_entry_is_refused():
    content = bytearray(zipped({"playbook.md": bytes(range(256)) * 20}))
    content[60] ^= 0xFF

    with pytest.raises(BundleError, match="not a whole zip file"):
        files_of_zip(bytes(content), "x.zip")


@pytest.mark.parametrize("name", ["../evil.md", "/etc/evil.md", "eras/../../evil.md", "..\\evil.md", "C:\\evil.md"])
def test_an_entry_that_leads_outside_is_refused(name: str):
    with pytest.raises(BundleError, match="leads outside the folder"):
        files_of_zip(zipped({name: b"x"}), "x.zip")


def test_a_zip_bomb_stops_at_the_limit_it_unpacks_to():
    bomb = zipped({f"{i}.md": b"\0" * 3_000_000 for i in range(3)})

    assert len(bomb) < 20_000
    with pytest.raises(BundleError, match="unpacks to more than"):
        files_of_zip(bomb, "x.zip", largest_unpacked=5_000_000)


def test_links_and_encrypted_entries_are_refused():
    link = zipfile.ZipInfo("link.md")
    link.create_system = 3
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BundleError, match="is a link"):
        files_of_zip(buffer.getvalue(), "x.zip")

    content = bytearray(zipped({"a.md": b"x"}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(BundleError, match="is encrypted"):
        files_of_zip(bytes(content), "x.zip")


def test_an_entry_twice_is_refused():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.md", "1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.md", "2")

    with pytest.raises(BundleError, match="is there twice"):
        files_of_zip(buffer.getvalue(), "x.zip")


def test_sizes_and_counts_have_limits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "a.md").write_bytes(b"12345")
    monkeypatch.setattr(bundles, "LARGEST_UPLOAD", 10)
    with pytest.raises(BundleError, match="larger than 200 MB"):
        files_of_zip(b"x" * 11, "x.zip")
    monkeypatch.setattr(bundles, "LARGEST_UPLOAD", 10_000)
    monkeypatch.setattr(bundles, "MOST_FILES", 1)
    with pytest.raises(BundleError, match="holds 2 files"):
        files_of_zip(zipped({"a": b"", "b": b""}), "x.zip")
    monkeypatch.setattr(bundles, "LARGEST_UNPACKED", 4)
    with pytest.raises(BundleError, match="holds too much"):
        files_of_folder(tmp_path)


@example(changes=[(246, 1)], cut=0)
@example(changes=[(212, 0)], cut=0)  # an entry without a name
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6), st.integers(0, 40))
def test_whatever_is_damaged_is_refused_by_name(changes: list[tuple[int, int]], cut: int):
    content = bytearray(zipped({"playbook.md": b"lessons " * 20, "eras/E1/reveal.md": b"scores"}))
    for place, byte in changes:
        content[place % len(content)] = byte
    with contextlib.suppress(BundleError):
        files_of_zip(bytes(content[: len(content) - cut]), "x.zip")


def test_a_folder_that_is_none_is_refused(tmp_path: Path):
    with pytest.raises(BundleError, match="is not a folder"):
        files_of_folder(tmp_path / "absent")
