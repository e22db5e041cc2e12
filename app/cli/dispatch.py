"""From the arguments to the command that does it, and from its end to an exit code."""

import os
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from app.cli.codes import CANCELLED, OK, USAGE, exit_code
from app.cli.console import Console, OutputClosed, drop_stdout
from app.cli.language import language
from app.cli.parser import UsageError

if TYPE_CHECKING:
    from app.cli.place import Place


def main(argv: Sequence[str] | None = None) -> int:
    """Runs Haima.

    Args:
        argv: the arguments; None: the process's own.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage or settings, 3 a conflict awaits a
        decision, 4 not found, 130 cancelled.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(arguments, os.environ)
    except KeyboardInterrupt:
        return CANCELLED
    except (OutputClosed, BrokenPipeError):  # the latter of argparse: `haima --help | head -1`
        drop_stdout()
        return OK


def _run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Does what the arguments say; every failure is one sentence."""
    from app.cli.commands import parse
    from app.text import Words

    console = Console(Words(language(arguments, environ)))
    try:
        options = parse(arguments, console.words)
    except UsageError as error:
        return console.fail(str(error), USAGE)
    except SystemExit as help_was_printed:
        return int(help_was_printed.code or OK)
    if options.version:
        from app.session.about import haima_version

        console.print(f"haima {haima_version()}\n")
        return OK
    from app.cli.place import find_place
    from app.errors import HaimaError

    try:
        place = find_place(options, environ)
        console.log_file = place.paths.log_file
        return _dispatch(console, place, options)
    except HaimaError as error:
        return console.fail(error.sentence(console.words), exit_code(error))
    except OutputClosed:
        raise
    except Exception as error:
        return console.fault(error)


def _dispatch(console: Console, place: "Place", options: Namespace) -> int:
    """Only the module of the command that is asked for is imported."""
    match options.command:
        case "run":
            from app.cli.turns import run

            return run(console, place, options)
        case "memory":
            from app.cli.memory import memory

            return memory(console, place, options)
        case "sessions":
            from app.cli.sessions import sessions

            return sessions(console, place, options)
        case "thresholds":
            from app.cli.figures import thresholds

            return thresholds(console, place, options)
        case "usage":
            from app.cli.figures import usage

            return usage(console, place, options)
        case "replay":
            from app.cli.replay import replay

            return replay(console, place, options)
        case "doctor":
            from app.cli.checks import doctor

            return doctor(console, place, options)
        case _:
            from app.cli.turns import screen

            return screen(console, place, options)
