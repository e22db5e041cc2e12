"""What the header says about git: the branch and how many changes there are."""

import asyncio
import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_LIMIT = 2.0
"""Seconds; a header can do without it."""


@dataclass(frozen=True, slots=True)
class GitState:
    """State of the work tree.

    Attributes:
        branch: its name, or the commit's first 8 digits where none is checked out.
        changes: files changed, added, deleted or unknown to git.
    """

    branch: str
    changes: int


async def git_state(
    root: Path, environ: Mapping[str, str], limit: float = _LIMIT
) -> GitState | None:
    """Asks git for the state of `root`; None without git, outside a repository, or after `limit`.

    Takes no lock, so it is never in the way of a git the user runs, and runs no file system
    monitor: a repository's configuration can name any program for that. Where nothing is called
    `.git` from `root` upwards git isn't started: it is asked after each turn.
    """
    if not _may_be_in_one(root):
        return None
    env = {name: value for name, value in environ.items() if not name.startswith("GIT_")}
    env |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    arguments = ("--no-optional-locks", "-c", "core.fsmonitor=false", "-C", str(root))
    status = ("status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal")
    try:
        process = await asyncio.create_subprocess_exec(
            "git",
            *arguments,
            *status,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=env,
            start_new_session=True,
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(limit):
            output, _ = await process.communicate()
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return _parse(output) if process.returncode == 0 else None


def _may_be_in_one(root: Path) -> bool:
    """Whether git could find a repository from here: a work tree has a folder or file `.git`."""
    real = Path(os.path.realpath(root))
    return any(os.path.lexists(folder / ".git") for folder in (real, *real.parents))


def _parse(output: bytes) -> GitState:
    """Reads `git status --porcelain=v2 --branch -z`."""
    branch, commit, changes = "", "", 0
    entries = iter(output.decode("utf-8", "backslashreplace").split("\0"))
    for entry in entries:
        if entry.startswith("# branch.head "):
            branch = entry.removeprefix("# branch.head ")
        elif entry.startswith("# branch.oid "):
            commit = entry.removeprefix("# branch.oid ")
        elif entry[:2] in {"1 ", "2 ", "u ", "? "}:
            changes += 1
            if entry[0] == "2":
                next(entries, None)
    return GitState(commit[:8] if branch == "(detached)" else branch, changes)
