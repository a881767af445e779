"""`run`: a study file launched and watched without the browser."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from app.cli.output import say
from app.domain.wording import counted
from app.embedded.instance import reach_services
from app.embedded.instance_note import running_instance
from app.embedded.problems import ServiceProblem
from app.settings import get_settings

if TYPE_CHECKING:
    from app.services.progress import StudyProgress

LOOK_SECONDS = 0.5
SAID_EVERY_SECONDS = 5.0
INTERRUPTED = 130


def run_command(
    file: Annotated[Path, typer.Argument(help="The study file, as a study's page offers it for download.")],
) -> None:
    """Launch a study file, show how far it is, and end with 0 when it is done, 1 when a run needs an operator."""
    content, settings = _content(file), get_settings()
    has_pages = settings.database_url is not None or running_instance(settings.home) is not None
    with reach_services(settings, say, ("worker", "auditor", "beat")):
        study_id = _launched(content, file.name, has_pages=has_pages)
        try:
            is_complete = _watched(study_id)
        except KeyboardInterrupt:
            say(left_off(has_pages=has_pages))
            raise typer.Exit(INTERRUPTED) from None
        if not is_complete:
            raise typer.Exit(1)


def left_off(*, has_pages: bool) -> str:
    """What becomes of a study that nobody watches any more."""
    if has_pages:
        return "No longer watched here; the study goes on where its workers are."
    return "Stopped here, and nothing is lost: the study goes on with `./autolab up`."


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ServiceProblem(f"{file} cannot be read as a study file: {error.strerror}") from error


def _launched(content: bytes, name: str, *, has_pages: bool) -> UUID:
    from app.services.errors import RefusedError  # noqa: PLC0415 - the database's address is known only now
    from app.services.studies import (  # noqa: PLC0415 - the database's address is known only now
        StudyFileError,
        decode_study_file,
        estimate_study,
        launch_study,
        read_study_file,
    )
    from app.services.unit_of_work import unit_of_work  # noqa: PLC0415 - as above

    try:
        design = read_study_file(decode_study_file(content, name), name)
    except StudyFileError as error:
        raise ServiceProblem(f"The study file does not fit.\n{error}") from error
    estimate = estimate_study(design)
    try:
        with unit_of_work() as work:
            study_id = launch_study(work, design, launched_by=None)
    except RefusedError as error:
        raise ServiceProblem(f"The study cannot be launched. {error}") from error
    say(
        f"Launched {design.name}: {counted(estimate.runs, 'run')}, {counted(estimate.calls, 'call')}, "
        f"at {get_settings().address}/studies/{study_id}{'' if has_pages else ' once `./autolab up` runs'}"
    )
    return study_id


def _watched(study_id: UUID) -> bool:
    """Say how the study stands until it ends; whether it ended without needing an operator."""
    from app.services.progress import study_progress  # noqa: PLC0415 - as above
    from app.services.unit_of_work import reading  # noqa: PLC0415 - as above

    said_at = 0.0
    while True:
        with reading() as look:
            progress = study_progress(look, study_id)
        over = not progress.moving
        if over or time.monotonic() - said_at >= SAID_EVERY_SECONDS:
            said_at = time.monotonic()
            runs, calls = counted(progress.runs, "run"), counted(progress.calls_made, "call")
            say(
                f"{progress.steps_done} of {counted(progress.steps_owed, 'step')}, {calls}, "
                f"{progress.tokens:,} tokens, {progress.finished} of {runs} finished{_judged(progress)}"
            )
        if over:
            break
        time.sleep(LOOK_SECONDS)
    for stuck in progress.stuck:
        say(f"Needs an operator: {stuck.run}, {stuck.step}: {stuck.problem}")
    return progress.is_complete


def _judged(progress: "StudyProgress") -> str:
    if not progress.judgings:
        return ""
    return f", {progress.judgings_finished} of {counted(progress.judgings, 'judging')}"
