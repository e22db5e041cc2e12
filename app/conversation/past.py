"""What was said in a chain up to one of its nodes: the past as people read it, not as it is sent.

Originals, each once, over all summaries and forks: what left the history is still here. The archive
gives it (`archive.lineage`); the view and the exports show it. Never the source of a request.
"""

from dataclasses import dataclass
from typing import Literal

from app.conversation.messages import Message
from app.conversation.offloaded import Offloaded
from app.conversation.outcome import ToolOutcome
from app.conversation.standing import Standing
from app.conversation.summary_mark import SummaryMark

MarkKind = Literal["summary", "fork", "clear", "expand"]
"""How a node begins that isn't the first."""


@dataclass(frozen=True, slots=True)
class PastMessage:
    """A message as it was said, discarded text included; system messages are left out.

    Attributes:
        message: the original, whatever became of its body.
        standing: how it stands in the node whose past this is; how it last stood where it left
            the history before.
        outcome: how the call ended, for a tool result.
        at: when it was written down, ISO 8601 UTC.
        node: the node it was said in.
        present: whether it is in the node's live history.
        file: where its content stands in that node, since it was moved to a file.
    """

    message: Message
    standing: Standing
    outcome: ToolOutcome | None
    at: str
    node: str
    present: bool = True
    file: Offloaded | None = None


@dataclass(frozen=True, slots=True)
class PastMark:
    """Here another node begins.

    Attributes:
        kind: by a summary of what stands above; as a fork of it; with what a summary stood for back
            in its place; or, above everything, by `/clear`.
        node: the node that begins.
        parent: the one it came out of.
        at: when, ISO 8601 UTC.
        count: messages the summary stands for; those an expansion brought back.
        turn: a fork's number of turns up to here, where it is known.
        summary: what else is known of the summary.
    """

    kind: MarkKind
    node: str
    parent: str
    at: str
    count: int = 0
    turn: int | None = None
    summary: SummaryMark | None = None


@dataclass(frozen=True, slots=True)
class PastFailure:
    """Something failed for good.

    Attributes:
        code: a stable word.
        text: the sentence, as the user read it.
        at: when, ISO 8601 UTC.
        node: in which node.
    """

    code: str
    text: str
    at: str
    node: str


Past = PastMessage | PastMark | PastFailure
"""One entry of the past."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in the past, just before one entry; it stays valid while the chain grows.

    Attributes:
        node: the entry's node.
        seq: the number of its row; 0 for the mark a node begins with.
        part: its index within the row.
        count: how many messages stand before it.
    """

    node: str
    seq: int
    part: int
    count: int


@dataclass(frozen=True, slots=True)
class PastPage:
    """A stretch of the past.

    Attributes:
        items: oldest first; never begins between a call and its results.
        earlier: where the page before it ends; None at the beginning.
        earlier_count: how many messages stand before it.
    """

    items: tuple[Past, ...]
    earlier: Cursor | None = None
    earlier_count: int = 0
