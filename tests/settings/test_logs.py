import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from app.logs import configure_logs


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    configure_logs("INFO", "auto", stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def test_off_a_terminal_each_event_is_one_line_of_json(logged: io.StringIO):
    structlog.get_logger("test").info("step recorded", run="R01")
    logging.getLogger("library").warning("slow %s", "answer")
    first, second = (json.loads(line) for line in logged.getvalue().splitlines())
    assert (first["event"], first["run"], first["level"]) == ("step recorded", "R01", "info")
    assert (second["event"], second["logger"]) == ("slow answer", "library")


def test_prompts_keys_and_passwords_are_withheld(logged: io.StringIO):
    structlog.get_logger().info(
        "call failed for postgresql://app:hunter2@db/x",
        prompt="hunter2",
        call={"messages": "hunter2", "url": "redis://:hunter2@b/0", "lines": ["Bearer hunter2hunter2"]},
    )
    assert "hunter2" not in logged.getvalue()
    assert "withheld" in logged.getvalue()


def test_an_exception_is_told_without_the_values_of_its_variables(logged: io.StringIO):
    hidden = "hunter" + str(2)
    try:
        1 / (len(hidden) - 7)
    except ZeroDivisionError:
        structlog.get_logger().exception("failed")
    assert "ZeroDivisionError" in logged.getvalue()
    assert "hunter2" not in logged.getvalue()


def test_requests_are_not_logged_with_their_paths(logged: io.StringIO):
    logging.getLogger("uvicorn.access").warning("GET /sign-in/once")
    assert not logged.getvalue()


def test_libraries_that_log_each_request_are_quiet(logged: io.StringIO):
    logging.getLogger("httpx").info("POST https://example.org")
    assert not logged.getvalue()
