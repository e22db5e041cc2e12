"""The one write path: what changes the history becomes a ledger row first, then it happens.

Each operation is checked, written down, taken in by the projection, done, in this order: one that
is refused writes nothing, one that can't be written changes nothing (`row_writer`). Haima's own
credentials are masked on the way in, in the message and in its row alike.

What stands in the rows' `data` is told in `rows`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from app.archive.nodes import LayoutEntry, NodeStart, slot_to_data
from app.archive.placing import check_place, place
from app.archive.projection import Projection
from app.archive.row_sink import RowSink
from app.archive.row_writer import RowWriter
from app.archive.rows import Kind, Row
from app.archive.stands import Stands
from app.archive.stepping import CHANGING, LiveNode, check_step, way_back_after
from app.archive.telling import message_data, replace_data, splice_data
from app.conversation.history import History, InvalidHistory, RecoverySlot
from app.conversation.messages import IdFactory, Message, Part, ToolCall, result_of
from app.conversation.offloaded import Offloaded
from app.conversation.outcome import ToolOutcome
from app.conversation.standing import BodyRef, MessageState, Standing, Tier
from app.conversation.work import NOTHING, Work

File = Offloaded | None
Calls = tuple[ToolCall, ...] | None
State = MessageState | None


class Recorder(RowWriter):
    """Writes one agent's history into the ledger.

    Results of parallel calls may come in any order: each is written down at once and joins the
    history as soon as those of the calls before it have.

    Attributes:
        history: the history it keeps; `begin` and `clear` put another there. To be read only.
        way_back: where `step_back` can return to, None: nowhere. To be read only.
    """

    def __init__(
        self,
        history: History,
        ledger: RowSink,
        node: str,
        conversation: str = "main",
        *,
        credentials: Iterable[str] = (),
        waiting: Iterable[Message] = (),
        standings: Mapping[str, Standing] = MappingProxyType({}),
        files: Mapping[str, Offloaded] = MappingProxyType({}),
        paused: Iterable[Tier] = (),
        projection: Projection | None = None,
        way_back: str | None = None,
    ) -> None:
        """Goes on with a history that is in the ledgers already, or an empty one.

        Args:
            history: whose only changes come through here from now on.
            ledger: open; shared by the agents of a chain.
            node: which session.
            conversation: which agent.
            credentials: `Settings.credentials`.
            waiting: results that are in the ledger but not yet in the history.
            standings: how the messages of the history stand.
            files: where contents are that were moved to files, by message.
            paused: the tiers that don't work by themselves.
            projection: takes in each row.
            way_back: the node to which the beginning of this one can still be undone.
        """
        super().__init__(ledger, node, conversation, credentials, projection)
        self.history = history
        self.way_back = way_back
        self._waiting = {str(message.call_id): message for message in waiting}
        self._stands = Stands(standings, files, paused)
        self._gone: set[str] = set()

    @property
    def unanswered(self) -> tuple[ToolCall, ...]:
        """The calls of the last step without a result, neither in the history nor waiting."""
        return tuple(call for call in self.history.open_calls if call.id not in self._waiting)

    @property
    def standings(self) -> Mapping[str, Standing]:
        """How messages stand, by id; those that nothing was done to are left out (`PLAIN`)."""
        return self._stands.view

    @property
    def files(self) -> Mapping[str, Offloaded]:
        """Where contents are that were moved to files, by message, whatever became of it since."""
        return self._stands.files

    @property
    def paused(self) -> frozenset[Tier]:
        """The tiers that don't work by themselves."""
        return self._stands.paused

    def layout(self) -> tuple[LayoutEntry, ...]:
        """The history as a child node begins with it (`NodeStart.layout`)."""
        return self._stands.layout(self.history)

    def live(self) -> LiveNode:
        """The node as it is, for `step_back` and `begin(known=)`; taken before a child begins."""
        gone = frozenset(self._gone)
        return LiveNode(self.node, self.history, self._stands, gone, self.way_back)

    async def begin(
        self, start: NodeStart, node: str | None = None, *, known: LiveNode | None = None
    ) -> History:
        """Begins a node: its first row; from then on the history is what its layout says.

        Args:
            start: its `messages` are new; what else is in its layout must be in the history, with
                the body it has there.
            node: the new node's id; None: that of `node`, which has no row yet.
            known: a node of the chain from which the layout may name messages that had left.

        Returns:
            The new history, which is `history` from now on.

        Raises:
            InvalidHistory: the layout names a message that isn't there or lacks one that is new,
                a result still waits, or it breaks a rule; nothing was written.
            StorageError: it can't be written; the old history goes on.
        """
        return await self._in_turn(self._begin(start, node or self.node, known))

    async def step_back(self, live: LiveNode, *, pauses: Tier | None = None) -> History:
        """Undoes the beginning of the node: its parent goes on as it was; see `way_back`.

        Args:
            live: the parent, from `live` before the beginning or from `load_live`.
            pauses: a tier that doesn't work by itself there from now on, by the same row: a process
                that dies after it has both.

        Returns:
            The parent's history, which is `history` from now on.

        Raises:
            InvalidHistory: the history changed since, or it began otherwise; nothing was written.
            StorageError: it can't be written; the node goes on.
        """
        return await self._in_turn(self._step_back(live, pauses))

    async def append(
        self,
        message: Message,
        *,
        raw: bytes | None = None,
        outcome: ToolOutcome | None = None,
        file: File = None,
        work: Work = NOTHING,
    ) -> Message:
        """Adds a message; a result whose turn hasn't come yet waits for those before it.

        Args:
            message: the message.
            raw: a result's bytes, where its text is not all of them.
            outcome: how the call ended, with its result.
            file: where its content is, if the message is the note that stands for it.
            work: what it adds to the worklog; see `as_kept`.

        Returns:
            The message as it is kept, credentials masked.

        Raises:
            InvalidHistory: it doesn't fit; nothing was written.
            StorageError: it can't be written; the history is as before.
        """
        return await self._in_turn(self._append(message, raw, outcome, file, work))

    async def close_step(
        self, text: str, new_id: IdFactory, *, reason: str = "", stopped: bool = False
    ) -> tuple[Message, ...]:
        """Answers every call that has no result, so that the history is valid again.

        Args:
            text: what happened to them, for the model.
            new_id: gives each result its id.
            reason: the same for the user.
            stopped: the user ended the turn.

        Returns:
            The results that were added.

        Raises:
            StorageError: it can't be written; some calls may still be open.
        """
        return await self._in_turn(self._close_step(text, new_id, reason, stopped))

    async def replace(
        self,
        message_id: str,
        parts: Iterable[Part],
        *,
        calls: Calls = None,
        state: State = None,
        file: File = None,
    ) -> Message:
        """Puts another body into a message.

        Args:
            message_id: which.
            parts: its new body, or the same for another state alone.
            calls: its calls with other arguments; None: as before.
            state: how it stands from now on; None: as before.
            file: where its content is from now on; None: as before.

        Returns:
            The message as it was.

        Raises:
            InvalidHistory: there is no such message, or it would be empty; nothing was written.
            StorageError: it can't be written; the history is as before.
        """
        return await self._in_turn(self._replace(message_id, tuple(parts), calls, state, file))

    async def pin(self, ids: Iterable[str], pinned: bool) -> None:
        """Pins messages, or takes their pins away.

        Raises:
            InvalidHistory: one isn't in the history; nothing was written.
            StorageError: it can't be written; they stand as before.
        """
        await self._in_turn(self._pin(tuple(ids), pinned))

    async def pause(self, tier: Tier, *, on: bool) -> None:
        """A tier doesn't work by itself from now on, or does again.

        Raises:
            StorageError: it can't be written; it is as before.
        """
        await self._in_turn(self._pause(tier, on))

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
        """Fills or empties the recovery slot; gives what was in it.

        Raises:
            InvalidHistory: no message can carry it; nothing was written.
            StorageError: it can't be written; the history is as before.
        """
        return await self._in_turn(self._set_recovery(slot))

    async def clear(self, new_node: str) -> History:
        """Begins a new node with an empty history, and gives it; the old one stays in the ledger.

        Raises:
            StorageError: it can't be written; the old history goes on.
        """
        return await self._in_turn(self._clear(new_node))

    async def _begin(self, start: NodeStart, node: str, known: LiveNode | None) -> History:
        own, slot = map(self._cleaner.message, start.messages), self._cleaner.slot(start.recovery)
        start = replace(start, messages=tuple(own), recovery=slot)
        for waiting in self._waiting.values():
            raise InvalidHistory("history.unanswered", id=waiting.id, call=waiting.call_id)
        for message in start.messages:
            self._check_new(message.id)
        history = self._stands.lay_out(start, self.history, known)
        await self._commit("node", start.to_data(), node)
        self._gone.update(one.id for one in self.history)
        self._gone.difference_update(one.id for one in history)
        self._stands = self._stands.of_child(start, history, known)
        self.way_back = way_back_after(start, self.node)
        self.history, self.node = history, node
        return history

    async def _step_back(self, live: LiveNode, pauses: Tier | None) -> History:
        check_step(live, self.way_back)
        told = {} if pauses is None else {"paused": pauses}
        await self._commit("undo", {"parent": live.node, **told})
        self._gone.update(live.gone, (one.id for one in self.history))
        self._gone.difference_update(one.id for one in live.history)
        self.history, self._stands = live.history, live.stands
        self.node, self.way_back = live.node, live.way_back
        if pauses is not None:
            self._stands.pause(pauses, on=True)
        return self.history

    async def _append(
        self,
        message: Message,
        raw: bytes | None,
        outcome: ToolOutcome | None,
        file: File = None,
        work: Work = NOTHING,
    ) -> Message:
        message = self._cleaner.message(message)
        if message.id in self._gone:
            raise InvalidHistory("history.duplicate_message", id=message.id)
        check_place(self.history, self._waiting, message)
        raw = None if raw is None else self._cleaner.raw(raw)
        outcome = outcome and self._cleaner.outcome(outcome)
        work = self.as_kept(work)
        await self._commit("message", message_data(message, raw, outcome, file, work))
        if file is not None:
            self._stands.change(message.id, None, "offloaded", file)
        place(self.history, self._waiting, message)
        return message

    async def _close_step(
        self, text: str, new_id: IdFactory, reason: str, stopped: bool
    ) -> tuple[Message, ...]:
        outcome = ToolOutcome(
            ok=False, seconds=0.0, characters=len(text), reason=reason, stopped=stopped
        )
        closing = [result_of(call, new_id(), text) for call in self.unanswered]
        return tuple([await self._append(message, None, outcome) for message in closing])

    async def _replace(
        self, message_id: str, parts: tuple[Part, ...], calls: Calls, state: State, file: File
    ) -> Message:
        changed = self._cleaner.message(self.history.check_replace(message_id, parts, calls))
        state = state or self._stands.of(message_id).state
        file = file or self.files.get(message_id)
        row = await self._commit("replace", replace_data(changed, state, file))
        self._stands.change(message_id, BodyRef(row.ledger, row.seq), state, file)
        return self.history.replace(message_id, changed.parts, changed.calls)

    async def _pin(self, ids: tuple[str, ...], pinned: bool) -> None:
        for message_id in ids:
            self.history.index(message_id)
        await self._commit("pin", {"ids": list(ids), "pinned": pinned})
        self._stands.pin(ids, pinned)

    async def _pause(self, tier: Tier, on: bool) -> None:
        await self._commit("paused", {"tier": tier, "on": on})
        self._stands.pause(tier, on=on)

    async def _splice(
        self, start: int, end: int, messages: tuple[Message, ...]
    ) -> tuple[Message, ...]:
        clean = tuple(map(self._cleaner.message, messages))
        for one in clean:
            self._check_new(one.id)
        self.history.check_splice(start, end, clean)
        removed = self.history[start:end]
        before = self.history[end].id if end < len(self.history) else None
        await self._commit("splice", splice_data(start, end, removed, before, clean))
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
        self._stands, self._gone, self.way_back = Stands(), set(), None
        return self.history

    def _check_new(self, message_id: str) -> None:
        """Raises where a message of that id is or was there: its body is known under that id."""
        there = self.history.get(message_id) is not None or message_id in self._gone
        if there or any(held.id == message_id for held in self._waiting.values()):
            raise InvalidHistory("history.duplicate_message", id=message_id)

    async def _commit(self, kind: Kind, data: Mapping[str, object], node: str | None = None) -> Row:
        row = await super()._commit(kind, data, node)
        self.way_back = None if kind in CHANGING else self.way_back
        return row
