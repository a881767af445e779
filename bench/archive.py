"""Memory and time of exporting and importing a study of 200 MB: `python -m bench.archive [MEGABYTES]`.

Every step runs in a process of its own, whose largest resident size is what is reported.
"""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from app.embedded.home import prepare_home
from app.embedded.passwords import load_passwords
from app.embedded.postgres import Postgres
from app.embedded.roles import APPLICATION, OWNER, create_database
from app.embedded.schema import upgrade_schema
from app.embedded.valkey import Valkey
from bench.stack import ROOT, temporary_home

STUDY_MEGABYTES = 200
MOST_MEGABYTES = 200
REPEATS = 4

MEASURE = """
import resource, sys, time
from pathlib import Path
began = time.perf_counter()
{code}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
status = Path("/proc/self/status")
if status.exists():
    peak = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
print(f"{{peak / 1024:.0f}} MB, {{time.perf_counter() - began:.1f}} s")
"""
"""On Linux a process's ru_maxrss begins with what its parent held when it was forked; VmHWM is its own."""
IDLE = "from app.services.archives import stream_archive"
EXPORT = """
from uuid import UUID
from app.services.archives import stream_archive
with open(sys.argv[2], "wb") as out:
    for piece in stream_archive(UUID(sys.argv[1])):
        out.write(piece)
"""
IMPORT = """
from pathlib import Path
from app.services.archives import import_archive
from app.services.unit_of_work import unit_of_work
with unit_of_work() as work:
    import_archive(work, Path(sys.argv[2]))
"""
LEVEL = """
from uuid import UUID
from app.services.exports import Form, Level, stream_level
for level in Level:
    for piece in stream_level(UUID(sys.argv[1]), level, Form.JSONL):
        pass
"""
REPORT = """
from uuid import UUID
from app.services.reports import report_study
report_study(UUID(sys.argv[1])).pdf()
"""


def main() -> None:
    """Make the study, export it, import it elsewhere, and say what each took."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else STUDY_MEGABYTES
    with temporary_home() as folder:
        home = prepare_home(Path(folder) / "home")
        passwords = load_passwords(home)
        postgres, valkey = Postgres(home, passwords), Valkey(home, passwords.broker)
        postgres.start()
        valkey.start()
        try:
            addresses = [database(postgres, name) for name in ("here", "there")]
            os.environ.update(AUTOLAB_HOME=str(home), DATABASE_URL=addresses[0], REDIS_URL=valkey.url())
            study, held = make_study(megabytes)
            archive = Path(folder) / "study.zip"
            print(f"study of {held / 1e6:.0f} MB of texts")
            for name, code, address in (
                ("a process that does nothing", IDLE, addresses[0]),
                ("export of the archive", EXPORT, addresses[0]),
                ("import of the archive", IMPORT, addresses[1]),
                ("every level as JSON lines", LEVEL, addresses[0]),
                ("report as PDF", REPORT, addresses[0]),
            ):
                print(f"{name}: {measured(code, address, study, archive)}", flush=True)
            print(
                f"archive of {archive.stat().st_size / 1e6:.0f} MB; at most {MOST_MEGABYTES} MB of memory are allowed"
            )
        finally:
            valkey.stop()
            postgres.stop()


def database(postgres: Postgres, name: str) -> str:
    """A new, migrated database; its address for the application."""
    with postgres.connect() as connection:
        create_database(connection, name)
    upgrade_schema(postgres.url(OWNER, name), APPLICATION)
    return postgres.url(APPLICATION, name)


def measured(code: str, address: str, study: str, archive: Path) -> str:
    """Run code in a process of its own; its peak memory and time."""
    script = MEASURE.format(code=code)
    command = [sys.executable, "-c", script, study, str(archive)]
    env = {**os.environ, "DATABASE_URL": address}
    return subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True).stdout.strip()


def make_study(megabytes: int) -> tuple[str, int]:
    """A finished rehearsal study whose requests and answers are padded to a size; its id and what its texts hold."""
    from sqlalchemy import text  # noqa: PLC0415 - the database's address is known by now

    from app.domain.study import StudyDesign  # noqa: PLC0415 - as above
    from app.library import reader  # noqa: PLC0415 - as above
    from app.providers.chat import ChatRequest  # noqa: PLC0415 - as above
    from app.providers.rehearsal import Rehearsal  # noqa: PLC0415 - as above
    from app.services import claiming, studies  # noqa: PLC0415 - as above
    from app.services.performing import Desk, perform_steps  # noqa: PLC0415 - as above
    from app.services.unit_of_work import reading, unit_of_work  # noqa: PLC0415 - as above

    design = StudyDesign(
        name="Bench",
        schedules=(reader.schedule("history-1990-2040"),),
        repetitions=REPEATS,
        players=(studies.choose_model("rehearsal/steady", 1.0),),
        judge=studies.choose_model("rehearsal/strict", 1.0),
        author=studies.choose_model("rehearsal/author", 1.0),
    )
    padding = megabytes * 1_000_000 // studies.estimate_study(design).calls
    noise = random.Random(7)

    class Wordy(Rehearsal):
        def wire_request(self, request: ChatRequest) -> dict[str, Any]:
            return {**super().wire_request(request), "padding": noise.randbytes(padding // 2).hex()}

    claiming.voice_of = lambda *_, **__: Wordy()  # type: ignore[assignment]
    with unit_of_work() as work:
        study = studies.launch_study(work, design, None)
    desk = Desk("bench")
    while True:
        with reading() as look:
            ready = look.session.execute(text("select id from steps where state = 'ready'")).scalars().all()
        if not ready:
            break
        for step in ready:
            perform_steps(step, desk)
    with reading() as look:
        sizes = "select (select sum(length(request) + length(coalesce(response, ''))) from calls)"
        return str(study), int(look.session.execute(text(sizes)).scalar_one())


if __name__ == "__main__":
    main()
