"""The rating page on the server: item pages, drafts, fifty raters who save one every second; and planning a panel.

.venv/bin/python -m bench.rating [--seconds 10]

Packets have the size of published eras, about 40 kB of text, and no two are alike, so that each is rendered anew.
"""

import argparse
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx

from app.domain.protocol.rubrics import RubricId
from app.domain.rating.designs import PanelDesign, SourceKind
from app.domain.rating.mask_terms import company_terms
from app.domain.rating.packets import Packet, Section
from app.domain.rating.scales import rubric_for_raters
from app.embedded.home import prepare_home
from app.embedded.passwords import load_passwords
from app.embedded.postgres import Postgres
from app.embedded.roles import APPLICATION, OWNER, create_database
from app.embedded.schema import upgrade_schema
from app.library.reader import rubric
from app.services.frame_items import SourceItem
from app.services.panel_frames import plan_panel
from app.services.panels import create_panel, lock_panel
from app.services.raters import claim_invitation, invite_rater
from app.services.unit_of_work import reading, unit_of_work
from app.settings import use_variables

ROOT = Path(__file__).parents[1]
RATERS, ITEMS, PARAGRAPHS = 50, 24, 90
PLANNED = 600
GOALS = {"item page": 60.0, "draft": 30.0, f"draft, {RATERS} raters": 150.0, "plan": 1_000.0}
FIELD = re.compile(r'name="(csrf_token|version|key|tab)" value="([^"]*)"')


def main() -> int:
    """Print the table; the exit status is 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10)
    seconds = parser.parse_args().seconds
    with served() as address:
        paths = panel()
        plans = planning()
        clients = [enter(address, path) for path in paths]
        found = {
            "item page": pages(clients),
            "draft": drafts(clients[0], 100),
            f"draft, {RATERS} raters": together(clients, seconds),
            "plan": plans,
        }
        for client in clients:
            client.close()
    missed = False
    for name, times in found.items():
        p95 = statistics.quantiles(times, n=20)[-1]
        missed = missed or p95 > GOALS[name]
        middle = statistics.median(times)
        print(f"{name:20} n {len(times):5}  p50 {middle:7.1f} ms  p95 {p95:7.1f} ms  goal {GOALS[name]:g} ms")
    return int(missed)


@contextmanager
def served() -> Iterator[str]:
    """A server process of its own with a database of its own."""
    with tempfile.TemporaryDirectory(prefix="autolab-bench-") as folder:
        home = prepare_home(Path(folder) / "home")
        postgres = Postgres(home, load_passwords(home))
        postgres.start()
        with postgres.connect() as connection:
            create_database(connection, "bench")
        upgrade_schema(postgres.url(OWNER, "bench"), APPLICATION)
        variables = {"DATABASE_URL": postgres.url(APPLICATION, "bench"), "REDIS_URL": "redis://127.0.0.1:1/0"}
        use_variables(variables)
        port = free_port()
        command = [sys.executable, "-m", "uvicorn", "app.main:create_app", "--factory", "--port", str(port)]
        server = subprocess.Popen([*command, "--log-level", "warning"], cwd=ROOT, env=os.environ | variables)
        try:
            wait_until_alive(f"http://127.0.0.1:{port}")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()
            postgres.stop()


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_alive(address: str) -> None:
    """Wait for the server's first answer, at most a minute."""
    for _ in range(600):
        try:
            httpx.get(f"{address}/alive")
        except httpx.HTTPError:
            threading.Event().wait(0.1)
        else:
            return
    raise SystemExit("the server did not start")


def panel() -> list[str]:
    """A locked panel of long packets; gives the invitations of its raters."""
    design = PanelDesign(
        name="bench",
        source=SourceKind.TABLE,
        rubric=rubric_for_raters(rubric(RubricId.RECORD)),
        items=ITEMS,
        cap=0,
        raters=RATERS,
    )
    with unit_of_work() as work:
        made = create_panel(work, design, [item(number, PARAGRAPHS) for number in range(ITEMS)], None)
    with unit_of_work() as work:
        lock_panel(work, made)
    with unit_of_work() as work:
        return [invite_rater(work, made, slot, name="", days=1) for slot in range(1, RATERS + 1)]


def item(number: int, paragraphs: int) -> SourceItem:
    """One item with as many paragraphs in each of two sections, unlike those of any other."""
    text = "\n\n".join(f"- **Clearsight** was {number}.{place}. " + "word " * 40 for place in range(paragraphs))
    sections = (
        Section(id="briefing", title="Briefing", text=text),
        Section(id="decision", title="Decision", text=text.upper()),
    )
    strata = {"era": f"E{number % 9}", "condition": str(number % 3)}
    return SourceItem(
        f"k{number:03d}", f"u{number // 3}", strata, Packet(sections=sections), company_terms(["Clearsight"])
    )


def planning() -> list[float]:
    """Milliseconds of the plan of a draft as its form changes: each time another number of items."""
    design = PanelDesign(
        name="plan",
        source=SourceKind.TABLE,
        rubric=rubric_for_raters(rubric(RubricId.RECORD)),
        strata=("era", "condition"),
    )
    with unit_of_work() as work:
        made = create_panel(work, design, [item(number, 2) for number in range(PLANNED)], None)
    found = []
    for items in range(30, 230, 10):
        changed = design.model_copy(update={"items": items, "cap": items % 3, "short_packets": items % 20 == 0})
        start = time.perf_counter()
        with reading() as look:
            plan_panel(look, look.panels.get(made), changed)
        found.append((time.perf_counter() - start) * 1_000)
    return found


def enter(address: str, path: str) -> httpx.Client:
    """A rater who has claimed the invitation and agreed; each comes from an address of their own."""
    token = path.rpartition("/")[2]
    with unit_of_work() as work:
        cookie = claim_invitation(work, token, address=token).cookie
    client = httpx.Client(base_url=address, timeout=30, cookies={"rating_session": cookie})
    page = client.get("/rate/", follow_redirects=True).text
    fields = dict(re.findall(r'name="(csrf_token|text_hash)" value="([^"]*)"', page))
    client.post("/rate/consent", data=fields)
    return client


def pages(clients: list[httpx.Client]) -> list[float]:
    """Milliseconds of the item page: every rater's first item, opened twice."""
    addresses = [client.get("/rate/").headers["location"] for client in clients]
    opened = [(client, address) for client, address in zip(clients, addresses, strict=True) for _ in range(2)]
    return [timed(lambda client=client, address=address: client.get(address)) for client, address in opened]


def drafts(client: httpx.Client, times: int) -> list[float]:
    """Milliseconds of saving a draft, one after the other."""
    page = client.get("/rate/", follow_redirects=True)
    fields = dict(FIELD.findall(page.text))
    return [timed(lambda number=number: save(client, page.url.path, fields, number)) for number in range(times)]


def save(client: httpx.Client, path: str, fields: dict[str, str], number: int) -> httpx.Response:
    """One change of a draft, with an activity event."""
    body = {**fields, "v.hindsight_leakage": str(number % 11), "events": f'[[{number},"used"]]'}
    return client.post(f"{path}/draft", data=body, headers={"Accept": "application/json"})


def together(clients: list[httpx.Client], seconds: int) -> list[float]:
    """All raters save once a second, each at its own moment of it; their pages are open already."""
    found: list[float] = []
    opened = [client.get("/rate/", follow_redirects=True) for client in clients]
    start = time.monotonic() + 0.5

    def run(client: httpx.Client, page: httpx.Response, offset: float) -> None:
        fields = dict(FIELD.findall(page.text))
        for second in range(seconds):
            delay = start + second + offset - time.monotonic()
            threading.Event().wait(max(0.0, delay))
            found.append(timed(lambda second=second: save(client, page.url.path, fields, second)))

    threads = [
        threading.Thread(target=run, args=(client, page, place / len(clients)))
        for place, (client, page) in enumerate(zip(clients, opened, strict=True))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def timed(ask) -> float:  # noqa: ANN001
    """Milliseconds of a request that must succeed."""
    start = time.perf_counter()
    answer = ask()
    taken = (time.perf_counter() - start) * 1_000
    if answer.status_code != 200:
        raise SystemExit(f"{answer.status_code} {answer.text[:200]}")
    return taken


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main())
