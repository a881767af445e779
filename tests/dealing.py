"""How tests are dealt to processes: a file at a time, the longest first, and all that needs a browser to one."""

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

BROWSER = "browser"
LONGEST = (BROWSER, "tests/embedded/test_up.py", "tests/agreement_report/", "tests/exports/", "tests/web")
"""What is begun first, so that no process is left alone with it at the end; the rest is short, in any order."""


class Dealing(LoadScopeScheduling):
    """Deals whole files, so that what the tests of one share is made once and not in each process."""

    def _split_scope(self, nodeid: str) -> str:
        return BROWSER if nodeid.startswith("e2e/") else nodeid.partition("::")[0]

    def _assign_work_unit(self, node: WorkerController) -> None:
        self.workqueue.move_to_end(min(self.workqueue, key=turn), last=False)
        super()._assign_work_unit(node)


def turn(scope: str) -> int:
    """The place of a file, or of the browser's tests, among what waits: lower goes first."""
    return next((place for place, start in enumerate(LONGEST) if scope.startswith(start)), len(LONGEST))
