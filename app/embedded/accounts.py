"""Under which account a service runs: PostgreSQL refuses root, so root lends it an account without any rights."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.embedded.problems import ServiceProblem

FIRST_UNUSED_ID = 47_210
"""Where the search for a user id that no account has begins; nothing is added to the system's accounts."""


@dataclass(frozen=True, slots=True)
class Account:
    """A user and group id to run as; `reads_everything` lends the right to pass closed parent folders."""

    uid: int
    gid: int
    reads_everything: bool = False

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The command line, behind setpriv when the account needs to pass closed folders."""
        if not self.reads_everything:
            return list(arguments)
        ids = [f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"]
        rights = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        return ["setpriv", *ids, *rights, "--", *arguments]

    def options(self) -> dict[str, Any]:
        """The arguments of Popen that change the account; none behind setpriv, which does it itself."""
        return {} if self.reads_everything else {"user": self.uid, "group": self.gid, "extra_groups": []}


def choose_account(data: Path, binary: Path) -> Account | None:
    """The account for a service whose files are in `data`; None means: as we are.

    Raises ServiceProblem when the data belong to somebody else, or root's account cannot reach the binary.
    """
    owner = data.stat().st_uid if data.exists() else None
    if os.geteuid() != 0:
        if owner not in {None, os.geteuid()}:
            message = f"{data} belongs to user {owner}, perhaps because it was first run as root. Run as that user."
            raise ServiceProblem(message)
        require_name(os.geteuid())
        return None
    uid = owner or next(unused_ids())
    return reachable_account(uid, binary, data.parent)


def require_name(uid: int) -> None:
    """PostgreSQL's initdb asks the system for the name of its user; ServiceProblem when there is none."""
    try:
        pwd.getpwuid(uid)
    except KeyError:
        message = f"User id {uid} has no name here, and PostgreSQL needs one. Add the user, or set DATABASE_URL."
        raise ServiceProblem(message) from None


def reachable_account(uid: int, binary: Path, folder: Path) -> Account:
    """The account as it is if it can run the binary and enter the folder, otherwise with the right to pass folders."""
    for account in (Account(uid, uid), Account(uid, uid, reads_everything=True)):
        if can_run(account, [str(binary), "--version"], folder):
            return account
    message = (
        f"PostgreSQL may not run as root, and an account without rights cannot enter {folder}. "
        "Run as an ordinary user, move the project to a folder that others may enter, or set DATABASE_URL."
    )
    raise ServiceProblem(message)


def can_run(account: Account, arguments: Sequence[str], folder: Path) -> bool:
    """Whether the account can run the command in the folder."""
    if account.reads_everything and shutil.which("setpriv") is None:
        return False
    command = account.command(["/bin/sh", "-c", 'cd "$0" && exec "$@"', str(folder), *arguments])
    try:
        ended = subprocess.run(command, capture_output=True, check=False, timeout=20, cwd="/", **account.options())
    except (OSError, subprocess.SubprocessError):
        return False
    return ended.returncode == 0


def named_account(wanted: Account) -> Account:
    """An account that has a name, with the same right to pass folders: initdb asks the system for its own name."""
    try:
        named = pwd.getpwuid(wanted.uid)
    except KeyError:
        named = next(
            entry for entry in sorted(pwd.getpwall(), key=lambda entry: entry.pw_name != "nobody") if entry.pw_uid
        )
    return Account(named.pw_uid, wanted.gid if named.pw_uid == wanted.uid else named.pw_gid, wanted.reads_everything)


def give(path: Path, account: Account | None) -> None:
    """Make the account the owner of a folder and all below it."""
    if account is None:
        return
    for entry in (path, *path.rglob("*")):
        os.chown(entry, account.uid, account.gid, follow_symlinks=False)


def unused_ids() -> Iterator[int]:
    """User ids that belong to no account, ascending."""
    used = {entry.pw_uid for entry in pwd.getpwall()}
    return (uid for uid in range(FIRST_UNUSED_ID, FIRST_UNUSED_ID + 1000) if uid not in used)
