"""What the conversation pane is made of: frozen items, put in place of their older selves.

All text in an item is safe to show (`boundary.visible`). Words are the renderer's; an item carries
data alone. An item's `revision` grows with every change, so `(id, revision)` names what it shows.
"""

from dataclasses import dataclass
from typing import Literal

from app.events import DiffLine, Severity

CardStatus = Literal[
    "running", "waiting", "ok", "failed", "refused", "stopped", "interrupted", "unknown"
]
"""`waiting`: for the user's approval; `stopped`: the user ended the turn before it was over;
`interrupted`: haima itself was ended; `unknown`: over, but an old ledger doesn't say how."""

CardState = Literal["live", "offloaded", "cleared"]
"""What became of a result: as it came; in a file; a pointer stands for it."""

MarkKind = Literal["summary", "fork"]
"""How another node of the chain begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Common to all items: an id that is unique in the store and never changes."""

    id: str
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UserItem(Item):
    """A message of the user that joined the history; its id is the message's.

    Attributes:
        pinned: neither clearing nor a summary touches it.
        brought: what it quotes of what had left the context, a label each.
        brought_tokens: of all that, as estimated; 0: not known.
        images: its pictures by name and size.
    """

    text: str
    pinned: bool = False
    brought: tuple[str, ...] = ()
    brought_tokens: int = 0
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerItem(Item):
    """A block of an answer: Markdown, one top-level block or a piece of a long list.

    Attributes:
        message: the assistant message's id.
        live: more may come.
        discarded: the step began afresh, so this no longer counts.
        joined: follows its predecessor without a blank row (list items do).
        ordinal: the number its first list item has when the list began in another block.
    """

    message: str
    text: str
    live: bool = False
    discarded: bool = False
    joined: bool = False
    ordinal: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningItem(Item):
    """A stretch of reasoning; `seconds` is None while it streams (since `started`).

    Attributes:
        timed: whether `seconds` is known; the archive doesn't keep it.
    """

    message: str
    text: str
    started: float
    seconds: float | None = None
    discarded: bool = False
    timed: bool = True

    @property
    def live(self) -> bool:
        """Whether more may come."""
        return self.seconds is None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardItem(Item):
    """A tool call; its id is the call's.

    Attributes:
        subject: the one argument worth showing.
        started: when it began to run, by the store's clock.
        seconds: how long it ran, once it is over.
        characters: size of the result.
        reason: why it failed or was refused, in one line.
        added: lines an edit added.
        removed: lines an edit took out.
        diff: the edit's lines.
        body: the result as the model got it, without tags.
        state: what became of the result since.
        message: id of the message with the result; "" while there is none.
        path: the file its content was moved to, relative to the project; "": none.
        moved: characters in that file.
        fresh: it was moved there in this turn.
        cut: why its content was cut: the file for it couldn't be written; "" where it wasn't.
        pinned: neither clearing nor a summary touches it.
        quoted: the user's next message will quote it.
    """

    tool: str
    subject: str
    status: CardStatus
    started: float
    seconds: float = 0.0
    characters: int = 0
    reason: str = ""
    added: int = 0
    removed: int = 0
    diff: tuple[DiffLine, ...] = ()
    body: str = ""
    state: CardState = "live"
    message: str = ""
    path: str = ""
    moved: int = 0
    fresh: bool = False
    cut: str = ""
    pinned: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldItem(Item):
    """Stands for a burst of successful cards; made by `TranscriptRows`, not by the store.

    Attributes:
        tools: names with their counts, most called first.
        seconds: of all of them together.
        open: the cards are shown under it.
    """

    count: int
    tools: tuple[tuple[str, int], ...]
    seconds: float
    open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreClearedItem(Item):
    """Stands for the rest of many cleared cards; made by `TranscriptRows`, not by the store.

    Attributes:
        count: how many cards it stands for.
        open: they are shown under it.
    """

    count: int
    open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearMarkItem(Item):
    """Here older results were replaced by pointers.

    Attributes:
        count: how many.
        freed: tokens.
        undoable: no answer followed yet.
    """

    count: int
    freed: int
    undoable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturesMarkItem(Item):
    """Here old pictures were replaced by text.

    Attributes:
        count: how many.
        freed: tokens.
    """

    count: int
    freed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneItem(Item):
    """Here results were cleared, and the user took that back.

    Attributes:
        count: how many.
        tokens: that came back.
        paused: nothing is cleared by itself since.
    """

    count: int
    tokens: int
    paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeItem(Item):
    """Something the user should know, said where it happened."""

    text: str
    severity: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorItem(Item):
    """Something failed for good; the sentence says what to do."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryItem(Item):
    """A call to the model failed and is tried again, `wait` seconds later."""

    reason: str
    attempt: int
    wait: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedItem(Item):
    """The user stopped the turn, or it was cut off with Haima itself.

    Attributes:
        resumable: nothing has followed.
        by_user: the user stopped it.
    """

    resumable: bool = True
    by_user: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearedItem(Item):
    """`/clear`: what follows is a new history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkItem(Item):
    """Another node of the chain begins.

    Attributes:
        kind: by a summary of what stands above, or as a fork of it.
        node: the node that begins.
        parent: the one it came out of.
        count: messages the summary stands for; 0: not known.
        turn: a fork's number of turns up to here, where it is known.
    """

    kind: MarkKind
    node: str
    parent: str
    count: int = 0
    turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierItem(Item):
    """Stands above everything: `count` entries of the past aren't shown yet."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingItem(Item):
    """The model was asked and is silent; since when, by the store's clock."""

    started: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedItem(Item):
    """A message that waits for the running step; `last` carries the hint."""

    text: str
    last: bool = True
