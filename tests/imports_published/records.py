"""A small made-up run in the published layout, and zip files of it."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.imports.bundles import files_of_folder

PUBLISHED = Path(__file__).parents[3] / "shared" / "published"

SCORES = """era,mode,company,total,frontier_accuracy,timing,layer_choice,reinvention_courage,hindsight_leakage
E1,training,Harbour Works,55,7,5,4,6,7
E2,training,Harbour Press,52,6,6,4,6,7
"""
TABLE = """run,era,mode,company,total,frontier_accuracy,timing,layer_choice,reinvention_courage,hindsight_leakage
run-b,E1,training,Harbour Lines,60,7,5,4,6,7
run-b,E2,training,Harbour Tide,61,6,6,4,6,7
"""
REVEAL = """# E1 reveal (1990-1995)

## Scores

| dimension | score | reason |
|---|---|---|
| Frontier accuracy | **7** | It saw the shift. |
| Timing | 5 | Early. |
| Layer choice | 4 | One layer off. |
| Reinvention courage | 6 | Some. |
| Hindsight leakage | 7 | Little. |

Overall total: **55/100**

## Lessons

- **Date the bridge's death.** Translation layers end with the war they live on.
"""
DECISION = """# Board decision: E1

## Decision

**Name:** **Harbour Works**
**Identity:** We connect harbours.
**KEEP (assets):**
- the survey data
**Kill criteria** (pre-committed):
- fewer than three pilots by 1991
**Dissents:**
- Ana (via Tomas): the gateway is a trap.

The board decision was written by the orchestrator.
"""
MEMO = """# Market & Capital memo: E1

We could not agree on a chain, so here is the meeting's note: sell surveys first.
"""
PLAYBOOK = """# Playbook

- [E1] Date the death of every bridge. *(Revised E2: fund the next layer first.)*
- [E1 note] Comments count.
"""


def a_run() -> dict[str, bytes]:
    texts = {
        "run-a/eras/E1/reveal.md": REVEAL,
        "run-a/eras/E1/board_decision.md": DECISION,
        "run-a/eras/E1/memo_market.md": MEMO,
        "run-a/playbook.md": PLAYBOOK,
        "run-a/scores.csv": SCORES,
    }
    return {path: text.encode() for path, text in texts.items()}


def published(path: str) -> bytes:
    """A zip file of a folder of the published records, which lie beside the project; skips where they do not."""
    if not PUBLISHED.exists():
        pytest.skip("the published records are not beside the project")
    folder = PUBLISHED / path
    return zipped({f"{folder.name}/{name}": content for name, content in files_of_folder(folder).items()})


def zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return out.getvalue()
