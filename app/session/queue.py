"""What waits in a session, and how it gets into the history."""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app.conversation.images import pictures, told
from app.conversation.messages import Message
from app.errors import HaimaError
from app.events import Event, Queued, TurnStarted, Unqueued


class SessionBusy(HaimaError):  # noqa: N818
    """Something that can't be done while the agent works."""

    code = "busy"


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that waits; `id` becomes the message's id in the history."""

    id: str
    text: str


Admit = Callable[[str, str], Awaitable[Message]]
"""Puts a message, its id and text, into the history; as it is kept there."""


class MessageQueue:
    """The messages that wait, oldest first.

    One that is sent while nothing else goes on is on its way at once: it isn't told, nor seen, as
    waiting unless it can't be written down.
    """

    def __init__(self, tell: Callable[[Event], None]) -> None:
        """Takes what is told of each change."""
        self._tell = tell
        self._messages: deque[QueuedMessage] = deque()
        self._sent: set[str] = set()

    @property
    def waiting(self) -> tuple[QueuedMessage, ...]:
        """The messages that are seen as waiting."""
        return tuple(message for message in self._messages if message.id not in self._sent)

    @property
    def all(self) -> tuple[QueuedMessage, ...]:
        """These, and the one that is on its way."""
        return tuple(self._messages)

    def put(self, message: QueuedMessage) -> None:
        """A message waits."""
        self._messages.append(message)
        self._tell(Queued(id=message.id, text=message.text))

    def send(self, message: QueuedMessage) -> None:
        """A message is on its way, behind those that wait."""
        self._messages.append(message)
        self._sent.add(message.id)

    def take_back(self) -> QueuedMessage | None:
        """Takes the newest waiting message out."""
        if not self.waiting:
            return None
        message = self.waiting[-1]
        self._messages.remove(message)
        self._tell(Unqueued(id=message.id, taken_back=True))
        return message

    async def admit(
        self,
        messages: tuple[QueuedMessage, ...],
        admit: Admit,
        failed: Callable[[Exception], None],
    ) -> bool:
        """Messages join the history, in order; from the first that can't be, all wait.

        Args:
            messages: those to be admitted; one taken back meanwhile isn't.
            admit: puts one there.
            failed: hears why it can't be.

        Returns:
            Whether all are there.
        """
        for message in messages:
            if message not in self._messages:
                continue
            place = self._messages.index(message)
            self._messages.remove(message)
            try:
                kept = await admit(message.id, message.text)
            except Exception as error:
                self._messages.insert(place, message)
                failed(error)
                self._hold(messages)
                return False
            if message.id not in self._sent:
                self._tell(Unqueued(id=message.id, taken_back=False))
            self._sent.discard(message.id)
            shown = tuple(map(told, pictures(kept.parts)))
            self._tell(TurnStarted(message=kept.id, text=kept.text, images=shown))
        return True

    def _hold(self, messages: tuple[QueuedMessage, ...]) -> None:
        """What was on its way waits, and that is told."""
        for message in messages:
            if message.id in self._sent:
                self._sent.discard(message.id)
                self._tell(Queued(id=message.id, text=message.text))
