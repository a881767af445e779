"""A 40-run study while its processes are killed: it must complete untouched, nothing twice, nothing lost.

Run it with ``.venv/bin/python -m bench.chaos``. Twenty random ``kill -9`` of worker, web, beat and
auditor, two restarts and one emptying of Valkey, one restart of Postgres; each is started again as a supervisor would.
Prints the numbers and exits with 1 if one is wrong.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import redis
from sqlalchemy.exc import SQLAlchemyError

from app.domain.protocol.conditions import Condition
from app.embedded.home import prepare_home
from app.embedded.passwords import load_passwords
from app.embedded.postgres import Postgres
from app.embedded.programs import command_of
from app.embedded.roles import APPLICATION, OWNER
from app.embedded.schema import upgrade_schema
from app.embedded.valkey import Valkey
from app.library import reader
from app.settings import Settings
from bench.engine import design, launched
from bench.stack import MODELS, ROOT, provider, temporary_home, worker_arguments

KILLS = 20
LONGEST_PAUSE_SECONDS = 30.0


class Stage:
    """Services and programs that can be killed and started again."""

    def __init__(self, home: Path) -> None:
        prepare_home(home)
        passwords = load_passwords(home)
        self.postgres, self.valkey = Postgres(home, passwords), Valkey(home, passwords.broker)
        self.postgres.start()
        self.valkey.start()
        upgrade_schema(self.postgres.url(OWNER), APPLICATION)
        self.variables = {
            "AUTOLAB_HOME": str(home),
            "DATABASE_URL": self.postgres.url(APPLICATION),
            "REDIS_URL": self.valkey.url(),
            "AUTOLAB_LOG_LEVEL": "ERROR",
        }
        web = ["-m", "uvicorn", "app.main:create_app", "--factory", "--port", "0", "--log-level", "error"]
        beat = [
            "-m",
            "celery",
            "--quiet",
            "-A",
            "workers.main",
            "beat",
            "--pidfile=",
            "--schedule",
            str(home / "beat.db"),
        ]
        programs = {"worker": worker_arguments(50), "web": web, "beat": beat}
        self.commands = {name: [sys.executable, *arguments] for name, arguments in programs.items()}
        self.commands["auditor"] = command_of("auditor", Settings())
        self.children: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        """Start a program."""
        self.children[name] = subprocess.Popen(
            self.commands[name],
            cwd=ROOT,
            env={**os.environ, **self.variables},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self, name: str) -> None:
        """Kill a program as nobody can prepare for."""
        self.children[name].kill()
        self.children[name].wait()

    def stop(self) -> None:
        """Stop everything."""
        for child in self.children.values():
            child.kill()
            child.wait()
        self.valkey.stop()
        self.postgres.stop()


def main() -> None:
    """Launch, harm, wait, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with temporary_home() as folder:
        stage = Stage(Path(folder))
        try:
            with provider(0.5, stage.variables) as url:
                os.environ.update(stage.variables)
                (Path(folder) / "models.toml").write_text(MODELS.format(url=url), encoding="utf-8")
                for name in stage.commands:
                    stage.start(name)
                study = launched(design(reader.schedule("history-1990-2040"), Condition.FULL, asked.runs, 1))
                in_flight = harm(stage, study, random.Random(asked.seed))
                wait(study, 900)
                sys.exit(report(study, in_flight))
        finally:
            stage.stop()


def harm(stage: Stage, study: UUID, draw: random.Random) -> int:
    """Do everything harmful in random order; gives the calls that were in flight when a worker was killed."""
    flying = 0
    acts: list[str] = [
        *draw.choices(["worker", "web", "beat", "auditor"], weights=[4, 2, 2, 1], k=KILLS),
        "valkey",
        "valkey",
        "empty",
        "postgres",
    ]
    draw.shuffle(acts)
    others: dict[str, Callable[[], object]] = {
        "valkey": lambda: (stage.valkey.stop(), stage.valkey.start()),
        "empty": lambda: redis.Redis.from_url(stage.variables["REDIS_URL"]).flushall(),
        "postgres": lambda: (stage.postgres.stop(), stage.postgres.start()),
    }
    for number, act in enumerate(acts, start=1):
        await_share(study, number / (len(acts) + 1))
        if act in stage.commands:
            stage.kill(act)
            flying += sent(study) if act == "worker" else 0
            stage.start(act)
        else:
            others[act]()
        print(f"{number:2d} of {len(acts)}: {act}, {done(study)} steps done", flush=True)
    return flying


def await_share(study: UUID, share: float) -> None:
    """Wait until that share of the study is done, so that the harm is spread over all of it; half a minute at most."""
    from app.services.unit_of_work import reading  # noqa: PLC0415 - the database's address is set by now

    with reading() as look:
        owed = sum(run.steps_owed for run in look.runs.of_study(study))
    over = time.perf_counter() + LONGEST_PAUSE_SECONDS
    while done(study) < share * owed and time.perf_counter() < over:
        time.sleep(0.05)


def sent(study: UUID) -> int:
    """Calls whose end is not yet recorded."""
    from app.services.unit_of_work import reading  # noqa: PLC0415 - the database's address is set by now

    with reading() as look:
        runs = look.runs.of_study(study)
        return sum(call.state == "sent" for run in runs for call in look.calls.of_run(run.id))


def done(study: UUID) -> int:
    """Steps done so far; -1 while the database is away."""
    from app.services.unit_of_work import reading  # noqa: PLC0415 - as above

    try:
        with reading() as look:
            return sum(run.steps_done for run in look.runs.of_study(study))
    except SQLAlchemyError:
        return -1


def wait(study: UUID, seconds: float) -> None:
    """Until every run is finished, or the time is over."""
    from app.services.unit_of_work import reading  # noqa: PLC0415 - as above

    over = time.perf_counter() + seconds
    while time.perf_counter() < over:
        with reading() as look:
            if all(run.state == "finished" for run in look.runs.of_study(study)):
                return
        time.sleep(1)


def report(study: UUID, in_flight: int) -> int:
    """Print what became of the study; 1 if anything is wrong."""
    from app.services.unit_of_work import reading  # noqa: PLC0415 - as above
    from app.services.verification import verify_runs  # noqa: PLC0415 - as above

    with reading(one_moment=True) as look:
        runs = look.runs.of_study(study)
        finished = sum(run.state == "finished" for run in runs)
        owed, made = sum(run.calls_owed for run in runs), sum(run.calls_made for run in runs)
        lost = sum(run.calls_lost for run in runs)
        keys = [(kept.run_id, kept.key) for run in runs for kept in look.artifacts.of_run(run.id)]
        steps = sum(run.steps_owed for run in runs)
        unsound = [verdict for verdict in verify_runs(look, str(study)) if not verdict.is_sound]
    print(f"runs finished: {finished} of {len(runs)}")
    print(f"artifacts: {len(keys)} of {steps}, {len(keys) - len(set(keys))} twice")
    print(
        f"calls: {made} made, {owed} owed, {made - owed} repeated, {lost} lost; {in_flight} were in flight at the kills"
    )
    print(f"ledgers that do not verify: {len(unsound)}")
    sound = finished == len(runs) and len(keys) == len(set(keys)) == steps and made - owed <= in_flight and not unsound
    print("untouched" if sound else "NOT untouched")
    return 0 if sound else 1


if __name__ == "__main__":
    main()
