"""The first row of a node: where it comes from and what its history begins with."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Self, get_args

from app.conversation.encoding import EncodingError, message_from_json, message_to_json
from app.conversation.history import RecoverySlot
from app.conversation.messages import Message
from app.conversation.standing import PLAIN, BodyRef, MessageState, Standing, Tier
from app.conversation.summary_mark import SummaryMark
from app.ports import ToolSchema

Relation = Literal["summary", "fork", "agent", "clear", "expand"]
"""What a node is to its parent; `expand`: what the parent's summary stands for is back in it."""

_RELATIONS: tuple[Relation, ...] = get_args(Relation)
_STATES: tuple[MessageState, ...] = get_args(MessageState)
_TIERS: tuple[Tier, ...] = get_args(Tier)


@dataclass(frozen=True, slots=True)
class LayoutEntry:
    """One message of a node's history as it begins.

    Attributes:
        id: the message: one of the node's own new ones, or one of its chain that is kept.
        standing: how it stands.
    """

    id: str
    standing: Standing = PLAIN


@dataclass(frozen=True, slots=True)
class LedgerEnd:
    """How far a ledger went at some moment: what was used last is told by it, not by the clock.

    Attributes:
        ledger: its name.
        seq: the number of its last row.
    """

    ledger: str
    seq: int


@dataclass(frozen=True, slots=True)
class NodeStart:
    """A node as it begins; the row's `node` is its id.

    Attributes:
        chain: the id of the tree's root.
        parent: the node it comes from; None for a root, unless `/clear` began it.
        relation: what it is to its parent; None without one.
        project: the project's folder.
        mode: how the agent works.
        model: which one answers.
        version: of Haima.
        branch: the git branch the model was told of; "" for none.
        tools: `schema_mark` of the tools.
        layout: the history in order.
        messages: those of them that are new, originals.
        recovery: the recovery slot.
        fork_at: the last message that is shared with the parent, for a fork.
        fork_turn: how many turns are shared, for a fork.
        after: how far its parent's ledger went, for a fork; None in older ones.
        summary: what is known of the summary it begins with.
        paused: the tiers that don't work by themselves.
    """

    chain: str
    parent: str | None = None
    relation: Relation | None = None
    project: str = ""
    mode: str = "react"
    model: str = ""
    version: str = ""
    branch: str = ""
    tools: str = ""
    layout: tuple[LayoutEntry, ...] = ()
    messages: tuple[Message, ...] = ()
    recovery: RecoverySlot | None = None
    fork_at: str | None = None
    fork_turn: int | None = None
    after: LedgerEnd | None = None
    summary: SummaryMark | None = None
    paused: frozenset[Tier] = frozenset()

    def to_data(self) -> dict[str, object]:
        """The row's `data`."""
        data: dict[str, object] = {
            "chain": self.chain,
            "parent": self.parent,
            "relation": self.relation,
            "project": self.project,
            "mode": self.mode,
            "model": self.model,
            "version": self.version,
            "branch": self.branch,
            "tools": self.tools,
            "layout": [entry_to_data(entry) for entry in self.layout],
            "messages": [message_to_json(message) for message in self.messages],
            "recovery": slot_to_data(self.recovery),
            "fork_at": self.fork_at,
            "fork_turn": self.fork_turn,
            "paused": sorted(self.paused),
        }
        if self.after is not None:
            data["after"] = [self.after.ledger, self.after.seq]
        return data if self.summary is None else data | {"summary": self.summary.to_data()}

    @classmethod
    def from_data(cls, data: Mapping[str, object]) -> Self:
        """What a row tells; fields that are missing or of the wrong type have their defaults.

        A message that can't be read is left out of `messages`, its entry stays. Without a layout
        the messages are all there is.
        """
        messages = tuple(_readable(data.get("messages")))
        layout = data.get("layout")
        relation = data.get("relation")
        turn = data.get("fork_turn")
        return cls(
            chain=_text(data, "chain"),
            parent=_text(data, "parent") or None,
            relation=relation if relation in _RELATIONS else None,
            project=_text(data, "project"),
            mode=_text(data, "mode") or "react",
            model=_text(data, "model"),
            version=_text(data, "version"),
            branch=_text(data, "branch"),
            tools=_text(data, "tools"),
            layout=tuple(filter(None, map(entry_from_data, layout)))
            if isinstance(layout, list)
            else tuple(LayoutEntry(message.id) for message in messages),
            messages=messages,
            recovery=slot_from_data(data.get("recovery")),
            fork_at=_text(data, "fork_at") or None,
            fork_turn=turn if isinstance(turn, int) and not isinstance(turn, bool) else None,
            after=_end(data.get("after")),
            summary=SummaryMark.from_data(data.get("summary")),
            paused=tiers_from_data(data.get("paused")),
        )


def schema_mark(schemas: Iterable[ToolSchema]) -> str:
    """Twelve hex digits that change when the tools' schemas do, whatever the order of keys."""
    # Their fields one by one: `asdict` copies all that is in them, and this is asked at each call.
    told = [
        {"name": one.name, "description": one.description, "parameters": one.parameters}
        for one in schemas
    ]
    canonical = json.dumps(told, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:12]


def entry_to_data(entry: LayoutEntry) -> object:
    """`"<id>"` for a message that nothing was done to, else `[id, state, pinned, body]`."""
    standing = entry.standing
    if standing == PLAIN:
        return entry.id
    body = standing.body and [standing.body.ledger, standing.body.seq]
    return [entry.id, standing.state, standing.pinned, body]


def entry_from_data(data: object) -> LayoutEntry | None:
    """What `entry_to_data` gave; None where it isn't one."""
    match data:
        case str():
            return LayoutEntry(data)
        case [str() as message, state, pinned, body]:
            known = state if state in _STATES else "live"
            return LayoutEntry(message, Standing(known, pinned is True, body_from_data(body)))
        case _:
            return None


def state_from_data(data: object) -> MessageState | None:
    """A state by its name; None where it isn't one."""
    return data if data in _STATES else None


def tier_from_data(data: object) -> Tier | None:
    """A tier by its name; None where it isn't one."""
    return data if data in _TIERS else None


def tiers_from_data(data: object) -> frozenset[Tier]:
    """The tiers in a list of their names."""
    return frozenset(tier for tier in _TIERS if isinstance(data, list) and tier in data)


def body_from_data(data: object) -> BodyRef | None:
    """`[ledger, seq]`, or None."""
    match data:
        case [str() as ledger, int() as seq]:
            return BodyRef(ledger, seq)
        case _:
            return None


def slot_to_data(slot: RecoverySlot | None) -> dict[str, object] | None:
    """A recovery slot as it stands in rows."""
    if slot is None:
        return None
    return {"message": slot.message_id, "text": slot.text, "first": slot.first}


def slot_from_data(data: object) -> RecoverySlot | None:
    """What `slot_to_data` gave; None where it isn't one."""
    match data:
        case {"message": str() as message, "text": str() as text, **rest}:
            return RecoverySlot(message, text, rest.get("first") is True)
        case _:
            return None


def _text(data: Mapping[str, object], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _end(data: object) -> LedgerEnd | None:
    match data:
        case [str() as ledger, int() as seq] if ledger and not isinstance(seq, bool):
            return LedgerEnd(ledger, seq)
        case _:
            return None


def _readable(data: object) -> list[Message]:
    found: list[Message] = []
    for value in data if isinstance(data, list) else []:
        try:
            found.append(message_from_json(value))
        except EncodingError:
            continue
    return found
