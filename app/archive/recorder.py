"""The one write path: what changes the history becomes a ledger row first, then it happens.

Each operation is checked, written down, taken in by the projection, done, in this order: one that
is refused writes nothing, one that can't be written changes nothing. One happens at a time, and
none can be cut half way: a stop that comes meanwhile strikes when it is over (`unbroken`). Haima's
own credentials are masked on the way in, in the message and in its row alike.

What stands in the rows' `data` is told in `rows`.
"""

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import TypeVar

from app.archive.cleaning import Cleaner
from app.archive.ledger import Ledger
from app.archive.nodes import LayoutEntry, NodeStart, slot_to_data
from app.archive.placing import check_place, place
from app.archive.projection import Projection
from app.archive.rows import Kind, Row, encode_bytes
from app.archive.stands import Stands
from app.archive.unbroken import unbroken
from app.conversation.encoding import message_to_json
from app.conversation.history import History, InvalidHistory, RecoverySlot
from app.conversation.messages import IdFactory, Message, Part, TextPart, ToolCall
from app.conversation.outcome import ToolOutcome
from app.conversation.standing import BodyRef, MessageState, Standing
from app.ports import Usage
from app.storage.faults import fault_point

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Recorder:
    """Writes one agent's history, and what else is to be kept of it, into the ledger.

    Results of parallel calls may come in any order: each is written down at once and joins the
    history as soon as those of the calls before it have.

    Attributes:
        history: the history it keeps; `begin` and `clear` put another there. To be read only.
        node: which session the rows belong to.
        conversation: which agent.
    """

    def __init__(
        self,
        history: History,
        ledger: Ledger,
        node: str,
        conversation: str = "main",
        *,
        credentials: Iterable[str] = (),
        waiting: Iterable[Message] = (),
        standings: Mapping[str, Standing] = MappingProxyType({}),
        projection: Projection | None = None,
    ) -> None:
        """Goes on with a history that is in the ledgers already (`rebuild`, `load`), or empty.

        Args:
            history: whose only changes come through here from now on.
            ledger: open; shared by the agents of a chain.
            node: which session.
            conversation: which agent.
            credentials: `Settings.credentials`.
            waiting: results that are in the ledger but not yet in the history.
            standings: how the messages of the history stand.
            projection: takes in each row.
        """
        self.history = history
        self.node = node
        self.conversation = conversation
        self._ledger = ledger
        self._projection = projection
        self._cleaner = Cleaner(credentials)
        self._waiting = {str(message.call_id): message for message in waiting}
        self._stands = Stands(standings)
        self._gone: set[str] = set()
        self._lock = asyncio.Lock()

    @property
    def unanswered(self) -> tuple[ToolCall, ...]:
        """The calls of the last step without a result, neither in the history nor waiting."""
        return tuple(call for call in self.history.open_calls if call.id not in self._waiting)

    @property
    def standings(self) -> Mapping[str, Standing]:
        """How messages stand, by id; those that nothing was done to are left out (`PLAIN`)."""
        return self._stands.view

    def layout(self) -> tuple[LayoutEntry, ...]:
        """The history as a child node begins with it (`NodeStart.layout`)."""
        return self._stands.layout(self.history)

    def use_credentials(self, credentials: Iterable[str]) -> None:
        """From now on these are masked (after a change of model)."""
        self._cleaner = Cleaner(credentials)

    async def begin(self, start: NodeStart, node: str | None = None) -> History:
        """Begins a node: its first row; from then on the history is what its layout says.

        Args:
            start: its `messages` are new; what else is in its layout must be in the history, with
                the body it has there.
            node: the new node's id; None: that of `node`, which has no row yet.

        Returns:
            The new history, which is `history` from now on.

        Raises:
            InvalidHistory: the layout names a message that isn't there or lacks one that is new,
                a result still waits, or it breaks a rule; nothing was written.
            StorageError: it can't be written; the old history goes on.
        """
        return await self._in_turn(self._begin(start, node or self.node))

    async def opened(
        self, *, project: str, model: str, version: str, branch: str, tools: str = ""
    ) -> None:
        """A session goes on with another model, on another branch, or with other tools.

        Raises:
            StorageError: it can't be written.
        """
        data = {"project": project, "model": model, "version": version, "branch": branch}
        await self._tell("session", data | ({"tools": tools} if tools else {}))

    async def append(
        self, message: Message, *, raw: bytes | None = None, outcome: ToolOutcome | None = None
    ) -> Message:
        """Adds a message; a result whose turn hasn't come yet waits for those before it.

        Args:
            message: the message.
            raw: a result's bytes, where its text is not all of them.
            outcome: how the call ended, with its result.

        Returns:
            The message as it is kept, credentials masked.

        Raises:
            InvalidHistory: it doesn't fit; nothing was written.
            StorageError: it can't be written; the history is as before.
        """
        return await self._in_turn(self._append(message, raw, outcome))

    async def close_step(
        self, text: str, new_id: IdFactory, *, reason: str = ""
    ) -> tuple[Message, ...]:
        """Answers every call that has no result, so that the history is valid again.

        Args:
            text: what happened to them, for the model.
            new_id: gives each result its id.
            reason: the same for the user.

        Returns:
            The results that were added.

        Raises:
            StorageError: it can't be written; some calls may still be open.
        """
        return await self._in_turn(self._close_step(text, new_id, reason))

    async def replace(
        self, message_id: str, parts: Iterable[Part], *, state: MessageState | None = None
    ) -> Message:
        """Puts another body into a message.

        Args:
            message_id: which.
            parts: its new body, or the same for another state alone.
            state: how it stands from now on; None: as before.

        Returns:
            The message as it was.

        Raises:
            InvalidHistory: there is no such message, or it would be empty; nothing was written.
            StorageError: it can't be written; the history is as before.
        """
        return await self._in_turn(self._replace(message_id, tuple(parts), state))

    async def pin(self, ids: Iterable[str], pinned: bool) -> None:
        """Pins messages, or takes their pins away.

        Raises:
            InvalidHistory: one isn't in the history; nothing was written.
            StorageError: it can't be written; they stand as before.
        """
        await self._in_turn(self._pin(tuple(ids), pinned))

    async def splice(
        self, start: int, end: int, messages: Iterable[Message]
    ) -> tuple[Message, ...]:
        """Puts new messages in the place of others; one that was there before can't come back.

        Returns:
            The messages taken out.

        Raises:
            InvalidHistory: the outcome would break a rule; nothing was written.
            StorageError: it can't be written; the history is as before.
        """
        return await self._in_turn(self._splice(start, end, tuple(messages)))

    async def set_recovery(self, slot: RecoverySlot | None) -> RecoverySlot | None:
        """Fills or empties the recovery slot.

        Returns:
            What was in it.

        Raises:
            InvalidHistory: no message can carry it; nothing was written.
            StorageError: it can't be written; the history is as before.
        """
        return await self._in_turn(self._set_recovery(slot))

    async def usage(self, usage: Usage, *, message: str | None, model: str) -> None:
        """Keeps what a call to a model cost.

        Args:
            usage: the figures.
            message: the id of its answer, where that is in the history.
            model: which one answered.

        Raises:
            StorageError: it can't be written.
        """
        await self._tell("usage", {**asdict(usage), "message": message, "model": model})

    async def error(self, code: str, text: str) -> None:
        """Keeps what failed for good.

        Raises:
            StorageError: it can't be written.
        """
        await self._tell("error", {"code": code, "text": self._cleaner.text(text)})

    async def title(self, title: str) -> None:
        """Gives the node a title.

        Raises:
            StorageError: it can't be written.
        """
        await self._tell("title", {"title": self._cleaner.text(title)})

    async def clear(self, new_node: str) -> History:
        """Begins a new node with an empty history; the old one stays in the ledger.

        Returns:
            The new history, which is `history` from now on.

        Raises:
            StorageError: it can't be written; the old history goes on.
        """
        return await self._in_turn(self._clear(new_node))

    async def sync(self) -> None:
        """Returns when all of it is on the disk (`Ledger.sync`).

        Raises:
            StorageError: the disk failed.
        """
        await self._ledger.sync()

    async def _begin(self, start: NodeStart, node: str) -> History:
        own, slot = map(self._cleaner.message, start.messages), self._cleaner.slot(start.recovery)
        start = replace(start, messages=tuple(own), recovery=slot)
        for waiting in self._waiting.values():
            raise InvalidHistory("history.unanswered", id=waiting.id, call=waiting.call_id)
        for message in start.messages:
            self._check_new(message.id)
        history = self._stands.lay_out(start, self.history)
        await self._commit("node", start.to_data(), node)
        self._gone.update(message.id for message in self.history if history.get(message.id) is None)
        self.history, self.node = history, node
        self._stands = Stands({entry.id: entry.standing for entry in start.layout})
        return history

    async def _append(
        self, message: Message, raw: bytes | None, outcome: ToolOutcome | None
    ) -> Message:
        message = self._cleaner.message(message)
        if message.id in self._gone:
            raise InvalidHistory("history.duplicate_message", id=message.id)
        check_place(self.history, self._waiting, message)
        data: dict[str, object] = {"message": message_to_json(message)}
        if raw is not None:
            data["raw"] = encode_bytes(self._cleaner.raw(raw))
        if outcome is not None:
            data["outcome"] = self._cleaner.outcome(outcome).to_data()
        await self._commit("message", data)
        place(self.history, self._waiting, message)
        return message

    async def _close_step(self, text: str, new_id: IdFactory, reason: str) -> tuple[Message, ...]:
        outcome = ToolOutcome(ok=False, seconds=0.0, characters=len(text), reason=reason)
        closing = [
            Message(new_id(), "tool", (TextPart(text),), call_id=call.id, tool=call.name)
            for call in self.unanswered
        ]
        return tuple([await self._append(message, None, outcome) for message in closing])

    async def _replace(
        self, message_id: str, parts: tuple[Part, ...], state: MessageState | None
    ) -> Message:
        clean = tuple(map(self._cleaner.part, parts))
        self.history.check_replace(message_id, clean)
        changed = replace(self.history[self.history.index(message_id)], parts=clean)
        state = state or self._stands.of(message_id).state
        row = await self._commit(
            "replace", {"id": message_id, "message": message_to_json(changed), "state": state}
        )
        self._stands.change(message_id, BodyRef(row.ledger, row.seq), state)
        return self.history.replace(message_id, clean)

    async def _pin(self, ids: tuple[str, ...], pinned: bool) -> None:
        for message_id in ids:
            self.history.index(message_id)
        await self._commit("pin", {"ids": list(ids), "pinned": pinned})
        self._stands.pin(ids, pinned)

    async def _splice(
        self, start: int, end: int, messages: tuple[Message, ...]
    ) -> tuple[Message, ...]:
        clean = tuple(map(self._cleaner.message, messages))
        for message in clean:
            self._check_new(message.id)
        self.history.check_splice(start, end, clean)
        removed = self.history[start:end]
        await self._commit(
            "splice",
            {
                "start": start,
                "end": end,
                "first": removed[0].id if removed else None,
                "last": removed[-1].id if removed else None,
                "removed": [message.id for message in removed],
                "before": self.history[end].id if end < len(self.history) else None,
                "messages": [message_to_json(message) for message in clean],
            },
        )
        self._stands.forget(removed)
        self._gone.update(message.id for message in removed)
        return self.history.splice(start, end, clean)

    async def _set_recovery(self, slot: RecoverySlot | None) -> RecoverySlot | None:
        slot = self._cleaner.slot(slot)
        self.history.check_recovery(slot)
        await self._commit("recovery", {"slot": slot_to_data(slot)})
        return self.history.set_recovery(slot)

    async def _clear(self, new_node: str) -> History:
        await self._commit("clear", {"node": new_node})
        self.history, self.node, self._waiting = History(), new_node, {}
        self._stands, self._gone = Stands(), set()
        return self.history

    def _check_new(self, message_id: str) -> None:
        """Raises where a message of that id is or was there: its body is known under that id."""
        there = self.history.get(message_id) is not None or message_id in self._gone
        if there or any(held.id == message_id for held in self._waiting.values()):
            raise InvalidHistory("history.duplicate_message", id=message_id)

    async def _tell(self, kind: Kind, data: Mapping[str, object]) -> None:
        """A row that leaves the history alone."""
        await self._in_turn(self._commit(kind, data))

    async def _in_turn(self, work: Coroutine[object, object, T]) -> T:
        """Does one operation, the others before it done, to its end."""

        async def alone() -> T:
            try:
                async with self._lock:
                    return await work
            finally:
                work.close()

        return await unbroken(alone())

    async def _commit(self, kind: Kind, data: Mapping[str, object], node: str | None = None) -> Row:
        """Writes the row down; once it is there, nothing but the end of the process stops us."""
        row = self._ledger.write(kind, data, node=node or self.node, conversation=self.conversation)
        try:
            if self._projection is not None:
                await self._projection.commit(self._ledger.name, row, self._ledger.size)
        except asyncio.CancelledError:  # the loop ends; the next open takes the row in
            pass
        except Exception:
            _log.exception("the row %s of %s wasn't taken in", row.seq, row.ledger)
        fault_point("commit_after")
        return row
