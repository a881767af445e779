"""The guide's and the README's pictures: each is there, small, shown somewhere, and made anew by the script."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
LINKED = re.compile(r"!\[([^\]]+)\]\(([^)]+\.png)\)")
TAKEN = re.compile(r'camera\.(?:take|keep)\(\s*(?:\w+,\s*)?"([a-z-]+)"')
LARGEST = 150_000


def linked(page: Path) -> set[Path]:
    return {(page.parent / place).resolve() for _, place in LINKED.findall(page.read_text(encoding="utf-8"))}


def test_every_picture_is_there_small_and_shown():
    shown = linked(ROOT / "docs" / "guide.md") | linked(ROOT / "README.md")
    assert shown == {file.resolve() for file in PICTURES.iterdir()}
    assert all(file.stat().st_size <= LARGEST for file in shown)


def test_the_script_takes_every_picture():
    script = (ROOT / "e2e" / "picture_chapters.py").read_text(encoding="utf-8")
    assert set(TAKEN.findall(script)) == {file.stem for file in PICTURES.iterdir()}
