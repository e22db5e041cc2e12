"""What a tier changed, so that it can be taken back byte for byte (DESIGN 4, "Taking back").

Each node of a chain has its own changes: those before a summary are in its parent, and what the
guard cut after it, in its child.
"""

from dataclasses import dataclass

from app.archive.recorder import Recorder
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import Message
from app.conversation.standing import PLAIN, MessageState


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
    """The changes of a history; they can be taken back until something follows them.

    Attributes:
        recovery: the recovery block before them.
        round: in which round the last of them was made (`Changes`).
    """

    def __init__(self, history: History) -> None:
        """Nothing was changed yet in this history."""
        self.round = 0
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
            and (bool(self._before) or history.recovery != self.recovery)
            and all(history[place].discarded for place in range(self._length, len(history)))
        )


class Changes:
    """Changes messages of one chain, so that the newest changes can be taken back first.

    A *round* is all that happens before one call of the model, or at one wish of the user.
    """

    def __init__(self, recorder: Recorder) -> None:
        """Nothing was changed yet."""
        self._recorder = recorder
        self._round = 0
        self._undos: dict[str, Undo] = {}
        self._begun: dict[str, int] = {}

    def begin_round(self) -> None:
        """Another round; what can't be taken back any longer is forgotten."""
        self._round += 1
        if self._recorder.way_back is None:
            node, undo, begun = self._recorder.node, self._undos, self._begun
            self._undos = {node: undo[node]} if node in undo else {}
            self._begun = {node: begun[node]} if node in begun else {}

    def node_begun(self) -> None:
        """The present node was begun in this round."""
        self._begun[self._recorder.node] = self._round

    @property
    def last(self) -> Undo | None:
        """The present node's changes, if they can be taken back."""
        undo = self._undos.get(self._recorder.node)
        return undo if undo is not None and undo.valid(self._recorder.history) else None

    def of_round(self, node: str) -> bool:
        """Whether these changes were made in the round in which a node was begun."""
        return self.last is not None and self.last.round == self._begun.get(node)

    async def change(self, message: Message, state: MessageState) -> None:
        """Puts a message in the place of the one with its id.

        Raises:
            StorageError: it can't be written down; nothing changed.
        """
        recorder, history = self._recorder, self._recorder.history
        before = history[history.index(message.id)]
        standing = recorder.standings.get(message.id, PLAIN)
        undo = self.last or Undo(history)
        await _put(recorder, message, state)
        undo.note(before, standing.state)
        undo.round = self._round
        self._undos[recorder.node] = undo

    async def recover(self, slot: RecoverySlot | None) -> None:
        """Fills the recovery slot; taking the changes back puts the old one there.

        Raises:
            StorageError: it can't be written down; nothing changed.
        """
        recorder, history = self._recorder, self._recorder.history
        undo = self.last or Undo(history)
        await recorder.set_recovery(slot)
        undo.round = self._round
        self._undos[recorder.node] = undo

    async def put_back(self, undo: Undo) -> tuple[Message, ...]:
        """Takes the present node's changes back; gives what is back, in order.

        Raises:
            StorageError: it can't be written down; part of it may be back.
        """
        recorder = self._recorder
        for one in undo.changes:
            await _put(recorder, one.message, one.state)
        if recorder.history.recovery != undo.recovery:
            await recorder.set_recovery(undo.recovery)
        del self._undos[recorder.node]
        return tuple(one.message for one in undo.changes)


def only_in(history: History, other: History) -> tuple[str, ...]:
    """The messages of one history that another hasn't; discarded ones don't count."""
    return tuple(one.id for one in history if not one.discarded and other.get(one.id) is None)


def summary_between(parent: History, child: History) -> str:
    """The id of the summary that one of two histories has and the other hasn't; "" for none."""
    pairs = ((child, parent), (parent, child))
    summaries = ((one.id, other) for some, other in pairs for one in some if one.summary)
    return next((id_ for id_, other in summaries if other.get(id_) is None), "")


async def _put(recorder: Recorder, message: Message, state: MessageState) -> None:
    now = recorder.history[recorder.history.index(message.id)]
    calls = None if message.calls == now.calls else message.calls
    await recorder.replace(message.id, message.parts, calls=calls, state=state)
