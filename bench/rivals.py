"""The chain test for this engine and for Inspect AI, alternating in one run; and repeated calls after a kill at 75 %.

Run it with ``.venv/bin/python -m bench.rivals``. Goal: at most 0.9 of Inspect's wall time at 10 and at 40 chains of 46
calls at 50 ms, while every step is persisted. Inspect is installed in an environment of its own on first use.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

from bench.engine import CALLS, LATENCY, design, launched, timed
from bench.rival_environment import rivals_python
from bench.stack import (
    MODELS,
    chain_schedule,
    process,
    provider,
    services,
    temporary_home,
    wait_for,
    worker_arguments,
    workers,
)

INSPECT = ("inspect-ai==0.3.285",)
ROUNDS = 3
KILL_AT = 0.75


def inspect_seconds(python: Path, chains: int) -> float:
    """Seconds Inspect takes for the chains, by its own clock, without the start of its process."""
    with tempfile.TemporaryDirectory(prefix="autolab-inspect-") as folder:
        return float(_inspect(python, chains, folder, "run").splitlines()[-1])


def inspect_repeats(python: Path, chains: int) -> int:
    """Calls that Inspect makes again after a kill -9 at 75 % of the study and a retry from its log."""
    with tempfile.TemporaryDirectory(prefix="autolab-inspect-") as folder:
        counted = Path(folder) / "calls"
        child = subprocess.Popen(_command(python, chains, folder, "run"), stdout=subprocess.DEVNULL)
        while not counted.exists() or counted.stat().st_size < KILL_AT * chains * CALLS:
            time.sleep(0.01)
        child.kill()
        child.wait()
        _inspect(python, chains, folder, "retry")
        return counted.stat().st_size - chains * CALLS


def our_repeats(chains: int, variables: dict[str, str]) -> int:
    """Calls this engine makes again after the worker is killed at 75 % of the study and started again."""
    from app.services.unit_of_work import reading  # noqa: PLC0415 - the database's address is set by now
    from app.services.upkeep import sweep  # noqa: PLC0415 - as above
    from bench.engine import Condition  # noqa: PLC0415 - as above

    with process(worker_arguments(50, "before"), variables) as worker:
        study = launched(design(chain_schedule(CALLS // 2), Condition.SINGLE_PROMPT, chains, 7))
        while True:
            with reading() as look:
                made = sum(run.calls_made for run in look.runs.of_study(study))
            if made >= KILL_AT * chains * CALLS:
                break
            time.sleep(0.01)
        worker.kill()
        worker.wait()
    with process(worker_arguments(50, "after"), variables), reading() as look:
        over = time.perf_counter() + 120
        while any(run.state != "finished" for run in look.runs.of_study(study)) and time.perf_counter() < over:
            sweep()
            time.sleep(1)
            look.session.rollback()
    wait_for(study, 1)
    with reading() as look:
        return sum(run.calls_made for run in look.runs.of_study(study)) - chains * CALLS


def main() -> None:
    """Print the ratios and the repeats."""
    from app.domain.protocol.conditions import Condition  # noqa: PLC0415 - kept beside its use

    python = rivals_python(INSPECT, "rivals-inspect")
    if python is None:
        return
    with temporary_home() as folder, services(Path(folder)) as variables, provider(LATENCY, variables) as url:
        os.environ.update(variables)
        (Path(folder) / "models.toml").write_text(MODELS.format(url=url), encoding="utf-8")
        with workers(variables):
            chain = chain_schedule(CALLS // 2)
            timed(design(chain, Condition.SINGLE_PROMPT, 40, 99), 120)  # every thread and connection has worked before
            for chains in (10, 40):
                pairs = [
                    (timed(design(chain, Condition.SINGLE_PROMPT, chains, n), 120), inspect_seconds(python, chains))
                    for n in range(ROUNDS)
                ]
                ours, theirs = min(one for one, _ in pairs), min(one for _, one in pairs)
                print(
                    f"{chains} chains: ours {ours:.2f} s, Inspect {theirs:.2f} s, ratio {ours / theirs:.2f} (goal 0.90)"
                )
        print(f"repeated calls after a kill at 75 % of 10 chains: ours {our_repeats(10, variables)}, ", end="")
        print(f"Inspect {inspect_repeats(python, 10)} of {10 * CALLS}")


def _inspect(python: Path, chains: int, folder: str, what: str) -> str:
    done = subprocess.run(_command(python, chains, folder, what), check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _command(python: Path, chains: int, folder: str, what: str) -> list[str]:
    script = Path(__file__).with_name("inspect_chain.py")
    return [str(python), str(script), str(chains), str(CALLS), str(LATENCY), folder, what]


if __name__ == "__main__":
    main()
