"""What waits for the database holds no lock that others need."""

import ast
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

from app.services.export_sources import ExportSource

ROOT = Path(__file__).parents[2]


def names_in(path: Path) -> set[str]:
    nodes = tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    imported = {name.name for node in nodes if isinstance(node, ast.ImportFrom) for name in node.names}
    return imported | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def test_only_the_domain_which_never_waits_keeps_values_under_a_lock():
    """Before Python 3.12 ``functools.cached_property`` holds one lock for all objects of a class while it reads."""
    sources = [path for folder in ("app", "workers") for path in (ROOT / folder).rglob("*.py")]
    waiting = [path for path in sources if not path.is_relative_to(ROOT / "app" / "domain")]
    assert len(waiting) > 200
    assert [path for path in waiting if "cached_property" in names_in(path)] == []


def test_an_export_that_waits_for_the_database_keeps_no_other_from_it():
    reads, goes_on = Event(), Event()

    def slow(_: object) -> list[Any]:
        reads.set()
        assert goes_on.wait(20)
        return []

    def source(every: Any) -> ExportSource:
        look: Any = SimpleNamespace(runs=SimpleNamespace(every=every))
        study: Any = SimpleNamespace(id=uuid4())
        return ExportSource(look, study, long=False)

    waiter = Thread(target=lambda: source(slow).runs)
    waiter.start()
    assert reads.wait(20)
    asked: list[object] = []
    other = source(lambda study: asked.append(study) or [])
    assert (other.every, other.runs, other.runs) == ({}, {}, {})
    assert len(asked) == 1, "what was read once is kept"
    goes_on.set()
    waiter.join()
