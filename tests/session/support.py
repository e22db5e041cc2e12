"""A session on real files with a scripted model, for tests of the loop and of the session."""

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from app.agent.approvals import Allowance
from app.agent.react import BeforeCall, no_hook
from app.config import Settings
from app.conversation.history import History
from app.conversation.wire import to_wire
from app.events import (
    ApprovalAnswer,
    ApprovalQuestion,
    ConflictAnswer,
    ConflictQuestion,
    ContextMeasured,
    Event,
    Text,
)
from app.paths import Paths
from app.ports import (
    ChatModel,
    ModelChunk,
    ModelRequest,
    ReasoningDelta,
    Reply,
    RequestedCall,
    TextDelta,
    Usage,
)
from app.project import Project
from app.session.build import build_session
from app.session.session import Session
from app.text import Language, Words

Piece = ModelChunk | Exception | asyncio.Event
"""What a scripted model does next: says something, fails, or waits for the test."""


class ScriptedModel:
    """A chat model that plays one list of pieces a request, and keeps the requests."""

    name = "scripted"
    base_url = ""

    def __init__(self, *answers: Iterable[Piece]) -> None:
        self.answers = [list(answer) for answer in answers]
        self.requests: list[ModelRequest] = []
        self.reached = asyncio.Event()
        self.closed = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Plays the next list."""
        self.requests.append(request)
        try:
            for piece in self.answers.pop(0):
                if isinstance(piece, Exception):
                    raise piece
                if isinstance(piece, asyncio.Event):
                    self.reached.set()
                    await piece.wait()
                else:
                    yield piece
        finally:
            self.closed += 1


def says(text: str, *calls: RequestedCall, usage: Usage | None = None) -> list[Piece]:
    """A whole answer: its text in two pieces, then the reply."""
    half = len(text) // 2
    deltas: list[Piece] = [TextDelta(piece) for piece in (text[:half], text[half:]) if piece]
    return [*deltas, Reply(text, calls, usage=usage)]


def call(tool: str, **arguments: object) -> RequestedCall:
    """A call as a model asks for it."""
    return RequestedCall(tool, json.dumps(arguments))


Verdict = Literal["replace", "keep_both", "keep_existing", "wait"]
"""What `Answers` says to a conflict."""


class TestClock:
    """Time that stands still until it is moved; sleeping takes no time."""

    __test__ = False

    def __init__(self, year: int = 2026) -> None:
        self.seconds = 0.0
        self._year = year

    def now(self) -> datetime:
        """A fixed day."""
        return datetime(self._year, 11, 29, 12, 0, tzinfo=UTC)

    def monotonic(self) -> float:
        """As it was set."""
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        """Moves on at once."""
        self.seconds += seconds
        await asyncio.sleep(0)


class Answers:
    """Decisions that give the same answer to everything, or wait for ever.

    Conflicts of memories get `verdicts` in turn; without one more they are left undecided.
    """

    def __init__(
        self, answer: ApprovalAnswer | None, verdicts: Sequence[Verdict | None] = ()
    ) -> None:
        self.answer = answer
        self.verdicts = list(verdicts)
        self.asked: list[ApprovalQuestion] = []
        self.conflicts: list[ConflictQuestion] = []
        self.reached = asyncio.Event()
        self.open = 0

    async def approve(self, question: ApprovalQuestion) -> ApprovalAnswer:
        """The answer; None waits."""
        self.asked.append(question)
        self.reached.set()
        self.open += 1
        try:
            if self.answer is None:
                await asyncio.Event().wait()
            assert self.answer is not None
            return self.answer
        finally:
            self.open -= 1

    async def resolve_conflict(self, question: ConflictQuestion) -> ConflictAnswer | None:
        """The next verdict; `wait` waits until it is cancelled."""
        self.conflicts.append(question)
        self.reached.set()
        verdict = self.verdicts.pop(0) if self.verdicts else None
        self.open += 1
        try:
            if verdict == "wait":
                await asyncio.Event().wait()
                raise AssertionError("nobody ends this")
            return None if verdict is None else ConflictAnswer(verdict=verdict)
        finally:
            self.open -= 1


ONCE = ApprovalAnswer(verdict="once")
ALWAYS = ApprovalAnswer(verdict="always")
REFUSE = ApprovalAnswer(verdict="refuse", reason="use another file")


class Recorded:
    """A session, its events (how full the window is apart), and what lies on the disk."""

    def __init__(self, session: Session, home: Path, root: Path) -> None:
        self.session = session
        self.home = home
        self.root = root
        self.events: list[Event] = []
        self.contexts: list[ContextMeasured] = []
        session.publish.listeners.append(self._keep)

    def _keep(self, event: Event) -> None:
        if isinstance(event, ContextMeasured):
            self.contexts.append(event)
        else:
            self.events.append(event)

    def of(self, *kinds: str) -> list[Event]:
        """The events of these types, in order."""
        return [event for event in self.events if event.type in kinds]

    @property
    def said(self) -> str:
        """All text that was streamed."""
        return "".join(event.text for event in self.events if isinstance(event, Text))

    @property
    def types(self) -> list[str]:
        """The types of all events, deltas of one kind in a row as one."""
        return [kind for kind, _ in itertools.groupby(event.type for event in self.events)]

    @property
    def ledger(self) -> list[dict[str, object]]:
        """The rows of the session's ledger."""
        return self.rows(self.session.chain)

    def rows(self, chain: str) -> list[dict[str, object]]:
        """The rows of a chain's ledger."""
        path = Paths(self.home).ledger(chain)
        return [json.loads(line) for line in path.read_text().splitlines()]


def make_session(
    tmp_path: Path,
    model: ChatModel,
    *,
    answer: ApprovalAnswer | None = ONCE,
    decisions: Answers | None = None,
    allowance: Allowance | None = None,
    settings: Settings | None = None,
    language: Language = "en",
    before_call: BeforeCall = no_hook,
    new_id: Callable[[], str] | None = None,
    folder: str = "project",
    year: int = 2026,
    clock: TestClock | None = None,
) -> Recorded:
    """A session in a folder of `tmp_path`, its home beside it; ids count up."""
    root, home = tmp_path / folder, tmp_path / "haima"
    root.mkdir(exist_ok=True)
    numbers = itertools.count(1)
    session = build_session(
        settings=settings or Settings(),
        project=Project(root),
        paths=Paths(home),
        words=Words(language),
        decisions=decisions or Answers(answer),
        model=model,
        environ={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        allowance=allowance,
        clock=clock or TestClock(year),
        new_id=new_id or (lambda: f"{next(numbers):012x}"),
        before_call=before_call,
    )
    return Recorded(session, home, root)


async def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Waits for what no event tells: a file of a command, a card on its way."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - nothing to wait for but the thing itself
            await asyncio.sleep(0.005)


def alive(pid: int) -> bool:
    """Whether a process runs (one that is over but not yet collected doesn't)."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def sendable(history: History) -> Sequence[dict[str, object]]:
    """The history as it would be sent, with its rules checked."""
    History.check(history.messages)
    assert not history.open_calls
    return to_wire(history.messages, history.recovery)


def reasoning(text: str) -> Piece:
    """A piece of reasoning."""
    return ReasoningDelta(text)
