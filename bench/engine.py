"""Wall time over ideal for chains of 46 calls at 50 ms through the whole stack, and a 40-run study at zero latency.

Run it with ``.venv/bin/python -m bench.engine``. Goals on two cores: 10 chains at most 1.35, 40 chains at most 2.2.
"""

import argparse
import os
import time
from pathlib import Path
from uuid import UUID

from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Schedule
from app.domain.study import ModelChoice, StudyDesign
from app.library import reader
from bench.stack import (
    MODELS,
    chain_schedule,
    provider,
    resident_megabytes,
    services,
    temporary_home,
    wait_for,
    wait_for_audits,
    workers,
)

CALLS = 46
LATENCY = 0.05


def design(schedule: Schedule, condition: Condition, repetitions: int, seed: int) -> StudyDesign:
    """A study on the local provider, judged by another family."""
    return StudyDesign(
        name=f"bench {repetitions}",
        seed=seed,
        schedules=(schedule,),
        conditions=(condition,),
        repetitions=repetitions,
        players=(ModelChoice(model="local/player", family="players"),),
        judge=ModelChoice(model="local/judge", family="judges"),
        author=ModelChoice(model="local/judge", family="judges"),
    )


def launched(study: StudyDesign) -> UUID:
    """Launch a study."""
    from app.services.studies import launch_study  # noqa: PLC0415 - the database's address is set by now
    from app.services.unit_of_work import unit_of_work  # noqa: PLC0415 - as above

    with unit_of_work() as work:
        return launch_study(work, study, None)


def timed(study: StudyDesign, limit: float) -> float:
    """Seconds from the launch to the last record, on a worker that has nothing else to do."""
    wait_for_audits()
    began = time.perf_counter()
    study_id = launched(study)
    wait_for(study_id, limit)
    return time.perf_counter() - began


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, help="worker processes; without it, as many as `up` starts")
    asked = parser.parse_args()
    time_chains(asked.rounds, asked.workers)
    time_study(asked.workers)


def time_chains(rounds: int, processes: int | None) -> None:
    """Chains of calls that take their time."""
    with temporary_home() as folder, services(Path(folder)) as variables, provider(LATENCY, variables) as url:
        os.environ.update(variables)
        (Path(folder) / "models.toml").write_text(MODELS.format(url=url), encoding="utf-8")
        chain, ideal = chain_schedule(CALLS // 2), CALLS * LATENCY
        with workers(variables, processes):
            timed(design(chain, Condition.SINGLE_PROMPT, 40, 99), 120)  # every thread and connection has worked before
            for chains, goal in ((10, 1.35), (40, 2.2)):
                seconds = [timed(design(chain, Condition.SINGLE_PROMPT, chains, n), 120) for n in range(rounds)]
                ratios = ", ".join(f"{one / ideal:.2f}" for one in sorted(seconds))
                print(f"{chains} chains of {CALLS} calls at {LATENCY * 1000:.0f} ms: over ideal {ratios} (goal {goal})")


def time_study(processes: int | None) -> None:
    """A study of 40 runs whose calls take no time."""
    with temporary_home() as folder, services(Path(folder)) as variables, provider(0.0, variables) as url:
        os.environ.update(variables)
        _forget_addresses()
        (Path(folder) / "models.toml").write_text(MODELS.format(url=url), encoding="utf-8")
        with workers(variables, processes) as started:
            seconds = timed(design(reader.schedule("history-1990-2040"), Condition.FULL, 40, 1), 300)
            memory = sum(resident_megabytes(worker.pid) for worker in started)
        print(
            f"40 runs of 65 calls at no latency: {seconds:.1f} s, {2600 / seconds:.0f} calls/s, worker {memory:.0f} MB"
        )


def _forget_addresses() -> None:
    from app.settings import get_settings  # noqa: PLC0415 - as above

    get_settings.cache_clear()
    from app import jobs, live  # noqa: PLC0415 - as above

    jobs.broker.cache_clear()
    live._client.cache_clear()  # noqa: SLF001 - a benchmark of two stacks in one process


if __name__ == "__main__":
    main()
