"""Server time and size of the run, study and era pages of a finished study of 40 runs and 2,600 calls.

Run it with ``.venv/bin/python -m bench.pages``. Goals: 95 % of the answers within 100 ms, and at most 1,500
elements a page.
"""

import os
import statistics
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import httpx2 as httpx

from app.domain.protocol.conditions import Condition
from app.domain.study import StudyDesign
from app.library import reader
from bench.stack import ROOT, services, temporary_home, wait_for, wait_for_audits, workers

RUNS = 40
GOAL_MILLISECONDS, GOAL_ELEMENTS = 100.0, 1_500
ROUNDS = 3
PORT = 18_417


class Elements(HTMLParser):
    """Counts the elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.count = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One more."""
        self.count += 1


def main() -> int:
    """Print the table; the exit status is 1 when a goal is missed."""
    with temporary_home() as folder, services(Path(folder)) as variables:
        os.environ.update(variables)
        from app.services.studies import choose_model, launch_study  # noqa: PLC0415 - the database's address is set now
        from app.services.unit_of_work import reading, unit_of_work  # noqa: PLC0415 - as above

        design = StudyDesign(
            name="bench",
            schedules=(reader.schedule("history-1990-2040"),),
            conditions=(Condition.FULL,),
            repetitions=RUNS,
            players=(choose_model("rehearsal/steady", 1.0),),
            judge=choose_model("rehearsal/strict", 1.0),
            author=choose_model("rehearsal/author", 1.0),
            pace_seconds=0,
        )
        with workers(variables):
            with unit_of_work() as work:
                study = launch_study(work, design, None)
            wait_for(study, 600)
            wait_for_audits()
        with reading() as look:
            runs = [run.id for run in look.runs.of_study(study)]
        eras = [era.id for era in design.schedules[0].eras]
        addresses = {
            "study page": [f"/studies/{study}"] * RUNS,
            "run page": [f"/runs/{run}" for run in runs],
            "era page": [f"/runs/{run}/eras/{eras[place % len(eras)]}" for place, run in enumerate(runs)],
        }
        with Server(variables) as address:
            client = signed_in(address)
            found = [missed(client, name, paths) for name, paths in addresses.items()]
            client.close()
            return int(any(found))


class Server:
    """A process with the web server, for the length of a block."""

    def __init__(self, variables: dict[str, str]) -> None:
        command = [sys.executable, "-m", "uvicorn", "app.main:create_app", "--factory", "--port", str(PORT)]
        self._child = subprocess.Popen(
            [*command, "--no-access-log", "--log-level", "warning"], cwd=ROOT, env={**os.environ, **variables}
        )

    def __enter__(self) -> str:
        address = f"http://127.0.0.1:{PORT}"
        for _ in range(300):
            try:
                httpx.get(f"{address}/alive")
            except httpx.HTTPError:
                time.sleep(0.1)
            else:
                return address
        raise SystemExit("the server did not start")

    def __exit__(self, *_: object) -> None:
        self._child.terminate()
        self._child.wait()


def signed_in(address: str) -> httpx.Client:
    """A client with an administrator's session."""
    from app.cli.sign_in_link import first_link  # noqa: PLC0415 - the database's address is set by now

    path = "/sign-in/" + first_link().rpartition("/")[2]
    client = httpx.Client(base_url=address, timeout=60, follow_redirects=True)
    assert client.post(path).status_code == 200
    return client


def missed(client: httpx.Client, name: str, paths: list[str]) -> bool:
    """Open every page a few times and print what it took and how large the largest is: whether a goal is missed."""
    times, elements = [], []
    for path in paths * ROUNDS:
        began = time.perf_counter()
        answer = client.get(path)
        times.append((time.perf_counter() - began) * 1_000)
        assert answer.status_code == 200, path
        elements.append(Elements(answer.text).count)
    p95, most = statistics.quantiles(times, n=20)[-1], max(elements)
    print(
        f"{name:11} n {len(times):4}  p50 {statistics.median(times):6.1f} ms  p95 {p95:6.1f} ms "
        f"(goal {GOAL_MILLISECONDS:g})  first {times[0]:6.1f} ms  at most {most} elements (goal {GOAL_ELEMENTS})"
    )
    return p95 > GOAL_MILLISECONDS or most > GOAL_ELEMENTS


if __name__ == "__main__":
    sys.exit(main())
