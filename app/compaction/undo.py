"""What a tier changed, so that it can be taken back byte for byte (DESIGN 4, "Taking back")."""

from dataclasses import dataclass

from app.conversation.history import History, RecoverySlot
from app.conversation.messages import Message
from app.conversation.standing import MessageState


@dataclass(frozen=True, slots=True)
class Before:
    """A message as it was before it was changed.

    Attributes:
        message: with its old body.
        state: how it stood.
    """

    message: Message
    state: MessageState


class Undo:
    """The changes made before one call; they can be taken back until something follows them."""

    def __init__(self, history: History) -> None:
        """Nothing was changed yet in this history."""
        self._history = history
        self._length = len(history)
        self.recovery: RecoverySlot | None = history.recovery
        self._before: dict[str, Before] = {}

    def note(self, message: Message, state: MessageState) -> None:
        """A message is about to be changed; of several changes the first counts."""
        self._before.setdefault(message.id, Before(message, state))

    @property
    def changes(self) -> tuple[Before, ...]:
        """The messages as they were, in the order of the history."""
        place = self._history.index
        return tuple(sorted(self._before.values(), key=lambda one: place(one.message.id)))

    def valid(self, history: History) -> bool:
        """Whether nothing that is sent was appended since; partial answers that don't count may."""
        return (
            history is self._history
            and bool(self._before)
            and all(history[place].discarded for place in range(self._length, len(history)))
        )
