"""`up` with the real web server, worker and clock, as a person starts it."""

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from app.embedded.instance_note import read_note
from app.embedded.ports import free_port
from app.embedded.waiting import wait_until

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]


def lines_until_open(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    seen = []
    for line in process.stdout:
        seen.append(line)
        if line.startswith("Open "):
            return line.split()[-1]
    raise AssertionError("".join(seen))


def test_the_printed_link_opens_and_every_part_works_and_ends_in_order(tmp_path: Path):
    given = ("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL", "AUTOLAB_HOST", "AUTOLAB_PUBLIC_URL")
    clean = {name: value for name, value in os.environ.items() if name not in given}
    home = tmp_path / "home"
    environment = {**clean, "AUTOLAB_HOME": str(home), "AUTOLAB_PORT": str(free_port())}
    command = [sys.executable, "-m", "app.cli.main", "up"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            link = lines_until_open(process)
            with urllib.request.urlopen(link, timeout=20) as page:
                assert page.status == 200
            for part in ("web", "worker", "auditor", "beat"):
                looked = [sys.executable, "-m", "app.cli.main", "health", part]
                assert subprocess.run(looked, cwd=ROOT, env=environment, check=False).returncode == 0
            worker_log = home / "logs" / "worker.log"
            wait_until(
                lambda: "ready" in worker_log.read_text(), seconds=30, problem=lambda: AssertionError("not ready")
            )
            note = read_note(home)
            assert note is not None
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(10)
    assert process.returncode == 0
    assert not [name for name, mark in note.processes.items() if mark.is_alive()]
    for name in ("web", "worker", "worker-2", "auditor", "beat"):
        told = (home / "logs" / f"{name}.log").read_text(encoding="utf-8")
        assert "Traceback" not in told, told
        assert link.rsplit("/", 1)[1] not in told
        assert not [value for key, value in note.variables.items() if "URL" in key and value in told]
