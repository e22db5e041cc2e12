"""`haima run`: turns without a screen, for scripts and pipes.

With `--json` each event is one line on stdout and nothing else is. Without, the answer goes to
stdout and everything else to stderr. Nothing is ever asked: what `--allow` doesn't cover is refused
and reported; what contradicts a memory waits in the inbox. SIGINT, SIGTERM, SIGHUP and a closed
stdout stop the turn; its history is valid.
"""

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass
from typing import TextIO

from app.agent.approvals import Allowance
from app.boundary import decode, visible
from app.errors import HaimaError
from app.events import (
    ApprovalAnswer,
    ApprovalQuestion,
    ConflictAnswer,
    ConflictQuestion,
    Event,
    FactConflict,
)
from app.session.build import build_session
from app.session.clock import SystemClock
from app.session.commands import CommandLine, Prompt, UnknownCommand, compact_focus, parse
from app.session.elsewhere import SessionOpenElsewhere
from app.session.endpoint import close_model, endpoint_for
from app.session.launch import SLOW, Launch
from app.session.plain import PlainPrinter
from app.session.session import Session
from app.session.todo_command import parse_todo
from app.session.todo_run import run_todo

DONE, FAILED, USAGE, CONFLICT, CANCELLED = 0, 1, 2, 3, 130
"""Exit codes (DESIGN 5); several turns: the first of 130, 1, 3, 0 that occurred."""

_PIECE = 65_536

_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What JSON allows but a reader of lines, or an encoder, may trip over."""


class RunError(HaimaError):
    """`haima run` was asked for something it can't do."""

    code = "usage"


class NothingToContinue(HaimaError):  # noqa: N818
    """`--continue`, where this project has no session yet."""

    code = "not_found"


class OpenElsewhere(HaimaError):  # noqa: N818
    """The session that is to go on is open in another process."""

    code = "open_elsewhere"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What `haima run` was asked for.

    Attributes:
        prompt: the prompt; "-" is standard input as a whole; None with `lines`.
        lines: standard input is a prompt a line.
        allowance: what may be done without asking.
        json: events on stdout.
    """

    prompt: str | None = None
    lines: bool = False
    allowance: Allowance = "read"
    json: bool = False


class NobodyDecides:
    """The decisions of a run: there are none, the allowance has answered already."""

    async def approve(self, question: ApprovalQuestion) -> ApprovalAnswer:  # noqa: ARG002
        """Refuses."""
        return ApprovalAnswer(verdict="refuse")

    async def resolve_conflict(self, question: ConflictQuestion) -> ConflictAnswer | None:  # noqa: ARG002
        """Leaves it undecided: it waits in the inbox."""
        return None


def run_headless(launch: Launch, options: RunOptions) -> int:
    """Runs the turns; the exit code.

    Raises:
        HaimaError: it can't begin: no prompt, no endpoint, no folder to write to.
    """
    prompt = None
    if not options.lines:
        prompt = _all_of_stdin() if options.prompt == "-" else options.prompt
        if prompt is None or not prompt.strip():
            raise RunError("headless.no_prompt")
        if not isinstance(parse(prompt), Prompt) and compact_focus(prompt) is None:
            raise RunError("headless.command", word=prompt.split(maxsplit=1)[0])
    return asyncio.run(_run(launch, options, prompt))


def _all_of_stdin() -> str:
    return decode(sys.stdin.buffer.read()) if sys.stdin else ""


async def _run(launch: Launch, options: RunOptions, prompt: str | None) -> int:
    clock = SystemClock()
    model, project = endpoint_for(launch, clock=clock, pace=0)
    session = build_session(
        settings=launch.settings,
        project=project,
        paths=launch.paths,
        words=launch.words,
        decisions=NobodyDecides(),
        model=model,
        environ=launch.environ,
        allowance=options.allowance,
        clock=clock,
        notices=launch.notices,
    )
    output = _Output(launch.settings.mask)
    run = _Run(session, output)
    output.stop = run.stop

    def print_line(event: Event) -> None:
        output.print(event_line(event))

    printer = (
        print_line if options.json else PlainPrinter(session, say=output.say, show=output.print)
    )
    session.publish.listeners += [printer, run.hear]
    with _signals(run.stop):
        try:
            await open_where_asked(session, launch, output.say)
            return await (run.lines() if prompt is None else run.one(prompt))
        finally:
            await session.close()
            await close_model(model)


async def open_where_asked(
    session: Session, launch: Launch, say: Callable[[str], None] = lambda _: None
) -> None:
    """Opens the session where the command line wants it to begin.

    Args:
        session: not open yet.
        launch: where it begins.
        say: told when earlier sessions must be read first, and that takes its time.

    Raises:
        NodeNotFound, AmbiguousNode: no session, or more than one, has an id that begins so.
        NoMessage, OtherProject: as `restore.resolve`.
        NothingToContinue: this project has no session yet.
        OpenElsewhere: it is open in another process.
        HaimaError: it can't be opened.
    """
    try:
        slow = asyncio.get_running_loop().call_later(SLOW, say, launch.words("headless.taking_in"))
        try:
            start = await session.find(launch.start)
        finally:
            slow.cancel()
        if start is None:
            root = session.parts.project.root
            raise NothingToContinue("headless.nothing_to_continue", project=root)
        await session.open(start)
    except SessionOpenElsewhere as error:
        raise OpenElsewhere("headless.open_elsewhere", node=error.node) from error


class _Output:
    """Stdout for what was asked for, stderr for words; Haima's credentials on neither."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        self._mask = mask
        self.stop: Callable[[], None] = lambda: None

    def print(self, text: str) -> None:
        """One line on stdout, at once; a reader that went away stops the run."""
        if not self._write(sys.stdout, text):
            # What comes now, and the interpreter's own flush at the end, goes nowhere.
            with contextlib.suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, sys.stdout.fileno())
                os.close(nowhere)
            self.stop()

    def say(self, text: str) -> None:
        """Words for people on stderr."""
        self._write(sys.stderr, visible(text))

    def _write(self, stream: TextIO | None, text: str) -> bool:
        """Writes a line and flushes it; False: nobody reads. None is a stream that was closed."""
        if stream is None:
            return True
        try:
            stream.buffer.write(self._mask(text).encode("utf-8", "backslashreplace") + b"\n")
            stream.buffer.flush()
        except OSError:
            return False
        return True


class _Run:
    """The turns of one process."""

    def __init__(self, session: Session, output: _Output) -> None:
        self._session = session
        self._words = session.words
        self._say = output.say
        self._stopped = asyncio.Event()
        self._conflicts = 0

    def hear(self, event: Event) -> None:
        """Counts what waits for the user: the run ends in a code of its own."""
        self._conflicts += isinstance(event, FactConflict)

    def stop(self) -> None:
        """Stops the turn and whatever would come after it."""
        self._stopped.set()
        if not self._session.stop():  # a turn may be about to begin
            asyncio.get_running_loop().call_soon(self._session.stop)

    async def one(self, prompt: str) -> int:
        """One turn, or a summary; its exit code."""
        if self._stopped.is_set():
            return CANCELLED
        if (focus := compact_focus(prompt)) is not None:
            code = await self._compact(focus)
            return CANCELLED if self._stopped.is_set() else code
        before = self._conflicts
        outcome = await self._session.run(prompt)
        if outcome.cancelled or not outcome.ok:
            return CANCELLED if outcome.cancelled else FAILED
        return CONFLICT if self._conflicts > before else DONE

    async def lines(self) -> int:
        """A turn a line; the first of 130, 1, 3, 0. A stop ends it, an error doesn't."""
        codes = {DONE}
        async with contextlib.aclosing(_stdin_lines(self._stopped)) as lines:
            async for line in lines:
                match parse(line):
                    case Prompt(text=text):
                        if text.strip():
                            codes.add(await self.one(text))
                    case CommandLine(command=command) if command.name == "quit":
                        break
                    case CommandLine(command=command):
                        codes.add(await self._command(command.name, line))
                    case UnknownCommand() as unknown:
                        self._say(unknown.sentence(self._words))
                        codes.add(FAILED)
                if self._stopped.is_set():
                    break
        if self._stopped.is_set():
            codes.add(CANCELLED)
        return next(code for code in (CANCELLED, FAILED, CONFLICT, DONE) if code in codes)

    async def _compact(self, focus: str) -> int:
        """A summary by hand; why there is none is told by its event."""
        try:
            return DONE if await self._session.compact(focus) else FAILED
        except HaimaError as error:
            self._say(error.sentence(self._words))
            return FAILED

    async def _command(self, name: str, line: str) -> int:
        """A command between two turns."""
        try:
            if name == "compact":
                return await self._compact(compact_focus(line) or "")
            if name == "clear":
                await self._session.clear()
                self._say(self._words("headless.cleared"))
            elif name == "todo":
                typed = parse(line)
                given = parse_todo(typed.argument if isinstance(typed, CommandLine) else "")
                self._say(await run_todo(self._session, given, self._words))
            elif name == "export":
                self._say(self._words("headless.exported", path=await self._session.export()))
            else:
                self._say(self._words("headless.command", word=line.split(maxsplit=1)[0]))
                return FAILED
        except HaimaError as error:
            self._say(error.sentence(self._words))
            return FAILED
        return DONE


def event_line(event: Event) -> str:
    """An event as one line of JSON, without the fields that are for the screen only."""
    line = json.dumps(event.model_dump(mode="json"), ensure_ascii=False)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", line)


@contextlib.contextmanager
def _signals(stop: Callable[[], None]) -> Iterator[None]:
    """The first signal stops the turn cleanly; a second one ends the process as usual."""
    loop = asyncio.get_running_loop()
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    found = [getattr(signal, name) for name in names if hasattr(signal, name)]
    kinds = [kind for kind in found if signal.getsignal(kind) != signal.SIG_IGN]  # nohup

    def restore() -> None:
        for kind in kinds:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(kind)

    def handle() -> None:
        restore()
        stop()

    for kind in kinds:
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(kind, handle)
    try:
        yield
    finally:
        restore()


async def _stdin_lines(stopped: asyncio.Event) -> AsyncGenerator[str, None]:
    """The lines of standard input as they come, until a stop.

    A thread of its own reads them: a read can't be cut short, and nobody waits for this thread at
    the end. It reads descriptor 0 itself: the lock of `sys.stdin` would not survive that.
    """
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone
            while True:
                try:
                    piece = os.read(0, _PIECE)
                except OSError:  # it is closed
                    piece = b""
                loop.call_soon_threadsafe(pieces.put_nowait, piece)
                if not piece:
                    return

    threading.Thread(target=read, name="stdin", daemon=True).start()
    stop = asyncio.create_task(stopped.wait())
    rest = b""
    try:
        while not stopped.is_set():
            *lines, rest = rest.split(b"\n")
            for line in lines:
                yield decode(line)
            piece = asyncio.create_task(pieces.get())
            await asyncio.wait({piece, stop}, return_when=asyncio.FIRST_COMPLETED)
            if not piece.done():
                piece.cancel()
                return
            if not piece.result():
                if rest:
                    yield decode(rest)
                return
            rest += piece.result()
    finally:
        stop.cancel()
