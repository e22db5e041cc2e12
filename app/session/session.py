"""A session: one conversation in one project, with everything a screen or a run may do to it."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from app.archive.database import Database
from app.archive.lineage import whole_past
from app.archive.reading import reading
from app.config import Settings
from app.conversation.history import History
from app.conversation.messages import Message
from app.conversation.past import Past
from app.errors import HaimaError
from app.events import Event, HistoryCleared, Notice, SessionStarted
from app.ports import ChatModel, Listeners
from app.project import GitState, git_state
from app.session.arrival import changes_told, fork_told, pauses_told
from app.session.chain import Chain
from app.session.chains import Chains
from app.session.context import SessionContext
from app.session.earlier import Earlier
from app.session.export import export_markdown
from app.session.exports.masking import for_export
from app.session.launch import StartRequest
from app.session.learned import LearnedLimits
from app.session.parts import Parts
from app.session.previewing import Previews
from app.session.queue import SessionBusy
from app.session.remembering import Remembering
from app.session.restore import Begin, Fork, Resume, Start
from app.session.turns import Turns
from app.session.usage import UsageSums
from app.session.work_changes import ChangesWork
from app.session.working import Works
from app.text import Words


class Session(Previews, Works, ChangesWork):
    """What screens and `haima run` talk to.

    Attributes:
        parts: what the session is made of.
        publish: whoever wants events subscribes here.
        model: answers from the next step on (`use_model`).
        git: the repository when it was last looked at.
        context: how full the window is.
        earlier: the other sessions of the project.
        remembering: the long-term memory, as the session uses it.
    """

    def __init__(self, parts: Parts, model: ChatModel, notices: Iterable[HaimaError] = ()) -> None:
        """Takes the parts together; nothing is opened.

        Args:
            parts: see `build.build_session`.
            model: answers.
            notices: told once the session is open.
        """
        self.parts = parts
        self.publish = Listeners()
        self.model = model
        self.git: GitState | None = None
        self._notices = list(notices)
        self._chain: Chain | None = None
        self.context = SessionContext(
            model,
            parts.settings,
            words=lambda: self.words,
            publish=self._tell,
            history=lambda: self._open.prospect,
            schemas=lambda: self._open.agent.toolbox.schemas,
            compactor=lambda: self._open.compactor,
            limits=LearnedLimits(parts.paths.limits_file, parts.clock.now),
        )
        self.remembering = Remembering(
            lambda: self.parts,
            chain=lambda: self._chain,
            busy=lambda: self.busy,
            tell=self._tell,
            tokens=self.context.meter.text_tokens,
            marks=lambda: self.context.window.marks,
            title=lambda node: self._chains.title(node),  # noqa: PLW0108 - made below
        )
        self._chains = Chains(self._tell, self.context, self.remembering, self._report)
        self._turns = Turns(lambda: self._open, lambda: self.parts, self.context, self._tell)
        self.earlier = Earlier(self)

    @property
    def words(self) -> Words:
        """The language of the session."""
        return self.parts.words

    @property
    def settings(self) -> Settings:
        """The settings it was opened with."""
        return self.parts.settings

    @property
    def chain(self) -> str:
        """The chain's id; "" before `open`."""
        return self._chain.id if self._chain else ""

    @property
    def node(self) -> str:
        """The session's id; "" before `open`."""
        return self._chain.node if self._chain else ""

    @property
    def past_node(self) -> str:
        """Whose past it shows: its parent's, while nothing was said in it; "" before `open`."""
        chain = self._chain
        if chain is None or chain.begun or chain.origin.relation != "fork":
            return self.node
        return chain.origin.parent or self.node

    @property
    def title(self) -> str:
        """What an earlier session was called when it was opened, and a fork at first; else ""."""
        return self._chain.origin.called if self._chain else ""

    async def title_of(self, node: str) -> str:
        """What a session is called; "" where it has no title, or isn't known."""
        return await self._chains.title(node)

    @property
    def history(self) -> History:
        """The conversation; to be read only."""
        return self._open.history

    @property
    def database(self) -> Database:
        """The archive.

        Raises:
            HaimaError: it can't be used.
        """
        return self._chains.database

    async def _caught_up(self) -> None:
        await self._chains.caught_up()

    # Which conversation is open

    async def find(self, request: StartRequest) -> Start | None:
        """What the command line asks for; None: `--continue`, and there is nothing yet.

        Raises:
            HaimaError: there is no such session, or none can be had.
        """
        return await self._chains.find(request, self.parts)

    async def open(self, start: Start = Begin()) -> None:  # noqa: B008 - frozen
        """Opens the archive and the ledger, and tells what the user should know.

        Args:
            start: where the conversation begins.

        Raises:
            SessionOpenElsewhere: another process has that session open.
            HaimaError: it can't be opened.
        """
        await self.look_at_git()
        chain = await self._opened(start)
        self._chain = chain
        self._arrive()

    async def resume(self, node: str) -> None:
        """Leaves the present node and goes on with another.

        Args:
            node: its whole id.

        Raises:
            SessionBusy: the agent works.
            SessionOpenElsewhere: another process has it open.
            HaimaError: it can't be opened; nothing changed.
        """
        if node != self.node:
            await self._switch(Resume(node))

    async def fork(self, message: str | None, node: str | None = None) -> None:
        """Goes on from a message in a node of its own.

        Args:
            message: its id, in the live history or in that of a node above; None: the end.
            node: whose; None: the present one.

        Raises:
            SessionBusy: the agent works.
            HaimaError: there is no such node or message, or it can't be written; nothing changed.
        """
        await self._switch(Fork(node or self.past_node, message))

    async def clear(self) -> None:
        """Begins a new chain with an empty history; the old one stays in its ledger.

        What was allowed "always this session" is forgotten; waiting messages stay.

        Raises:
            SessionBusy: the agent works.
            StorageError: it can't be written down, or there can be no new ledger; nothing changed.
        """
        await self._switch(Begin(parent=self.node if self._open.begun else None))

    async def retitle(self, title: str) -> None:
        """Gives the open node a title.

        Raises:
            StorageError: it can't be written.
        """
        await self._open.title(title)

    def use_model(self, model: ChatModel, settings: Settings | None = None) -> None:
        """Answers come from this model from the next step on; the history stays as it is.

        Args:
            model: the new one.
            settings: where they changed with it (another key).
        """
        if settings is not None:
            self.parts = self.parts.with_settings(settings)
        self.model = model
        if self._chain is not None:
            self._chain.use(model, self.parts)
            self.context.use(model, self.parts.settings)

    async def look_at_git(self) -> GitState | None:
        """The repository's state now, for the header; at most two seconds."""
        self.git = await git_state(self.parts.project.root, self.parts.environ)
        return self.git

    async def usage(self) -> UsageSums:
        """What the calls of this chain came to.

        Raises:
            HaimaError: the archive can't be read.
        """
        return await self._chains.usage(self.chain, self._open.ledger)

    async def export(self) -> Path:
        """Writes the conversation, over all its summaries and forks, into the project.

        Never over a file. Without a usable archive it is what the history still holds.

        Raises:
            ExportError: there is nothing yet, or it can't be written.
        """
        return await asyncio.to_thread(self._export)

    async def close(self) -> None:
        """Stops the agent and gives the ledger back; what waits in the queue is dropped.

        Raises:
            StorageError: the disk failed.
        """
        self.stop()
        await self.wait_idle()
        await self.context.close()
        chain, self._chain = self._chain, None
        try:
            if chain is not None:
                chain.close()
        finally:
            await self.remembering.close()
            await self.parts.auxiliary.close()
            await self._chains.close()

    @property
    def _open(self) -> Chain:
        if self._chain is None:
            raise RuntimeError("the session isn't open")
        return self._chain

    async def _opened(self, start: Start) -> Chain:
        """A chain that is open; a fork that was asked for is written down at once."""
        chain = await self._chains.open(start, self.parts, self.model, self.git)
        if isinstance(start, Fork):
            try:
                await chain.begin()
            except BaseException:
                chain.close()
                raise
        return chain

    async def _switch(self, start: Start) -> None:
        """Another chain takes the place of the open one."""
        if self.busy:
            raise SessionBusy("session.busy")
        async with self._turns.switching:
            old = self._open
            await self.look_at_git()
            new = await self._opened(start)
            if isinstance(start, Begin):
                try:
                    await old.leave(new.node)
                except HaimaError:
                    new.close()
                    raise
            self._tell(HistoryCleared())
            self._chain = new
            self._arrive()
            try:
                old.close()
            except HaimaError as error:
                self._report(error)

    def _arrive(self) -> None:
        """Tells which conversation is open, and what became of it meanwhile."""
        chain, origin = self._open, self._open.origin
        self._turns.begin_anew(answered=chain.answered)
        self.remembering.begin_anew()
        self._tell(
            SessionStarted(
                model=self.model.name,
                project=str(self.parts.project.root),
                resumed=origin.history is not None,
                unfinished=not chain.answered,
                title=origin.title,
            )
        )
        waiting, self._notices = self._notices, []
        for notice in waiting:
            self._report(notice)
        for event in (*fork_told(chain), *changes_told(chain, self.words)):
            self._tell(event)
        self.context.begin(origin.last_usage, resumed=origin.history is not None)
        for event in pauses_told(chain):
            self._tell(event)

    def _export(self) -> Path:
        def write(past: Iterable[Past | Message]) -> Path:
            return export_markdown(
                past,
                self.parts.project.root,
                chain=self.chain,
                today=self.parts.clock.now().astimezone().date(),
                words=self.words,
                mask=for_export(self.settings.mask),
            )

        try:
            path = self.database.path
        except HaimaError:
            return write(self.history)
        with reading(path) as connection:
            return write(whole_past(connection, self.past_node))

    def _report(self, error: HaimaError) -> None:
        """Something the user should hear; before the session is open it waits."""
        if self._chain is None:
            self._notices.append(error)
        else:
            self._notice(error.code, error.sentence(self.words))

    def _notice(self, code: str, text: str) -> None:
        self._tell(Notice(code=code, text=text, severity="warn"))

    def _tell(self, event: Event) -> None:
        """Stamps an event and passes it on."""
        stamp = {"at": self.parts.clock.now(), "session": self.node, "chain": self.chain}
        self.publish(event.model_copy(update=stamp))
        self.context.follow(event)
