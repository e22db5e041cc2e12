"""The one history: three operations and one recovery slot, each keeping what every provider asks.

What always holds (DESIGN 1, 4; FACTS 6 "Pairing and structure"; PROVIDERS 1.7):

- Every result answers a call of the assistant message before it; every call is answered exactly
  once, in call order, before anything else follows. Only the last step may still be open.
- Ids of messages and ids of calls are unique.
- At most one system message, and it is the first of all.
- No assistant message without text and calls, no user or system message without content; only user
  messages hold more than text, and results pictures.
- A discarded message (of the assistant, with text, without calls) is kept for the screen and the
  archive alone: it is never sent, so it may stand anywhere and takes no part in the above.
- The recovery slot names a user or tool message that is in the history and not discarded.

Two user messages may follow each other (a failed request, messages queued together); `to_wire`
sends them as one. An operation that would break a rule raises `InvalidHistory` and changes nothing.
"""

import dataclasses
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import overload

from app.conversation.messages import (
    IdFactory,
    ImagePart,
    Message,
    Part,
    Role,
    TextPart,
    ToolCall,
)
from app.errors import HaimaError


class InvalidHistory(HaimaError):  # noqa: N818 (says what was given, not what failed)
    """An operation would break a rule of the history; its sentence names which. Nothing changed."""

    code = "history"


@dataclass(frozen=True, slots=True)
class RecoverySlot:
    """What is known after the prefix was rewritten, told once, at one message.

    Attributes:
        message_id: the user or tool message at which it is told.
        text: what `to_wire` puts into the `<recovery>` block.
        first: it stands before that message's own content, not after it (a summary's message).
    """

    message_id: str
    text: str
    first: bool = False


class History:
    """The messages that are sent to the model, the only copy of the conversation.

    `append` takes the same time however long the history is, as do the look-ups by id; `splice`
    goes through all of it. The `check_…` twins are for whoever must write an operation down before
    it happens: they raise what it would raise.
    """

    def __init__(
        self, messages: Iterable[Message] = (), recovery: RecoverySlot | None = None
    ) -> None:
        """Takes over messages, for instance from the archive.

        Raises:
            InvalidHistory: they break a rule.
        """
        self._messages = list(messages)
        self._state = _State.after(self._messages)
        self._recovery: RecoverySlot | None = None
        self._edits = 0
        self.set_recovery(recovery)

    @property
    def edits(self) -> int:
        """How many times messages were replaced or spliced: unchanged, it was only appended to."""
        return self._edits

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, discarded ones included."""
        return tuple(self._messages)

    @property
    def recovery(self) -> RecoverySlot | None:
        """The recovery slot."""
        return self._recovery

    @property
    def open_calls(self) -> tuple[ToolCall, ...]:
        """The last step's calls without a result; the next result must answer the first of them."""
        return tuple(self._state.open)

    def get(self, message_id: str) -> Message | None:
        """The message with this id."""
        position = self._state.positions.get(message_id)
        return None if position is None else self._messages[position]

    def index(self, message_id: str) -> int:
        """Where the message with this id stands.

        Raises:
            InvalidHistory: there is none.
        """
        if message_id not in self._state.positions:
            raise InvalidHistory("history.unknown_message", id=message_id)
        return self._state.positions[message_id]

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Message, ...]: ...
    def __getitem__(self, index: int | slice) -> Message | tuple[Message, ...]:
        return tuple(self._messages[index]) if isinstance(index, slice) else self._messages[index]

    @staticmethod
    def check(messages: Iterable[Message]) -> None:
        """Checks a whole list of messages.

        Raises:
            InvalidHistory: it can't be a history.
        """
        _State.after(messages)

    def check_append(self, message: Message) -> None:
        """Raises what `append` would raise."""
        self._state.check(message)

    def check_replace(
        self, message_id: str, parts: tuple[Part, ...], calls: tuple[ToolCall, ...] | None = None
    ) -> Message:
        """Raises what `replace` would raise; else gives the message as it would be."""
        old = self._messages[self.index(message_id)]
        new = dataclasses.replace(old, parts=parts, calls=old.calls if calls is None else calls)
        _check_shape(new)
        if [(one.id, one.name) for one in old.calls] != [(one.id, one.name) for one in new.calls]:
            raise InvalidHistory("history.other_calls", id=message_id)
        return new

    def check_splice(self, start: int, end: int, messages: Iterable[Message]) -> None:
        """Raises what `splice` would raise."""
        self._spliced(start, end, tuple(messages))

    def check_recovery(self, slot: RecoverySlot | None) -> None:
        """Raises what `set_recovery` would raise."""
        if slot is None:
            return
        target = self._messages[self.index(slot.message_id)]
        if target.role not in ("user", "tool"):
            raise InvalidHistory("history.recovery_target", id=target.id)
        if slot.first and target.role != "user":
            raise InvalidHistory("history.recovery_first", id=target.id)
        if not slot.text.strip():
            raise InvalidHistory("history.recovery_empty", id=target.id)

    def append(self, message: Message) -> None:
        """Adds a message at the end.

        Raises:
            InvalidHistory: it doesn't fit there.
        """
        self._state.check(message)
        self._state.add(message)
        self._messages.append(message)

    def replace(
        self, message_id: str, parts: tuple[Part, ...], calls: tuple[ToolCall, ...] | None = None
    ) -> Message:
        """Replaces the body of a message; id, role and the rest stay.

        Args:
            message_id: which.
            parts: its body.
            calls: the same calls with other arguments; None: as they are.

        Returns:
            The message as it was.

        Raises:
            InvalidHistory: there is no such message, it would be empty, or have other calls.
        """
        new = self.check_replace(message_id, parts, calls)
        position = self.index(message_id)
        old = self._messages[position]
        self._messages[position] = new
        self._edits += 1
        return old

    def splice(self, start: int, end: int, messages: Iterable[Message]) -> tuple[Message, ...]:
        """Puts messages in the place of those from `start` up to, not including, `end`.

        Neither edge may fall inside a step, whatever is put there: a step goes or stays as a whole
        (one body in it is changed by `replace`). A recovery slot goes together with its message; it
        stays if a message of that id that may carry it is among the new ones. Who undoes a splice
        puts the old slot back.

        Returns:
            The messages taken out.

        Raises:
            InvalidHistory: no such range, an edge inside a step, or the outcome breaks a rule.
        """
        new = tuple(messages)
        self._state = self._spliced(start, end, new)
        removed = tuple(self._messages[start:end])
        self._messages[start:end] = new
        self._edits += 1
        try:
            self.check_recovery(self._recovery)
        except InvalidHistory:
            self._recovery = None
        return removed

    def set_recovery(self, slot: RecoverySlot | None) -> RecoverySlot | None:
        """Fills or empties the one recovery slot.

        Returns:
            What was in it.

        Raises:
            InvalidHistory: it names no message that can carry it, or has no text.
        """
        self.check_recovery(slot)
        old, self._recovery = self._recovery, slot
        return old

    def _spliced(self, start: int, end: int, new: tuple[Message, ...]) -> "_State":
        """The state after a splice."""
        length = len(self._messages)
        if not 0 <= start <= end <= length:
            raise InvalidHistory("history.range", start=start, end=end, length=length)
        if self._in_step(start) or self._in_step(end):
            raise InvalidHistory("history.cut_step", start=start, end=end)
        return _State.after([*self._messages[:start], *new, *self._messages[end:]])

    def _in_step(self, edge: int) -> bool:
        """Whether an edge before position `edge` would part a call from its result."""
        if edge == len(self._messages):
            return False
        answered = 0
        for message in reversed(self._messages[:edge]):
            if message.discarded:
                continue
            if message.role != "tool":
                return len(message.calls) > answered
            answered += 1
        return False


def closing_results(history: History, text: str, new_id: IdFactory) -> tuple[Message, ...]:
    """Results that close an interrupted step: one for each open call, in order, to be appended.

    Who has a result that finished meanwhile appends it in the place of the one for its call.

    Args:
        history: stays as it is.
        text: what happened, for the model.
        new_id: gives each result its id.
    """
    return tuple(
        Message(new_id(), "tool", (TextPart(text),), call_id=call.id, tool=call.name)
        for call in history.open_calls
    )


class _State:
    """What the next message is checked against, without looking at the earlier ones again."""

    __slots__ = ("calls", "open", "positions")

    def __init__(self) -> None:
        self.positions: dict[str, int] = {}
        self.calls: set[str] = set()
        self.open: deque[ToolCall] = deque()

    @classmethod
    def after(cls, messages: Iterable[Message]) -> "_State":
        """The state after a whole list, each message checked."""
        state = cls()
        for message in messages:
            state.check(message)
            state.add(message)
        return state

    def check(self, message: Message) -> None:
        """Raises where `message` can't follow."""
        if not message.id:
            raise InvalidHistory("history.no_id", role=message.role)
        if message.id in self.positions:
            raise InvalidHistory("history.duplicate_message", id=message.id)
        _check_shape(message)
        if message.discarded:
            return
        if message.role == "tool":
            if not self.open or self.open[0].id != message.call_id:
                raise InvalidHistory(
                    "history.unexpected_result", id=message.id, call=message.call_id
                )
        elif self.open:
            raise InvalidHistory("history.unanswered", id=message.id, call=self.open[0].id)
        if message.role == "system" and self.positions:
            raise InvalidHistory("history.second_system", id=message.id)
        mine: set[str] = set()
        for call in message.calls:
            if not call.id or call.id in self.calls or call.id in mine:
                raise InvalidHistory("history.duplicate_call", id=message.id, call=call.id)
            mine.add(call.id)

    def add(self, message: Message) -> None:
        """Takes in a message that was checked."""
        self.positions[message.id] = len(self.positions)
        self.calls.update(call.id for call in message.calls)
        if message.role == "tool":
            self.open.popleft()
        else:
            self.open.extend(message.calls)


_ALLOWED: Mapping[Role, type[Part] | UnionType] = {"user": Part, "tool": TextPart | ImagePart}
"""What a message may hold; of the other roles text alone."""


def _check_shape(message: Message) -> None:
    """Raises where a message is wrong by itself: fields of another role, or nothing in it."""
    role = message.role
    if field := _misplaced(message):
        raise InvalidHistory("history.misplaced", id=message.id, role=role, field=field)
    if role == "tool":
        if message.call_id is None or message.tool is None:
            field = "call_id" if message.call_id is None else "tool"
            raise InvalidHistory("history.lacks", id=message.id, field=field)
    elif message.discarded:
        if not message.text:
            raise InvalidHistory("history.empty", id=message.id, role=role)
    elif not message.calls and not any(map(_says_something, message.parts)):
        raise InvalidHistory("history.empty", id=message.id, role=role)


def _misplaced(message: Message) -> str:
    """The field that a message of this role can't have, or not so; "" if there is none."""
    role = message.role
    if message.calls and (role != "assistant" or message.discarded):
        return "calls"
    if role != "assistant":
        if message.reasoning is not None:
            return "reasoning"
        if message.discarded:
            return "discarded"
    if role != "tool":
        if message.call_id is not None:
            return "call_id"
        if message.tool is not None:
            return "tool"
    allowed = _ALLOWED.get(role, TextPart)
    return "" if all(isinstance(part, allowed) for part in message.parts) else "parts"


def _says_something(part: Part) -> bool:
    """Whether a part alone makes a message worth sending."""
    return bool((part.url if isinstance(part, ImagePart) else part.text).strip())
