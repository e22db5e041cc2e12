"""`haima` and `haima run`: the screen, and turns without it."""

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from app.cli.codes import USAGE
from app.cli.place import Place, prepare

if TYPE_CHECKING:
    from app.cli.console import Console
    from app.session.launch import Launch, StartRequest


def run(console: "Console", place: Place, options: Namespace) -> int:
    """`haima run`."""
    from app.headless import RunOptions, run_headless

    asked = RunOptions(
        prompt=options.prompt, lines=options.lines, allowance=options.allow, json=options.json
    )
    launch = prepare(console, place, demo=options.demo, start=_start(options))
    return run_headless(launch, asked)


def screen(console: "Console", place: Place, options: Namespace) -> int:
    """`haima`: the workbench, which needs a terminal."""
    if not all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        return console.fail(console.words("cli.no_terminal"), USAGE)
    from app.workbench import run_workbench

    def launch() -> "Launch":  # the settings are read once something stands on the screen
        return prepare(console, place, demo=options.demo, start=_start(options))

    return run_workbench(launch, words=console.words, theme=options.theme or "auto")


def _start(options: Namespace) -> "StartRequest":
    """Where the conversation begins; the parser has seen that at most one is asked for."""
    from app.session.launch import StartRequest

    if options.resume:
        return StartRequest("resume", options.resume)
    if options.continue_:
        return StartRequest("continue")
    if options.fork:
        node, _, message = options.fork.partition(":")
        return StartRequest("fork", node, message)
    return StartRequest()
