"""What the summary tier works with; the session puts it together."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.archive.nodes import NodeStart
from app.archive.originals import Original
from app.archive.recorder import Recorder
from app.archive.stepping import LiveNode
from app.compaction.known import Known
from app.compaction.summarize import Summarizer
from app.config import CompactionSettings
from app.conversation.history import History
from app.conversation.messages import IdFactory, MemoryPart, Message, Reasoning
from app.conversation.meter import Meter
from app.conversation.window import RULES, Rules, Thresholds
from app.ports import Publish, ToolSchema
from app.text import Words

FindOriginal = Callable[[str], Awaitable[Original | None]]
"""Gives a message as it first came, by its id."""


Recalled = Callable[[History, History], Awaitable[MemoryPart | None]]
"""Gives facts for a history as it will be, of those that it shows as it is."""


async def nothing_recalled(_before: History, _after: History) -> MemoryPart | None:
    """There is no long-term memory."""
    return None


@dataclass(frozen=True, slots=True)
class Means:
    """What a conversation's summaries need.

    Attributes:
        recorder: writes down each change of the history.
        meter: measures it.
        marks: of the window as it is now.
        tools: the tools on offer, as they go out.
        schemas: the same as the model is given them.
        settings: `[compaction]` as it is now.
        summarizer: asks the model that writes summaries now; a new one each time.
        start: a child's first row, without its layout; the tier fills in the rest.
        system: the system message as it would be made now (DESIGN 3: a summary renews it).
        find: gives a message as it first came.
        texts: what messages said when they first came, by their ids; those that can be read.
        known: what code knows of the work, as it is now.
        live: a node as it was left; None: it can't be had.
        before: the node that a summary's was begun from, by the id of the summary's message; None:
            it can't be had.
        reasoning: goes with an acknowledgement, for models that demand it.
        publish: gets the events.
        words: the language of results and of what people read.
        new_id: gives ids.
        seconds: a clock that only goes forward.
        now: the present, aware.
        begun: when the last summaries that began by themselves did, in earlier processes too.
        attended: somebody can be asked.
        recalled: the facts that a summary takes away and that the user's newest message needs.
        rules: the numbers.
    """

    recorder: Recorder
    meter: Meter
    marks: Callable[[], Thresholds]
    tools: Callable[[], str]
    schemas: Callable[[], tuple[ToolSchema, ...]]
    settings: Callable[[], CompactionSettings]
    summarizer: Callable[[], Summarizer]
    start: Callable[[], NodeStart]
    system: Callable[[], Awaitable[Message]]
    find: FindOriginal
    texts: Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]
    known: Callable[[], Awaitable[Known]]
    live: Callable[[str], Awaitable[LiveNode | None]]
    before: Callable[[str], Awaitable[LiveNode | None]]
    reasoning: Callable[[], Reasoning | None]
    publish: Publish
    words: Words
    new_id: IdFactory
    seconds: Callable[[], float]
    now: Callable[[], datetime]
    begun: tuple[datetime, ...] = ()
    attended: bool = True
    recalled: Recalled = nothing_recalled
    rules: Rules = RULES
