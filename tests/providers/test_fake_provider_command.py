"""`autolab fake-provider` as its own process: it says where it is, serves, and stops when told."""

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "app.cli.main", "fake-provider"]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_by_its_script_until_it_is_stopped(tmp_path: Path, stop: signal.Signals):
    script = tmp_path / "script.json"
    script.write_text('{"rules": [{"fault": "overloaded", "nth": [1]}]}', encoding="utf-8")
    command = [*COMMAND, "--port", "0", "--script", str(script)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        first = server.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/v1", first)[0]
        body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        statuses = [httpx2.post(f"{address}/chat/completions", json=body, trust_env=False).status_code for _ in "ab"]
        server.send_signal(stop)
        try:
            assert server.wait(timeout=30) in {0, 130, 143}
        finally:
            server.kill()
        assert "Traceback" not in server.stderr.read()
    assert statuses == [529, 200]


def test_a_taken_port_is_said():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = subprocess.run(
            [*COMMAND, "--port", port], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
        )
    assert ended.returncode == 1
    assert f"Port {port} cannot be used" in ended.stdout + ended.stderr


def test_a_wrong_script_is_said(tmp_path: Path):
    script = tmp_path / "script.json"
    script.write_text('{"rules": [{"fault": "laziness"}]}', encoding="utf-8")
    ended = subprocess.run(
        [*COMMAND, "--script", str(script)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 1
    assert "script.json is not a script of faults" in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
