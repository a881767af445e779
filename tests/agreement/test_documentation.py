"""The example in the documentation runs as printed."""

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "agreement.md"


def test_the_notebook_example_runs():
    example = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(example[1], str(PAGE), "exec"), {})  # the page is ours
    assert "delete-one-run jackknife" in printed.getvalue()
