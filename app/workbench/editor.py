"""Writes a draft in the user's own editor (Ctrl+G v)."""

import asyncio
import os
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported


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
        try:
            with app.suspend(), app.batch_update():
                process = await asyncio.create_subprocess_exec(
                    *editor_command(environ), os.fspath(path), env=dict(environ)
                )
                code = await process.wait()
        except (OSError, ValueError, SuspendNotSupported):
            return None
        return path.read_text(encoding="utf-8", errors="replace") if code == 0 else None
