"""Structured logs: text on a terminal, JSON elsewhere, and never a prompt, an answer or a key."""

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any, TextIO

import structlog

WITHHELD = "(withheld)"
PRIVATE = frozenset({
    "answer", "api_key", "authorization", "body", "content", "cookie", "headers", "key", "link", "messages",
    "password", "prompt", "reply", "request", "response", "secret", "system", "text", "token",
})  # fmt: skip
PER_TASK = ("celery.worker.strategy", "celery.app.trace", "celery.beat")
"""Loggers with a line or two for every task, and the upkeep has one every few seconds."""
ACCESS = "uvicorn.access"
"""Never written: the paths it tells hold one-time links."""
IN_URL = re.compile(r"(?<=://)[^\s/@]*:[^\s/@]*@")
KEY_LIKE = re.compile(r"\b(sk-|key-|Bearer\s+)[A-Za-z0-9_\-.]{8,}")


def configure_logs(level: str, log_format: str, stream: TextIO | None = None) -> None:
    """Send the logs of the software and of its libraries through one set of processors.

    `log_format` is `auto` (text when the stream is a terminal), `json` or `text`. Calling it again replaces the former.
    """
    target = stream or sys.stderr
    as_text = log_format == "text" or (log_format == "auto" and target.isatty())
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        withhold,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(target)
    handler.setFormatter(formatter(shared, as_text=as_text))
    replace_handlers(handler, level)


def formatter(shared: list[structlog.typing.Processor], *, as_text: bool) -> logging.Formatter:
    """One line per event, for records of structlog and of the standard library alike."""
    plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    last: structlog.typing.Processor = plain if as_text else structlog.processors.JSONRenderer()
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
    )


def replace_handlers(handler: logging.Handler, level: str) -> None:
    """Make it the only handler; libraries that log every request or task are held to warnings."""
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in ("uvicorn", "uvicorn.error", ACCESS, "celery"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = name != ACCESS
    for name in ("httpx", "httpx2", "openai", "anthropic", "httpcore", "httpcore2", "urllib3", *PER_TASK):
        logging.getLogger(name).setLevel(logging.WARNING)


def withhold(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Replace what must not be logged: values under private names, passwords in addresses, and keys."""
    return {name: WITHHELD if name in PRIVATE else masked(value) for name, value in event.items()}


def masked(value: Any) -> Any:
    """The value with passwords and keys in its texts replaced; containers are followed."""
    if isinstance(value, str):
        return KEY_LIKE.sub(WITHHELD, IN_URL.sub(f"{WITHHELD}@", value))
    if isinstance(value, Mapping):
        return {name: WITHHELD if name in PRIVATE else masked(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked(item) for item in value]
    return value
