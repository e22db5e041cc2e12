"""A session: one conversation in one project, with everything a screen or a run may do to it.

**Messages while the agent works** wait in a queue that is visible (`queued`). When the turn ends
normally they are sent together, in order, as user messages of the next turn. After a stop or an
error they stay in the queue: nothing is sent that the user may have meant for another situation.
`go_on` (Enter on an empty prompt) or the next message sends them, `take_back` gives back the
newest.
A file mention (`@path`) in a message is text like any other: the agent reads the file itself.
"""

import asyncio
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from app.agent.react import TurnOutcome
from app.archive.rows import read_rows
from app.config import Settings
from app.conversation.history import History
from app.errors import HaimaError
from app.events import (
    Cancelled,
    Event,
    Failed,
    HistoryCleared,
    Notice,
    Queued,
    SessionStarted,
    TurnFinished,
    TurnResumed,
    TurnStarted,
    Unqueued,
)
from app.ports import ChatModel, Listeners
from app.project import GitState, git_state
from app.session.chain import Chain, Parts
from app.session.context import SessionContext
from app.session.export import export_markdown
from app.session.queue import QueuedMessage, SessionBusy
from app.session.usage import UsageSums, sum_usage
from app.text import Words


class Session:
    """What screens and `haima run` talk to.

    Attributes:
        parts: what the session is made of.
        publish: whoever wants events subscribes here.
        model: answers from the next step on (`use_model`).
        git: the repository when it was last looked at.
        context: how full the window is.
    """

    def __init__(self, parts: Parts, model: ChatModel, notices: Iterable[HaimaError] = ()) -> None:
        """Takes the parts together; nothing is opened.

        Args:
            parts: see `build.build_session`.
            model: answers.
            notices: told once the session is open.
        """
        self.parts = parts
        self.publish = Listeners()
        self.model = model
        self.git: GitState | None = None
        self._notices = tuple(notices)
        self._chain: Chain | None = None
        self._queue: deque[QueuedMessage] = deque()
        self._task: asyncio.Task[None] | None = None
        self._begun = False
        self._stopping = False
        self._outcome = TurnOutcome(ok=True, steps=0)
        self.context = SessionContext(
            model,
            parts.settings,
            words=lambda: self.words,
            publish=self._tell,
            history=lambda: self._open.prospect,
            schemas=lambda: self._open.agent.toolbox.schemas,
        )

    @property
    def words(self) -> Words:
        """The language of the session."""
        return self.parts.words

    @property
    def settings(self) -> Settings:
        """The settings it was opened with."""
        return self.parts.settings

    @property
    def chain(self) -> str:
        """The chain's id; "" before `open`."""
        return self._chain.id if self._chain else ""

    @property
    def node(self) -> str:
        """The session's id; "" before `open`."""
        return self._chain.node if self._chain else ""

    @property
    def history(self) -> History:
        """The conversation; to be read only."""
        return self._open.history

    @property
    def busy(self) -> bool:
        """Whether the agent works."""
        return self._task is not None and not self._task.done()

    @property
    def queued(self) -> tuple[QueuedMessage, ...]:
        """The messages that wait, oldest first."""
        return tuple(self._queue)

    @property
    def outcome(self) -> TurnOutcome:
        """How the last turn ended."""
        return self._outcome

    @property
    def can_go_on(self) -> bool:
        """Whether `go_on` would do something."""
        return not self.busy and bool(self._queue or self._unfinished)

    async def open(self) -> None:
        """Opens the ledger, looks at git, and tells what the user should know.

        Raises:
            StorageError: the ledger can't be opened.
        """
        await self.look_at_git()
        self._chain = Chain(self.parts, self.model, self._tell, self.git, self.context)
        self._tell_started()
        for notice in self._notices:
            text = notice.sentence(self.words)
            self._tell(Notice(code=notice.code, text=text, severity="warn"))
        self.context.begin()

    def send(self, text: str) -> None:
        """Starts a turn with the user's message, or queues it while the agent works.

        Blank text does nothing. A message that can't be written down stays queued, and the error
        is told.
        """
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if not text.strip():
            return
        message = QueuedMessage(self.parts.new_id(), text)
        if self.busy:
            self._enqueue(message)
        elif self._admit((*self._queue, message)):
            self._start()

    def go_on(self) -> bool:
        """Sends what waits; else lets the agent go on where it was stopped or failed.

        Returns:
            Whether a turn began.
        """
        if not self.can_go_on:
            return False
        if self._queue:
            if not self._admit(tuple(self._queue)):
                return False
        elif self._answered:
            self.send(self.words("session.go_on"))
            return self.busy
        else:
            self._tell(TurnResumed())
        self._start()
        return True

    def take_back(self) -> str | None:
        """Takes the newest waiting message out of the queue, for the prompt."""
        if not self._queue:
            return None
        message = self._queue.pop()
        self._tell(Unqueued(id=message.id, taken_back=True))
        return message.text

    def stop(self) -> bool:
        """Stops the agent; the history is closed in a moment (`wait_idle`). False when idle."""
        if not self.busy:
            return False
        if not self._stopping:
            self._stopping = True
            if self._begun and self._task is not None:
                self._task.cancel()
        return True

    async def wait_idle(self) -> None:
        """Returns when the agent has nothing more to do."""
        while self.busy and self._task is not None:
            await asyncio.wait({self._task})

    async def run(self, text: str) -> TurnOutcome:
        """Sends a message and waits for the end of its turn; cancelling it stops the turn.

        Raises:
            SessionBusy: the agent works already.
        """
        if self.busy:
            raise SessionBusy("session.busy")
        self._outcome = TurnOutcome(ok=False, steps=0)
        self.send(text)
        try:
            await self.wait_idle()
        except asyncio.CancelledError:
            self.stop()
            await self.wait_idle()
            raise
        return self._outcome

    async def clear(self) -> None:
        """Begins a new chain with an empty history; the old one stays in its ledger.

        What was allowed "always this session" is forgotten; waiting messages stay.

        Raises:
            SessionBusy: the agent works.
            StorageError: it can't be written down, or there can be no new ledger; nothing changed.
        """
        if self.busy:
            raise SessionBusy("session.busy")
        old = self._open
        await self.look_at_git()
        new = Chain(self.parts, self.model, self._tell, self.git, self.context)
        try:
            old.leave(new.node)
        except HaimaError:
            new.close()
            raise
        self._tell(HistoryCleared())
        self._chain = new
        self._outcome = TurnOutcome(ok=True, steps=0)
        self._tell_started()
        self.context.begin()
        try:
            old.close()
        except HaimaError as error:
            self._tell(Notice(code=error.code, text=error.sentence(self.words), severity="warn"))

    def use_model(self, model: ChatModel, settings: Settings | None = None) -> None:
        """Answers come from this model from the next step on; the history stays as it is.

        Args:
            model: the new one.
            settings: where they changed with it (another key).
        """
        if settings is not None:
            self.parts = self.parts.with_settings(settings)
        self.model = model
        if self._chain is not None:
            self._chain.use(model, self.parts)
            self.context.use(model, self.parts.settings)

    async def look_at_git(self) -> GitState | None:
        """The repository's state now, for the header; at most two seconds."""
        self.git = await git_state(self.parts.project.root, self.parts.environ)
        return self.git

    def usage(self) -> UsageSums:
        """What the calls of this chain came to, by its ledger; reads the file.

        Raises:
            StorageError: the ledger can't be read.
        """
        path = self.parts.paths.ledger(self.chain)
        return sum_usage(read_rows(path)) if path.exists() else UsageSums()

    def export(self) -> Path:
        """Writes the conversation into the project, never over a file.

        Raises:
            ExportError: there is nothing yet, or it can't be written.
        """
        return export_markdown(
            self.history,
            self.parts.project.root,
            chain=self.chain,
            today=self.parts.clock.now().astimezone().date(),
            words=self.words,
            mask=self.settings.mask,
        )

    async def close(self) -> None:
        """Stops the agent and gives the ledger back; what waits in the queue is dropped.

        Raises:
            StorageError: the disk failed.
        """
        self.stop()
        await self.wait_idle()
        await self.context.close()
        chain, self._chain = self._chain, None
        if chain is not None:
            chain.close()

    @property
    def _open(self) -> Chain:
        if self._chain is None:
            raise RuntimeError("the session isn't open")
        return self._chain

    @property
    def _answered(self) -> bool:
        """Whether the history ends with an answer, perhaps one that was stopped."""
        sent = [message for message in self.history if not message.discarded]
        return bool(sent) and sent[-1].role == "assistant"

    @property
    def _unfinished(self) -> bool:
        """Whether the last turn ended before its answer did."""
        return not self._outcome.ok and len(self.history) > 1

    def _enqueue(self, message: QueuedMessage) -> None:
        self._queue.append(message)
        self._tell(Queued(id=message.id, text=message.text))

    def _admit(self, messages: tuple[QueuedMessage, ...]) -> bool:
        """Messages join the history, in order; one that can't be written down waits.

        Returns:
            Whether the history has something to answer now.
        """
        waiting = {message.id for message in self._queue}
        self._queue.clear()
        for position, message in enumerate(messages):
            try:
                kept = self._open.admit(message.id, message.text)
            except HaimaError as error:
                self._tell(Failed(code=error.code, text=error.sentence(self.words)))
                self._outcome = TurnOutcome(ok=False, steps=0, code=error.code)
                self._queue.extend(messages[position:])
                for left in self._queue:
                    if left.id not in waiting:
                        self._tell(Queued(id=left.id, text=left.text))
                return False
            if message.id in waiting:
                self._tell(Unqueued(id=message.id, taken_back=False))
            self._tell(TurnStarted(message=kept.id, text=kept.text))
        return True

    def _start(self) -> None:
        self._begun = self._stopping = False
        self._task = asyncio.create_task(self._work())

    async def _work(self) -> None:
        """Turns, as long as each ends well and messages wait."""
        self._begun = True
        while True:
            self._outcome = await self._turn()
            if not self._outcome.ok or self._stopping or not self._queue:
                return
            if not self._admit(tuple(self._queue)):
                return

    async def _turn(self) -> TurnOutcome:
        """One turn, from history to history; never raises."""
        agent, clock = self._open.agent, self.parts.clock
        began = clock.monotonic()
        try:
            if self._stopping:
                raise asyncio.CancelledError
            outcome = await agent.run_turn()
        except asyncio.CancelledError:
            _forget_cancel()
            outcome = TurnOutcome(ok=False, steps=agent.steps, cancelled=True)
            self._tell(Cancelled())
        try:
            await self._open.settle()
        except asyncio.CancelledError:  # a stop just after the end: all rows are written already
            _forget_cancel()
        except HaimaError as error:
            self._tell(Failed(code=error.code, text=error.sentence(self.words)))
            outcome = TurnOutcome(ok=False, steps=agent.steps, code=error.code)
        self.context.turn_ended()
        seconds = clock.monotonic() - began
        self._tell(TurnFinished(ok=outcome.ok, steps=outcome.steps, seconds=round(seconds, 3)))
        return outcome

    def _tell(self, event: Event) -> None:
        """Stamps an event and passes it on."""
        stamp = {"at": self.parts.clock.now(), "session": self.node, "chain": self.chain}
        self.publish(event.model_copy(update=stamp))
        self.context.follow(event)

    def _tell_started(self) -> None:
        self._tell(SessionStarted(model=self.model.name, project=str(self.parts.project.root)))


def _forget_cancel() -> None:
    """The task was told to stop and did; it isn't being cancelled any more."""
    if (task := asyncio.current_task()) is not None:
        task.uncancel()
