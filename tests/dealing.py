"""How tests are dealt to processes: a file at a time, the longest first, and what needs a browser to two of them."""

import re

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

BROWSERS = {"raters' browser": re.compile(r"e2e/test_(rating|agreement)"), "browser": re.compile("e2e/")}
"""Each is one browser and one instance, in one process; its tests wait half of their time."""

LONGEST = (
    *BROWSERS,
    "tests/embedded/test_up.py",
    "tests/histories/test_worlds.py",
    "tests/agreement_report/",
    "tests/exports/",
    "tests/web",
)
"""What is begun first, so that no process is left alone with it at the end; the rest is short, in any order."""


class Dealing(LoadScopeScheduling):
    """Deals whole files, so that what the tests of one share is made once and not in each process."""

    def _split_scope(self, nodeid: str) -> str:
        return next((name for name, files in BROWSERS.items() if files.match(nodeid)), nodeid.partition("::")[0])

    def _assign_work_unit(self, node: WorkerController) -> None:
        self.workqueue.move_to_end(min(self.workqueue, key=turn), last=False)
        super()._assign_work_unit(node)


def turn(scope: str) -> int:
    """The place of a file, or of a browser's tests, among what waits: lower goes first."""
    return next((place for place, start in enumerate(LONGEST) if scope.startswith(start)), len(LONGEST))
