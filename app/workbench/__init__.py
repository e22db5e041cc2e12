"""The workbench: the Textual app (`app`) and what it is about (`conductor`).

`app` is all that is loaded before the first paint; `conductor`, with settings, session and tools,
comes in a thread behind it. A package because one module would be over the size that is kept.
"""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.session.terminal import TerminalQuestion, drop_late
from app.text import Words

if TYPE_CHECKING:
    from app.session.launch import Launch


def run_workbench(prepare: "Callable[[], Launch]", *, words: Words, theme: str = "auto") -> int:
    """Shows the workbench until the user leaves.

    Args:
        prepare: gives what the command line found out, settings included; called in a thread once
            something stands on the screen.
        words: the language until the settings are read.
        theme: the theme until then.

    Returns:
        The exit code.

    Raises:
        HaimaError: what `prepare` raised.
    """
    with TerminalQuestion() as question:
        # The terminal answers while this is imported; nothing before here needs textual.
        from app.workbench.start import run  # noqa: PLC0415

        terminal = question.answers()
    if terminal.late:
        drop_late()
    code, last_words = run(prepare, words=words, theme=theme, terminal=terminal)
    if last_words:
        sys.stderr.write(f"haima: {last_words}\n")
    return code
