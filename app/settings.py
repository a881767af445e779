"""Every setting of the software, and the only reader of the environment."""

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).parents[1]
DRIVER = "postgresql+psycopg://"
KEY_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*_(API_KEY|KEY|TOKEN)")
"""The names a provider's key may have; so no page can make the software send another secret to an endpoint."""


class SettingsProblem(Exception):  # noqa: N818 - it is shown as a sentence, not as an error name
    """A setting is missing or wrong; the message names its variable and the mend."""


class Settings(BaseSettings):
    """The settings, from the environment; a variable `X` may be given as `X_FILE`, the path of a file that holds it."""

    model_config = SettingsConfigDict(env_prefix="AUTOLAB_", extra="ignore", frozen=True, hide_input_in_errors=True)

    database_url: str | None = Field(
        None, validation_alias="DATABASE_URL", repr=False, description="PostgreSQL for the application's role."
    )
    migration_database_url: str | None = Field(
        None,
        validation_alias="MIGRATION_DATABASE_URL",
        repr=False,
        description="The same database for the role that owns and migrates it.",
    )
    redis_url: str | None = Field(
        None, validation_alias="REDIS_URL", repr=False, description="Redis or Valkey, for wake-ups and rate limits."
    )
    home: Path = Field(ROOT / ".autolab", description="Folder of the embedded services, passwords and logs.")
    host: str = Field("127.0.0.1", description="Address the web server listens on.")
    port: Annotated[int, Field(ge=1, le=65_535)] = Field(8000, description="Port the web server listens on.")
    public_url: str | None = Field(None, description="Address people use, when a proxy stands in front.")
    trusted_proxies: str = Field(
        "127.0.0.1", description="Addresses whose X-Forwarded headers are believed, separated by commas."
    )
    worker_processes: Annotated[int, Field(ge=1, le=32)] = Field(
        4, description="Worker processes for steps that `up` starts; each keeps to one processor."
    )
    processor: Annotated[int, Field(ge=0)] | None = Field(
        None, description="The processor a worker keeps to, counted from 0; `up` gives them out in turn."
    )
    worker_threads: Annotated[int, Field(ge=1, le=500)] = Field(10, description="Model calls one worker holds at once.")
    lease_seconds: Annotated[float, Field(ge=2, le=30)] = Field(
        30, description="Seconds a worker's hold on a step lasts without a heartbeat."
    )
    call_seconds: Annotated[float, Field(ge=2, le=3600)] = Field(
        600, description="Seconds a model call may take; silence is cut off after half of them."
    )
    call_failures: Annotated[int, Field(ge=1, le=20)] = Field(
        6, description="Calls of a step without an answer before it needs an operator."
    )
    rehearsal_pace: Annotated[float, Field(ge=0, le=60)] = Field(
        0.4, description="Seconds a call of the rehearsal model takes in the one-click study."
    )
    session_hours: Annotated[int, Field(ge=1)] = Field(168, description="Hours until one must sign in again.")
    sign_in_link_minutes: Annotated[int, Field(ge=1)] = Field(60, description="Minutes a one-time link is good for.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="The least that is logged.")
    log_format: Literal["auto", "json", "text"] = Field("auto", description="auto: text on a terminal, else JSON.")

    @field_validator("database_url", "migration_database_url")
    @classmethod
    def _with_driver(cls, url: str | None) -> str | None:
        if not url:
            return None
        scheme, separator, rest = url.partition("://")
        if not separator or scheme.partition("+")[0] not in {"postgres", "postgresql"}:
            raise ValueError("it must look like postgresql://user:password@host:5432/name")
        return DRIVER + rest

    @field_validator("redis_url")
    @classmethod
    def _known_scheme(cls, url: str | None) -> str | None:
        if url and not url.startswith(("redis://", "rediss://", "unix://")):
            raise ValueError("it must look like redis://:password@host:6379/0")
        return url or None

    @field_validator("public_url")
    @classmethod
    def _without_slash(cls, url: str | None) -> str | None:
        if url and not url.startswith(("http://", "https://")):
            raise ValueError("it must begin with https:// or http://")
        return url.rstrip("/") if url else None

    @field_validator("home")
    @classmethod
    def _absolute(cls, home: Path) -> Path:
        return home.expanduser().absolute()

    @model_validator(mode="after")
    def _services_together(self) -> Self:
        if self.migration_database_url and not self.database_url:
            raise ValueError("MIGRATION_DATABASE_URL needs DATABASE_URL: the application does not work as the owner")
        return self

    @property
    def address(self) -> str:
        """The address people use, without a slash at the end."""
        return self.public_url or self.local_address

    @property
    def local_address(self) -> str:
        """The address at which this machine reaches the web server."""
        host = "127.0.0.1" if self.host in {"0.0.0.0", "::", ""} else self.host  # noqa: S104 - compared, not bound
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def is_for_this_machine_only(self) -> bool:
        """Whether links carry a loopback address, which other machines cannot open."""
        host = urlsplit(self.address).hostname or ""
        return host == "localhost" or host.startswith("127.") or host == "::1"

    @property
    def secure_cookies(self) -> bool:
        """Whether cookies are only sent over https."""
        return self.address.startswith("https://")

    @property
    def owner_url(self) -> str:
        """The database for the role that migrates; the application's own role where there is but one."""
        return self.migration_database_url or self.needed_database_url()

    @property
    def application_role(self) -> str | None:
        """The application's role, when it is another than the owner's; None when one role does both."""
        own, owner = (urlsplit(url).username for url in (self.needed_database_url(), self.owner_url))
        return own if own != owner else None

    def needed_database_url(self) -> str:
        """The application's database; SettingsProblem when none is set."""
        if self.database_url is None:
            raise SettingsProblem("DATABASE_URL is not set. Set it, or run ./autolab up, which brings one along.")
        return self.database_url

    def needed_redis_url(self) -> str:
        """The broker; SettingsProblem when none is set."""
        if self.redis_url is None:
            raise SettingsProblem("REDIS_URL is not set. Set it, or run ./autolab up, which brings one along.")
        return self.redis_url


@lru_cache
def get_settings() -> Settings:
    """The settings of this process, read once.

    Raises SettingsProblem naming each wrong variable, without its value.
    """
    given = {variable: value for variable in URL_VARIABLES if (value := environment(variable))}
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        raise SettingsProblem("\n".join(complaint(details) for details in error.errors(include_input=False))) from None


URL_VARIABLES = ("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL")


def complaint(details: ErrorDetails) -> str:
    """One line about one wrong setting."""
    name = str(details["loc"][0]) if details["loc"] else ""
    variable = name if name.isupper() or not name else f"AUTOLAB_{name.upper()}"
    return f"{variable}: {details['msg'].removeprefix('Value error, ')}".removeprefix(": ")


def provider_key(variable: str) -> str | None:
    """The key in the environment variable, read at the time of the call; None when it is not set.

    Raises SettingsProblem for a name that is not a key's, so that no other secret can be sent to a provider.
    """
    if not KEY_VARIABLE.fullmatch(variable):
        raise SettingsProblem(f"{variable} is no name for a key. Use a name such as EXAMPLE_API_KEY.")
    return environment(variable)


def part_environment(changes: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process started by this one, without the owner's address: no part works as the owner."""
    left_out = {"MIGRATION_DATABASE_URL", "MIGRATION_DATABASE_URL_FILE"}
    return {**{name: value for name, value in os.environ.items() if name not in left_out}, **changes}


def use_variables(changes: Mapping[str, str]) -> Settings:
    """Set variables for this process, as if it had been started with them, and read the settings anew."""
    os.environ.update(changes)
    get_settings.cache_clear()
    return get_settings()


def environment(variable: str) -> str | None:
    """The variable's value, or the content of the file that `<variable>_FILE` names."""
    if value := os.environ.get(variable, "").strip():
        return value
    if path := os.environ.get(f"{variable}_FILE", "").strip():
        try:
            return Path(path).read_text(encoding="utf-8").strip() or None
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsProblem(f"{variable}_FILE names a file that cannot be read: {path}") from error
    return None
