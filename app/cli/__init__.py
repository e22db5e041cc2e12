"""The command line: `haima`, `haima run`, `haima memory`, `haima sessions` and the smaller ones.

Nothing heavy is imported before it is needed: `--version` and a usage error cost a bare Python, and
only the screen imports textual. Whatever goes wrong is one sentence on stderr, never a traceback.
"""

from app.cli.dispatch import main

__all__ = ["main"]
