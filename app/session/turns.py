"""The turns of a session: messages go in, the agent works, one turn after the other.

**Messages while the agent works** wait in a queue that is visible (`queued`). When the turn ends
normally they are sent together, in order, as user messages of the next turn. After a stop or an
error they stay in the queue: nothing is sent that the user may have meant for another situation.
`go_on` (Enter on an empty prompt) or the next message sends them, `take_back` gives back the
newest.
A file mention (`@path`) in a message is text like any other: the agent reads the file itself. Only
pictures are attached, and long pastes spelt out (`incoming`), when the message joins the history.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from app.agent.react import TurnOutcome
from app.errors import HaimaError
from app.events import Cancelled, Event, Failed, TurnFinished, TurnResumed
from app.session.chain import Chain
from app.session.context import SessionContext
from app.session.parts import Parts
from app.session.queue import MessageQueue, QueuedMessage, SessionBusy

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Turns:
    """Drives the open chain's agent.

    Attributes:
        outcome: how the last turn ended.
        switching: held while another chain takes the place of the open one; what is sent meanwhile
            goes into the new one.
    """

    def __init__(
        self,
        chain: Callable[[], Chain],
        parts: Callable[[], Parts],
        context: SessionContext,
        tell: Callable[[Event], None],
    ) -> None:
        """Does nothing yet.

        Args:
            chain: the one that is open.
            parts: what the session is made of now.
            context: hears of the end of each turn.
            tell: gets the events.
        """
        self._chain = chain
        self._parts = parts
        self._context = context
        self._tell = tell
        self._queue = MessageQueue(tell)
        self._task: asyncio.Task[None] | None = None
        self._begun = False
        self._stopping = False
        self.outcome = TurnOutcome(ok=True, steps=0)
        self.switching = asyncio.Lock()

    @property
    def busy(self) -> bool:
        """Whether the agent works."""
        return self._task is not None and not self._task.done()

    @property
    def queued(self) -> tuple[QueuedMessage, ...]:
        """The messages that wait, oldest first."""
        return self._queue.waiting

    @property
    def unwritten(self) -> tuple[QueuedMessage, ...]:
        """These, and the one that is on its way into the history."""
        return self._queue.all

    @property
    def can_go_on(self) -> bool:
        """Whether `go_on` would do something."""
        return not self.busy and bool(self._queue.all or self._unfinished)

    def send(self, text: str) -> None:
        """Starts a turn with the user's message, or queues it while the agent works.

        Blank text does nothing. A message that can't be written down stays queued, and the error
        is told.
        """
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if not text.strip():
            return
        message = QueuedMessage(self._parts().new_id(), text)
        if self.busy:
            self._queue.put(message)
        else:
            self._queue.send(message)
            self._start()

    def go_on(self) -> bool:
        """Sends what waits; else lets the agent go on where it was stopped or failed.

        Returns:
            Whether it began to.
        """
        if not self.can_go_on:
            return False
        if self._queue.all:
            self._start()
        elif self._answered:
            self.send(self._parts().words("session.go_on"))
        else:
            self._tell(TurnResumed())
            self._start()
        return True

    def take_back(self) -> str | None:
        """Takes the newest waiting message out of the queue, for the prompt."""
        message = self._queue.take_back()
        return None if message is None else message.text

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
        self.outcome = TurnOutcome(ok=False, steps=0)
        self.send(text)
        try:
            await self.wait_idle()
        except asyncio.CancelledError:
            self.stop()
            await self.wait_idle()
            raise
        return self.outcome

    async def beside(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """Does something to the open chain while the agent rests; `stop` ends it.

        What is sent meanwhile waits, and goes out when it is over, unless it was stopped. Where
        another chain is just being opened, it is done to that one.

        Args:
            work: takes the open chain when it is called.

        Returns:
            What it gave; None: it was stopped.

        Raises:
            SessionBusy: the agent works.
            Exception: of the work.
        """
        if self.busy:
            raise SessionBusy("session.busy")
        self._begun, self._stopping = True, False
        over: asyncio.Future[T | None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._beside(work, over))
        self._task.add_done_callback(lambda _: _settled(over))
        try:
            return await asyncio.shield(over)
        except asyncio.CancelledError:
            self.stop()
            await self.wait_idle()
            _ = over.done() and over.exception()  # nobody else will ask for it
            raise

    async def _beside(
        self, work: Callable[[], Awaitable[T]], over: "asyncio.Future[T | None]"
    ) -> None:
        try:
            async with self.switching:
                pass
            await self._chain().ready()
            result = await work()
        except asyncio.CancelledError:
            _forget_cancel()
            over.set_result(None)
            return
        except Exception as error:
            over.set_exception(error)
        else:
            over.set_result(result)
        self._begun = False
        if self._queue.all and not self._stopping:
            await self._work(self._queue.all)

    def begin_anew(self, *, answered: bool) -> None:
        """Another chain is open.

        Args:
            answered: whether its last turn came to its end.
        """
        self.outcome = TurnOutcome(ok=answered, steps=0)

    @property
    def _answered(self) -> bool:
        """Whether the history ends with an answer, perhaps one that was stopped."""
        sent = [message for message in self._chain().history if not message.discarded]
        return bool(sent) and sent[-1].role == "assistant"

    @property
    def _unfinished(self) -> bool:
        """Whether the last turn ended before its answer did."""
        return not self.outcome.ok and len(self._chain().history) > 1

    def _start(self) -> None:
        self._begun = self._stopping = False
        self._task = asyncio.create_task(self._work(self._queue.all))

    async def _work(self, messages: tuple[QueuedMessage, ...]) -> None:
        """Turns, as long as each ends well and messages wait.

        Args:
            messages: those that join the history first.
        """
        async with self.switching:
            pass
        while await self._queue.admit(messages, self._chain().admit, self._not_written):
            self._chain().tell_admitted()
            self._begun = True
            self.outcome = await self._turn()
            self._begun = False
            messages = self._queue.all
            if not self.outcome.ok or self._stopping or not messages:
                return

    def _not_written(self, error: Exception) -> None:
        """A message, or what has to come before one, can't be written down."""
        if isinstance(error, HaimaError):
            code, text = error.code, error.sentence(self._parts().words)
        else:
            _log.error("the message broke", exc_info=error)
            problem, log = f"{type(error).__name__}: {error}", str(self._parts().paths.log_file)
            code, text = "fault", self._parts().words("agent.fault", problem=problem, log=log)
        self._tell(Failed(code=code, text=text))
        self.outcome = TurnOutcome(ok=False, steps=0, code=code)

    async def _turn(self) -> TurnOutcome:
        """One turn, from history to history; never raises."""
        agent, clock = self._chain().agent, self._parts().clock
        began = clock.monotonic()
        try:
            if self._stopping:
                raise asyncio.CancelledError
            await self._chain().ready()
            outcome = await agent.run_turn()
        except Exception as error:  # of `ready`: the agent tells its own
            self._not_written(error)
            outcome = self.outcome
        except asyncio.CancelledError:
            _forget_cancel()
            outcome = TurnOutcome(ok=False, steps=agent.steps, cancelled=True)
            self._tell(Cancelled())
        try:
            await self._chain().settle()
        except asyncio.CancelledError:  # a stop just after the end: all rows are written already
            _forget_cancel()
        except HaimaError as error:
            self._tell(Failed(code=error.code, text=error.sentence(self._parts().words)))
            outcome = TurnOutcome(ok=False, steps=agent.steps, code=error.code)
        self._context.turn_ended()
        seconds = clock.monotonic() - began
        self._tell(TurnFinished(ok=outcome.ok, steps=outcome.steps, seconds=round(seconds, 3)))
        return outcome


def _settled(over: "asyncio.Future[T | None]") -> None:
    """Of work that was stopped before its first step nothing ran, nor told that it is over."""
    if not over.done():
        over.set_result(None)


def _forget_cancel() -> None:
    """The task was told to stop and did; it isn't being cancelled any more."""
    if (task := asyncio.current_task()) is not None:
        task.uncancel()
