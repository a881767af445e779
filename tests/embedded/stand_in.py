"""Runs `up` on real services with tiny programs in place of the web server, the workers and the clock."""

import os
import sys

from app.cli import main, up
from app.embedded import instance
from app.settings import Settings

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
PATIENT = "import time; time.sleep(600)"


def command_of(name: str, settings: Settings) -> list[str]:
    serve = ["-m", "http.server", "--bind", settings.host, str(settings.port)]
    wait = ["-c", DEAF if os.environ.get("STAND_IN_IS_DEAF") else PATIENT]
    return [sys.executable, *(serve if name == "web" else wait)]


instance.command_of = command_of
up.first_link = lambda: f"{up.get_settings().address}/sign-in/once"
sys.exit(main.main(sys.argv[1:]))
