"""A word that is not in the glossary is not used for a class of the domain."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[2]
GLOSSARY = set(re.findall(r"[a-z]+", (PROJECT / "docs" / "glossary.md").read_text(encoding="utf-8").lower()))
WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z]+|[A-Z]+")


def class_names() -> Iterator[str]:
    """Public classes of the domain; an error's name is a sentence and not a noun."""
    for file in sorted((PROJECT / "app" / "domain").rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not node.name.endswith("Error"):
                yield node.name


def is_known(word: str) -> bool:
    forms = {word, f"{word}s", word.removesuffix("s"), f"{word.removesuffix('y')}ies"}
    return bool(forms & GLOSSARY)


def test_every_class_is_made_of_words_in_the_glossary():
    unknown = {name for name in class_names() for word in WORD.findall(name) if not is_known(word.lower())}
    assert unknown == set(), "add the word to docs/glossary.md, or use one that is there"


def test_no_word_is_explained_twice():
    text = (PROJECT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = [word for entry in re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE) for word in entry.split(", ")]
    explained = [word for word in words if word != "word"]
    assert sorted(set(explained)) == sorted(explained)
