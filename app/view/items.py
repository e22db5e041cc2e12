"""What the conversation pane is made of: frozen items, put in place of their older selves.

All text in an item is safe to show (`boundary.visible`). Words are the renderer's; an item carries
data alone. An item's `revision` grows with every change, so `(id, revision)` names what it shows.
"""

from dataclasses import dataclass
from typing import Literal

from app.events import DiffLine, Severity
from app.events.compaction import KeptBySummary

CardStatus = Literal[
    "running", "waiting", "ok", "failed", "refused", "stopped", "interrupted", "unknown"
]
"""`waiting`: for the user's approval; `stopped`: the user ended the turn before it was over;
`interrupted`: haima itself was ended; `unknown`: over, but an old ledger doesn't say how."""

CardState = Literal["live", "offloaded", "cleared"]
"""What became of a result: as it came; in a file; a pointer stands for it."""

NOTHING_KEPT = KeptBySummary()
"""Nothing is told of what stands beside a summary's text."""

UndoneKind = Literal["results", "cuts", "messages", "expansion"]
"""What was taken back: a clear; a summary, or the cut in its place; the expansion of one."""

QueuedUntil = Literal["open", "turn", "summary", "asked"]
"""What a queued message waits for: the session, the end of the turn or of a summary, or Enter."""


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
        recalled: how many memories went along with it.
        recalled_tokens: of all of them, as estimated; 0: not known.
        corrected: how many memories of earlier messages it puts right.
        rules, revoked: standing rules that it brought, and that it ended, word for word.
    """

    text: str
    pinned: bool = False
    brought: tuple[str, ...] = ()
    brought_tokens: int = 0
    images: tuple[str, ...] = ()
    recalled: int = 0
    recalled_tokens: int = 0
    corrected: int = 0
    rules: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()


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
        told: what of the work the agent was told anew.
    """

    count: int
    freed: int
    undoable: bool = True
    told: KeptBySummary = NOTHING_KEPT


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
class GuardMarkItem(Item):
    """Here messages were cut short, as the request nearly filled the window.

    Attributes:
        count: how many.
        freed: tokens.
        undoable: no answer followed yet.
    """

    count: int
    freed: int
    undoable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneItem(Item):
    """Here something left the context, or came back, and the user took that back.

    Attributes:
        count: how many results or messages.
        tokens: that came back; after an expansion, that left again; 0: not known.
        paused: it doesn't happen by itself since.
        what: it was.
    """

    count: int
    tokens: int
    paused: bool = False
    what: UndoneKind = "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarisingItem(Item):
    """Older messages are being summarised; nothing changed yet.

    Attributes:
        count: how many.
        started: when, by the store's clock.
        done: pieces that are summarised.
        pieces: of how many; 1: it is asked for in one.
    """

    count: int
    started: float
    done: int = 0
    pieces: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryMarkItem(Item):
    """Here a summary took the place of older messages, in a node of its own; all stay in view.

    Attributes:
        node: the node that begins.
        parent: the one before, which stays whole.
        summary: id of the message that holds it; "": not known.
        count: messages it stands for; 0: not known.
        tokens: of its text; 0: not known.
        freed: tokens, of a cut.
        cut: there is no summary, only references to what left.
        kept: what stands beside its text.
        undoable: nothing followed yet.
        stands: it is the newest that is still in the context, so it can be expanded.
        expanded: what it stands for is back in its place.
    """

    node: str
    parent: str
    summary: str = ""
    count: int = 0
    tokens: int = 0
    freed: int = 0
    cut: bool = False
    kept: KeptBySummary = NOTHING_KEPT
    undoable: bool = False
    stands: bool = False
    expanded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandedItem(Item):
    """Here what a summary stood for came back in its place.

    Attributes:
        summary: id of the message that held it; "": not known.
        count: messages that are back; 0: not known.
        tokens: that came back; 0: not known.
        undoable: nothing followed yet.
        paused: no summary is made by itself since.
    """

    summary: str = ""
    count: int = 0
    tokens: int = 0
    undoable: bool = False
    paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryFailedItem(Item):
    """No summary was made here; the history is as it was.

    Attributes:
        reason: one sentence.
        stopped: the user stopped it.
    """

    reason: str
    stopped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeItem(Item):
    """Something the user should know, said where it happened."""

    text: str
    severity: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorItem(Item):
    """Something failed for good; the sentence says what to do, Enter tries `resumable` again."""

    text: str
    resumable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryItem(Item):
    """A call to the model failed and is tried again, `wait` seconds later; None: it was."""

    reason: str
    attempt: int
    wait: float | None


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
    """A fork begins: another node of the chain.

    Attributes:
        parent: the node it came out of.
        turn: its number of turns up to here, where it is known.
    """

    parent: str
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
    """A message that waits; `last` carries the hint, which says until when."""

    text: str
    last: bool = True
    until: QueuedUntil = "turn"
