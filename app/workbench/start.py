"""Runs the app, loads the conductor behind its first paint, and puts everything away."""

import asyncio
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from app.session.terminal import TerminalAnswers
from app.text import Words
from app.workbench.app import Workbench
from app.workbench.conducts import Conducts
from widgets.glyphs import glyphs_for
from widgets.look import Look
from widgets.textual_patches import apply_patches

if TYPE_CHECKING:
    from app.session.launch import Launch


def run(
    prepare: "Callable[[], Launch]", *, words: Words, theme: str, terminal: TerminalAnswers
) -> tuple[int, str]:
    """Runs until the user leaves: the exit code, and what is to be said at the end.

    Raises:
        HaimaError: what `prepare` raised.
    """
    apply_patches()
    look = Look(words, glyphs_for(ascii_only=terminal.ambiguous_wide or not speaks_utf8()))
    app = Workbench(partial(conduct, prepare), look=look, theme=theme, terminal=terminal)
    code = asyncio.run(_run(app))
    if app.failure is not None:
        raise app.failure
    return code, app.last_words


def speaks_utf8() -> bool:
    """Whether what is written to the terminal is UTF-8."""
    return (getattr(sys.__stdout__, "encoding", "") or "utf-8").lower().startswith("utf")


async def conduct(prepare: "Callable[[], Launch]", app: Workbench) -> Conducts:
    """Loads what the app is about, in a thread: the screen stays alive.

    Raises:
        HaimaError: a setting is wrong.
    """

    def load() -> "tuple[Launch, type[Conductor]]":
        launch = prepare()  # the log is open from here on: a fault below is written down
        app.log_file = str(launch.paths.log_file)
        from app.workbench.conductor import Conductor  # noqa: PLC0415 - after the first paint

        return launch, Conductor

    launch, conductor = await asyncio.to_thread(load)
    return conductor(app, launch)


async def _run(app: Workbench) -> int:
    try:
        code = await app.run_async()
    finally:
        if app.conductor is not None:
            await app.conductor.put_away()
    return code if code is not None else app.return_code or 0


if TYPE_CHECKING:
    from app.workbench.conductor import Conductor
