"""The user's own editor: a draft written in it (Ctrl+G v), a file opened in it (o)."""

import asyncio
import os
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

_TAKES_LINE = frozenset(
    {"vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "joe", "less"}
)
"""Editors that begin at the line given as `+12`."""


def editor_command(environ: Mapping[str, str]) -> list[str]:
    """The editor as the environment names it; `vi` where it names none."""
    named = environ.get("VISUAL", "").strip() or environ.get("EDITOR", "").strip() or "vi"
    return shlex.split(named)


async def edit_text(app: App[Any], text: str, environ: Mapping[str, str]) -> str | None:
    """The text as the editor left it; None where there is no such editor, or it failed.

    The app gives the terminal away meanwhile; the loop goes on, so that a running turn does too.
    """
    with tempfile.TemporaryDirectory(prefix="haima-") as folder:
        path = Path(folder) / "draft.md"
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
        edited = await _run(app, [os.fspath(path)], environ)
        return path.read_text(encoding="utf-8", errors="replace") if edited else None


async def edit_file(app: App[Any], path: Path, line: int, environ: Mapping[str, str]) -> bool:
    """Opens a file at a line; False where there is no such editor, or it failed."""
    try:
        name = Path(editor_command(environ)[0]).name
    except (ValueError, IndexError):
        return False
    at = [f"+{line}"] if name in _TAKES_LINE else []
    return await _run(app, [*at, os.fspath(path)], environ)


async def _run(app: App[Any], arguments: list[str], environ: Mapping[str, str]) -> bool:
    """Gives the editor the terminal until it ends; whether it ended well."""
    try:
        with app.suspend(), app.batch_update():
            process = await asyncio.create_subprocess_exec(
                *editor_command(environ), *arguments, env=dict(environ)
            )
            code = await process.wait()
    except (OSError, ValueError, SuspendNotSupported):
        return False
    return code == 0
