"""How one history stands while it is kept: its messages, its tiers; what a new node begins with."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

from app.archive.nodes import LayoutEntry, NodeStart
from app.conversation.history import History, InvalidHistory
from app.conversation.messages import Message
from app.conversation.offloaded import Offloaded
from app.conversation.standing import PLAIN, BodyRef, MessageState, Standing, Tier


class Known(Protocol):
    """Another node of the chain, from which messages may come back (`stepping.LiveNode`)."""

    @property
    def history(self) -> History:
        """What it holds."""
        ...

    @property
    def stands(self) -> "Stands":
        """How that stands."""
        ...


class Stands:
    """The standings of a history's messages; what nothing was done to isn't in it (`PLAIN`).

    Attributes:
        view: them by id; to be read only.
        files: where contents are that were moved to files, by id; to be read only.
        paused: the tiers that don't work by themselves.
    """

    def __init__(
        self,
        standings: Mapping[str, Standing] = MappingProxyType({}),
        files: Mapping[str, Offloaded] = MappingProxyType({}),
        paused: Iterable[Tier] = (),
    ) -> None:
        """Begins with these."""
        self._known = {key: value for key, value in standings.items() if value != PLAIN}
        self._files = dict(files)
        self.view: Mapping[str, Standing] = MappingProxyType(self._known)
        self.files: Mapping[str, Offloaded] = MappingProxyType(self._files)
        self.paused = frozenset(paused)

    def of(self, message_id: str) -> Standing:
        """How one message stands."""
        return self._known.get(message_id, PLAIN)

    def change(
        self,
        message_id: str,
        body: BodyRef | None,
        state: MessageState | None,
        file: Offloaded | None = None,
    ) -> None:
        """Another body, another state, another file; None: as before."""
        old = self.of(message_id)
        self._put(message_id, Standing(state or old.state, old.pinned, body or old.body))
        if file is not None:
            self._files[message_id] = file

    def pin(self, ids: Iterable[str], pinned: bool) -> None:
        """Pins messages, or takes their pins away."""
        for message_id in ids:
            self._put(message_id, replace(self.of(message_id), pinned=pinned))

    def pause(self, tier: Tier, *, on: bool) -> None:
        """A tier doesn't work by itself from now on, or does again."""
        self.paused = self.paused | {tier} if on else self.paused - {tier}

    def forget(self, messages: Iterable[Message]) -> None:
        """Messages left the history."""
        for message in messages:
            self._known.pop(message.id, None)
            self._files.pop(message.id, None)

    def layout(self, history: History) -> tuple[LayoutEntry, ...]:
        """The history as a child node begins with it."""
        return tuple(LayoutEntry(message.id, self.of(message.id)) for message in history)

    def of_child(self, start: NodeStart, history: History, known: Known | None = None) -> "Stands":
        """How the messages of a node stand that begins with a history of these.

        A file of the history before counts more than one that `known` has.
        """
        both = {**(known.stands.files if known else {}), **self.files}
        files = {key: file for key, file in both.items() if history.get(key) is not None}
        standings = {entry.id: entry.standing for entry in start.layout}
        return Stands(standings, files, start.paused)

    def lay_out(self, start: NodeStart, history: History, known: Known | None = None) -> History:
        """The history a node begins with; its own messages must be new to this one.

        Args:
            start: its first row.
            history: the one before, which these standings are of.
            known: where messages may come from that are in neither.

        Raises:
            InvalidHistory: the layout names a message that is in neither, or with another body
                than it has here; it lacks a new one; it breaks a rule.
        """
        own = {message.id: message for message in start.messages}
        if absent := own.keys() - {entry.id for entry in start.layout}:
            raise InvalidHistory("history.unknown_message", id=min(absent))
        found: list[Message] = []
        for entry in start.layout:
            kept = own.get(entry.id) or history.get(entry.id)
            body = None if entry.id in own else self.of(entry.id).body
            if kept is None and known is not None:
                kept, body = known.history.get(entry.id), known.stands.of(entry.id).body
            if kept is None or entry.standing.body != body:
                raise InvalidHistory("history.unknown_message", id=entry.id)
            found.append(kept)
        return History(found, start.recovery)

    def _put(self, message_id: str, standing: Standing) -> None:
        self._known[message_id] = standing
        if standing == PLAIN:
            del self._known[message_id]
