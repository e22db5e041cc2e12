"""What the summary tier of a chain works with, out of the chain's own parts."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from app.archive.database import Connection, Database
from app.archive.lineage import past_page
from app.archive.load import load_live
from app.archive.nodes import NodeStart
from app.archive.recorder import Recorder
from app.archive.sessions import chain_nodes
from app.archive.stepping import LiveNode
from app.archive.work import older_work
from app.compaction.asking import auxiliary_writer, main_writer
from app.compaction.known import Known
from app.compaction.means import Means, Recalled
from app.compaction.summarize import Summarizer
from app.compaction.summary_tier import SummaryTier
from app.conversation.messages import Message
from app.conversation.past import Cursor, PastPage
from app.conversation.work import NOTHING, Work
from app.errors import HaimaError
from app.events import Event
from app.llm.dialects import dialect_for
from app.ports import ChatModel, Publish
from app.project import git_state
from app.session.context import SessionContext
from app.session.learned import Source
from app.session.originals import ChainOriginals
from app.session.parts import Parts
from app.session.restore import Origin
from app.session.system_message import system_message
from app.text import Words

T = TypeVar("T")

_log = logging.getLogger(__name__)


class ChainPast:
    """What a summary asks of the archive; nothing where that can't be used.

    Attributes:
        summarised: when the last summaries that began by themselves did, as the chain was opened.
    """

    def __init__(self, origin: Origin, *, database: Database | None, words: Words) -> None:
        """Looks at nothing yet.

        Args:
            origin: what the chain was opened with.
            database: of the archive; None: it can't be used.
            words: for results that are lost.
        """
        self.summarised = origin.summarised
        self._chain = origin.chain
        self._database = database
        self._words = words

    async def live(self, node: str) -> LiveNode | None:
        """A node as it was left; None: it can't be had whole."""
        return await self._ask(lambda one: load_live(one, node, self._words))

    async def older(self) -> Work:
        """What was done in the chain where an older version wrote it; what can be read of it."""
        return await self._ask(lambda one: older_work(one, self._chain)) or NOTHING

    async def page(self, node: str, before: Cursor | None, most: int) -> PastPage:
        """What was said in a node's past before a place, each as it first came.

        Args:
            node: whose past.
            before: from `PastPage.earlier`; None: the newest.
            most: how many entries.
        """
        return await self._ask(lambda one: past_page(one, node, before, most)) or PastPage(())

    async def before(self, summary: str) -> LiveNode | None:
        """The node that a summary's was begun from."""
        node = await self.node_before(summary)
        return None if node is None else await self.live(node)

    async def node_before(self, summary: str) -> str | None:
        """The id of that node, by the id of the summary's message."""

        def find(connection: Connection) -> str | None:
            for node in chain_nodes(connection, self._chain):
                if node.summary is not None and node.summary.summary == summary:
                    return node.parent
            return None

        return await self._ask(find)

    async def _ask(self, work: Callable[[Connection], T]) -> T | None:
        database = self._database
        if database is None or database.trouble is not None:
            return None
        try:
            return await database.run(work)
        except HaimaError:
            _log.exception("the archive can't be asked")
            return None


def _told_already(event: Event) -> None:
    """What of the documents is cut was said when the session began."""


def make_tier(
    *,
    parts: Callable[[], Parts],
    model: Callable[[], ChatModel],
    recorder: Recorder,
    context: SessionContext,
    originals: ChainOriginals,
    past: ChainPast,
    known: Callable[[], Awaitable[Known]],
    recalled: Recalled,
    start: Callable[[], NodeStart],
    publish: Publish,
) -> SummaryTier:
    """The tier of a chain; nothing is asked yet.

    Args:
        parts: what the session is made of now.
        model: the one that answers now.
        recorder: of the chain.
        context: how full the window is.
        originals: the chain's earlier messages.
        past: its earlier nodes.
        known: what code knows of its work.
        recalled: facts that a summary takes away and that the newest message needs.
        start: a child's first row, without its layout.
        publish: gets the events.
    """
    made = parts()

    def summarizer() -> Summarizer:
        now, auxiliary = parts(), None
        if model().base_url:  # the demo asks nobody
            auxiliary = now.auxiliary.model(now.settings)
        if auxiliary is None:
            tokens = context.meter.text_tokens
            writer = main_writer(model(), context.window.marks, tokens)
        else:
            writer = auxiliary_writer(auxiliary, context.auxiliary.of(auxiliary))

        async def learned(limit: int | None, *, stated: bool) -> None:
            if auxiliary is not None and limit is not None:
                source: Source = "stated" if stated else "guessed"
                context.say(await context.auxiliary.learn(auxiliary, limit, source))

        return Summarizer(writer, now.words, learned)

    async def system() -> Message:
        now = parts()
        git = await git_state(now.project.root, now.environ)
        return system_message(now, git, _told_already)

    return SummaryTier(
        Means(
            recorder=recorder,
            meter=context.meter,
            marks=lambda: context.window.marks,
            tools=lambda: context.tools,
            schemas=lambda: context.schemas,
            settings=lambda: parts().settings.compaction,
            summarizer=summarizer,
            start=start,
            system=system,
            find=originals.find,
            texts=originals.texts,
            known=known,
            live=past.live,
            before=past.before,
            reasoning=lambda: dialect_for(model().base_url, model().name).reasoning(
                text="", field="", details="", has_calls=False, in_tool_turn=True
            ),
            publish=publish,
            words=made.words,
            new_id=made.new_id,
            seconds=made.clock.monotonic,
            now=made.clock.now,
            begun=past.summarised,
            attended=made.allowance is None,
            recalled=recalled,
        )
    )
