"""One chain while it is open: its ledger, its history, and the agent that drives it."""

import logging
from dataclasses import replace
from pathlib import Path

from app.archive.database import Database
from app.archive.ledger import Ledger
from app.archive.nodes import LayoutEntry, NodeStart
from app.archive.recorder import Recorder
from app.compaction.compactor import Compactor
from app.compaction.images import OldPictures
from app.conversation.history import History
from app.conversation.images import Sight
from app.conversation.messages import Message, Part
from app.conversation.standing import PLAIN, Tier
from app.events import Notice
from app.llm.sight import sight_of
from app.ports import ChatModel, Publish
from app.project import GitState
from app.session.about import haima_version
from app.session.branch import branch_told, current_branch
from app.session.chain_agent import make_agent
from app.session.chain_work import ChainWork
from app.session.context import SessionContext
from app.session.incoming import incoming
from app.session.originals import ChainOriginals
from app.session.parts import Parts
from app.session.past_names import PastNames
from app.session.remembering import Remembering
from app.session.remembering_tools import RememberingTools
from app.session.restore import Origin, is_answered
from app.session.summarising import ChainPast, make_tier
from app.session.system_message import system_message
from app.session.taking_back import TakingBack
from app.session.told import Told
from app.storage import StorageError
from app.tools.toolbox import Toolbox

_log = logging.getLogger(__name__)


class Chain:
    """A chain while one of its nodes is open.

    Attributes:
        id: the chain's id, which is its first node's.
        origin: where the node came from.
        agent: answers what stands at the history's end.
        work: what is known of its work, and the names that the conversation held.
        originals: its earlier messages.
        past: its earlier nodes.
        summaries: summarises it, through `compactor`.
        compactor: keeps its requests within the window.
        taking_back: what the user's next message quotes.
    """

    def __init__(
        self,
        parts: Parts,
        model: ChatModel,
        publish: Publish,
        git: GitState | None,
        context: SessionContext,
        remembering: Remembering,
        *,
        origin: Origin,
        ledger: Ledger,
        database: Database | None,
    ) -> None:
        """Goes on from `origin`, in its ledger.

        Args:
            parts: what it is made of.
            model: answers.
            publish: gets the agent's events; not called before the chain is asked for something.
            git: the repository as it is now; a new system message tells it.
            context: follows what goes out, and says how much fits.
            remembering: the memory.
            origin: where the node comes from, and what it begins with.
            ledger: the node's, open (`open_ledger`); closed with the chain.
            database: follows the ledger, and gives earlier messages; None: it can't be used.
        """
        self.id = origin.chain
        self.origin = origin
        self._parts = parts
        self._publish = publish
        self._remembering = remembering
        self._git = git
        self._begun = origin.begun
        branch = (git.branch if git else "") if origin.branch is None else origin.branch
        self._told = Told(model=origin.model or model.name, branch=branch, tools=origin.tools)
        self._told_repairs = 0
        self._ledger = ledger
        self._recorder = Recorder(
            History() if origin.history is None else origin.history,
            self._ledger,
            origin.node,
            credentials=parts.settings.credentials,
            waiting=origin.waiting,
            standings=origin.standings or {},
            files=origin.files,
            paused=origin.paused,
            projection=database,
            way_back=origin.way_back,
        )
        self._pictures = OldPictures(
            parts.words,
            lambda: self._sight().room(),
            tokens=lambda: context.meter.measure(self.history, context.tools).tokens,
            publish=publish,
        )
        ledgers = tuple(map(parts.paths.ledger, dict.fromkeys((origin.chain, origin.ledger))))
        self.past = ChainPast(origin, database=database, words=parts.words)
        self.work = ChainWork(
            root=parts.project.root,
            loaded=origin.work,
            older=self.past.older,
            names=lambda: self._names.take_up(),  # noqa: PLW0108 - made below
            top_n=lambda: self._parts.settings.compaction.top_n,
            recorder=self._recorder,
            context=context,
            clock=parts.clock,
            publish=publish,
            words=parts.words,
        )
        self.originals = ChainOriginals(
            origin.chain,
            database=database,
            ledgers=ledgers,
            meter=context.meter,
            marks=lambda: context.window.marks,
        )
        self.summaries = make_tier(
            parts=lambda: self._parts,
            model=lambda: self.agent.model,
            recorder=self._recorder,
            context=context,
            originals=self.originals,
            past=self.past,
            known=self.work.known,
            recalled=lambda now, then: remembering.recall_again(now, then, self.originals.texts),
            start=self._start,
            publish=publish,
        )
        self.compactor = Compactor(
            recorder=self._recorder,
            meter=context.meter,
            marks=lambda: context.window.marks,
            tools=lambda: context.tools,
            publish=publish,
            words=parts.words,
            index=self.work.index,
            settings=lambda: self._parts.settings.compaction,
            tier=self.summaries,
            recovery=self.work.recovery,
        )
        self._names = PastNames(
            self.work.index,
            self.past,
            node=lambda: self.node if self._begun else "",
            take_up=lambda earlier: self.compactor.take_up(self.originals.find, earlier),
        )
        self.taking_back = TakingBack(
            self.originals,
            root=parts.project.root,
            words=parts.words,
            history=lambda: self.history,
            marks=lambda: context.window.marks,
            publish=publish,
        )
        self.agent = make_agent(
            chain=origin.chain,
            parts=lambda: self._parts,
            model=model,
            toolbox=self._toolbox(),
            recorder=self._recorder,
            context=context,
            originals=self.originals,
            work=self.work,
            before_call=self._before_call,
            compactor=self.compactor,
            publish=publish,
        )
        self._system: Message | None = None

    @property
    def node(self) -> str:
        """The session's id: the node rows and events belong to."""
        return self._recorder.node

    @property
    def ledger(self) -> Path:
        """The ledger it is written to."""
        return self._ledger.path

    @property
    def begun(self) -> bool:
        """Whether it is written down: something was said in it, or it was forked on purpose."""
        return self._begun

    @property
    def history(self) -> History:
        """The conversation; to be read only."""
        return self._recorder.history

    @property
    def answered(self) -> bool:
        """Whether the model came to the end of its answer, or nothing was asked yet."""
        return is_answered(self.history)

    @property
    def prospect(self) -> History:
        """What the next request would hold: before the first message, the system message alone."""
        return self.history or History((self._system_message(),))

    @property
    def paused(self) -> frozenset[Tier]:
        """The tiers that don't work by themselves."""
        return self._recorder.paused

    def is_pinned(self, message_id: str) -> bool:
        """Whether a message is pinned."""
        return self._recorder.standings.get(message_id, PLAIN).pinned

    async def _before_call(self, history: History) -> None:
        """What happens before every call to the model (DESIGN 3.3)."""
        await self._parts.before_call(history)
        await self.take_out_facts()
        await self._pictures.leave(self._recorder)
        await self._names.take_up()
        await self.work.tell_taken()
        await self.compactor.before_call(history)

    async def admit(self, message_id: str, text: str) -> Message:
        """The user's message joins the history; the first one begins the node.

        Pictures it mentions are attached, long pastes spelt out (`incoming`). Facts are recalled
        for it, and corrected (DESIGN 3.2), a changed git branch is told with it (DESIGN 3), and
        what the user changed by hand. What was brought back is quoted in it; then it is pinned.

        Returns:
            The message as it is kept, credentials masked.

        Raises:
            StorageError: it can't be written down; the history has no message more.
        """
        await self.ready()
        taken = await incoming(text, self.id, self._parts, self.agent.model)
        recalled = await self._remembering.recall(text, self.history, self.originals.texts)
        branch = current_branch(self._parts.project.root)
        changed = branch_told(branch, self._told.branch, self.history, self._parts.words)
        quoted = self.taking_back.parts()
        work, by_hand = await self.work.of_user(message_id, taken.parts)
        parts: tuple[Part, ...] = (*taken.parts, *recalled, *changed, *by_hand, *quoted)
        message = await self._recorder.append(Message(message_id, "user", parts), work=work)
        self.work.admitted(self._recorder.as_kept(work), message.id)
        self._remembering.kept(message.id)
        await self.taking_back.joined(message.id, quoted, self._recorder)
        for notice in taken.notices:
            self._publish(notice)
        await self._note_changes(branch)
        return message

    def tell_admitted(self) -> None:
        """Tells what the messages that just joined the history quote and recall."""
        self.taking_back.tell()
        self._remembering.tell_recalled()
        self.work.tell()

    async def take_out_facts(self) -> None:
        """Takes facts that were deleted everywhere out of the history; most times there are none.

        Raises:
            StorageError: it can't be written.
        """
        await self._remembering.take_out(self._recorder, self.begin)

    async def ready(self) -> None:
        """The node has its first row, and every call a result: something can follow.

        Raises:
            StorageError: it can't be written.
        """
        await self.begin()
        await self.agent.mend()

    async def begin(self) -> None:
        """Writes the node's first row, where it has none: its system message, or what it shares.

        Raises:
            StorageError: it can't be written; the node isn't begun.
        """
        if self._begun:
            return
        origin, history = self.origin, self.history
        system = () if history else (self._system_message(),)
        self._told = Told.of(self.agent, self._told.branch)
        await self._recorder.begin(
            replace(
                self._start(),
                parent=origin.parent,
                relation=origin.relation,
                layout=(*(LayoutEntry(one.id) for one in system), *self._recorder.layout()),
                messages=system,
                recovery=history.recovery,
                fork_at=origin.fork_at,
                fork_turn=origin.fork_turn,
                after=origin.after,
            )
        )
        self._begun = True

    def _start(self) -> NodeStart:
        """What the first row of each node says of how it is worked on."""
        return NodeStart(
            chain=self.id,
            project=str(self._parts.project.root),
            model=self._told.model,
            version=haima_version(),
            branch=self._told.branch,
            tools=self._told.tools,
            paused=self._recorder.paused,
        )

    async def _note_changes(self, branch: str) -> None:
        """Another model, other tools, another branch; after the message that tells the branch."""
        if (told := Told.of(self.agent, branch)) == self._told:
            return
        self._told = told
        try:
            await told.write(self._recorder, str(self._parts.project.root))
        except StorageError:  # the message is there; what follows it fails with words of its own
            _log.exception("another model or branch can't be written down")

    async def settle(self) -> None:
        """Everything so far is on the disk; what was put right in the ledger is told."""
        try:
            await self._recorder.sync()
        finally:
            for repair in self._ledger.repairs[self._told_repairs :]:
                self._told_repairs += 1
                text = repair.sentence(self._parts.words)
                self._publish(Notice(code="ledger", text=text, severity="warn"))

    def use(self, model: ChatModel, parts: Parts) -> None:
        """From the next step on another model answers, and other credentials are kept out."""
        self._parts = parts
        self._recorder.use_credentials(parts.settings.credentials)
        self.agent.model = model
        self.summaries.user_acts()
        self.agent.toolbox = self._toolbox()

    def _toolbox(self) -> Toolbox:
        """The tools, as the settings have them now."""
        parts, facts = self._parts, self._remembering
        memory = RememberingTools(
            facts, history=lambda: self.history, node=lambda: self.node, clock=parts.clock
        )
        return parts.toolbox(
            self.originals, self._sight, memory if facts.enabled else None, self.work
        )

    def _sight(self) -> Sight:
        """What the model that answers next takes of pictures."""
        return sight_of(self.agent.model)

    async def title(self, title: str) -> None:
        """Gives the node a title.

        Raises:
            StorageError: it can't be written.
        """
        await self.begin()
        await self._recorder.title(title)

    async def leave(self, new_node: str) -> None:
        """Writes down that `/clear` began another node; nothing where nothing was said.

        Raises:
            StorageError: it can't be written; the chain goes on.
        """
        if self._begun:
            await self._recorder.clear(new_node)

    def close(self) -> None:
        """Gives the ledger back, all rows on the disk.

        Raises:
            StorageError: the disk failed.
        """
        self._names.stop()
        self._ledger.close()

    def _system_message(self) -> Message:
        """The system message of this chain, made once."""
        if self._system is None:
            self._system = system_message(self._parts, self._git, self._publish)
        return self._system
