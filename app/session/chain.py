"""One chain while it is open: its ledger, its history, and the agent that drives it."""

import logging
import platform
import shutil
from pathlib import Path

from app.agent.announced import AnnouncedDecisions
from app.agent.approvals import Approvals
from app.agent.prompts import Surroundings, system_parts
from app.agent.react import Agent
from app.archive.ledger import Ledger
from app.archive.nodes import LayoutEntry, NodeStart, schema_mark
from app.archive.projection import Projection
from app.archive.recorder import Recorder
from app.conversation.history import History
from app.conversation.messages import CorrectionPart, Message, Part, TextPart
from app.errors import HaimaError
from app.events import Notice
from app.ports import ChatModel, ContextWatch, Publish
from app.project import GitState
from app.session.about import haima_version
from app.session.branch import current_branch
from app.session.documents import read_documents
from app.session.elsewhere import SessionOpenElsewhere
from app.session.parts import Parts
from app.session.restore import Origin
from app.storage import Locked, StorageError

_log = logging.getLogger(__name__)


class LedgerShort(HaimaError):  # noqa: N818
    """A session's ledger has lost rows since it was read, or is gone: nothing may follow them."""

    code = "ledger"


def open_ledger(origin: Origin, parts: Parts) -> Ledger:
    """A node's ledger; the file of a new one comes with the first row.

    Raises:
        SessionOpenElsewhere: another process has it open.
        LedgerShort: rows of it are gone.
        StorageError: it can't be opened.
    """
    try:
        ledger = Ledger.open(parts.paths.ledger(origin.ledger), now=parts.clock.now)
    except Locked as error:
        raise SessionOpenElsewhere(origin.node) from error
    if ledger.seq < origin.last_seq:
        ledger.close()
        raise LedgerShort("session.ledger_short", node=origin.node[:4], path=ledger.path)
    return ledger


class Chain:
    """A chain while one of its nodes is open.

    Attributes:
        id: the chain's id, which is its first node's.
        origin: where the node came from.
        agent: answers what stands at the history's end.
    """

    def __init__(
        self,
        parts: Parts,
        model: ChatModel,
        publish: Publish,
        git: GitState | None,
        watch: ContextWatch,
        *,
        origin: Origin,
        ledger: Ledger,
        projection: Projection | None,
    ) -> None:
        """Goes on from `origin`, in its ledger.

        Args:
            parts: what it is made of.
            model: answers.
            publish: gets the agent's events; not called before the chain is asked for something.
            git: the repository as it is now; a new system message tells it.
            watch: follows what goes out.
            origin: where the node comes from, and what it begins with.
            ledger: the node's, open (`open_ledger`); closed with the chain.
            projection: follows the ledger.
        """
        self.id = origin.chain
        self.origin = origin
        self._parts = parts
        self._publish = publish
        self._git = git
        self._begun = origin.begun
        told = origin.branch
        self._told_branch = (git.branch if git else "") if told is None else told
        self._told_model = origin.model or model.name
        self._told_tools = origin.tools
        self._told_repairs = 0
        self._ledger = ledger
        self._recorder = Recorder(
            History() if origin.history is None else origin.history,
            self._ledger,
            origin.node,
            credentials=parts.settings.credentials,
            waiting=origin.waiting,
            standings=origin.standings or {},
            projection=projection,
        )
        self.agent = Agent(
            model=model,
            toolbox=parts.toolbox(),
            approvals=Approvals(AnnouncedDecisions(parts.decisions, publish), parts.allowance),
            recorder=self._recorder,
            publish=publish,
            clock=parts.clock,
            new_id=parts.new_id,
            words=parts.words,
            log_file=str(parts.paths.log_file),
            before_call=parts.before_call,
            watch=watch,
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
        sent = [message for message in self.history if not message.discarded]
        if not sent or sent[-1].role == "system":
            return True
        return sent[-1].role == "assistant" and not sent[-1].calls

    @property
    def unedited(self) -> bool:
        """Whether all messages of the history are as they were said."""
        return all(one.body is None for one in self._recorder.standings.values())

    @property
    def prospect(self) -> History:
        """What the next request would hold: before the first message, the system message alone."""
        return self.history or History((self._system_message(),))

    async def admit(self, message_id: str, text: str) -> Message:
        """The user's message joins the history; the first one begins the node.

        A changed git branch is told with it (DESIGN 3).

        Returns:
            The message as it is kept, credentials masked.

        Raises:
            StorageError: it can't be written down; the history has no message more.
        """
        await self.ready()
        parts: tuple[Part, ...] = (TextPart(text),)
        branch = current_branch(self._parts.project.root)
        if branch != self._told_branch:
            told = self._parts.words(
                "system.branch_changed", branch=branch or "—", before=self._told_branch or "—"
            )
            if not self._just_told(told):  # a crash came before it was written down
                parts = (*parts, CorrectionPart(told))
        message = await self._recorder.append(Message(message_id, "user", parts))
        await self._note_changes(branch)
        return message

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
        self._told_model = self.agent.model.name
        self._told_tools = schema_mark(self.agent.toolbox.schemas)
        await self._recorder.begin(
            NodeStart(
                chain=self.id,
                parent=origin.parent,
                relation=origin.relation,
                project=str(self._parts.project.root),
                model=self._told_model,
                version=haima_version(),
                branch=self._told_branch,
                tools=self._told_tools,
                layout=(*(LayoutEntry(one.id) for one in system), *self._recorder.layout()),
                messages=system,
                recovery=history.recovery,
                fork_at=origin.fork_at,
                fork_turn=origin.fork_turn,
            )
        )
        self._begun = True

    def _just_told(self, text: str) -> bool:
        """Whether the newest message of the user tells this already."""
        asked = (one for one in reversed(self.history.messages) if one.role == "user")
        return CorrectionPart(text) in next((one.parts for one in asked), ())

    async def _note_changes(self, branch: str) -> None:
        """Another model, other tools, another branch; after the message that tells the branch."""
        told = (self.agent.model.name, branch, schema_mark(self.agent.toolbox.schemas))
        if told == (self._told_model, self._told_branch, self._told_tools):
            return
        self._told_model, self._told_branch, self._told_tools = model, branch, tools = told
        try:
            await self._recorder.opened(
                project=str(self._parts.project.root),
                model=model,
                version=haima_version(),
                branch=branch,
                tools=tools,
            )
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
        self.agent.toolbox = parts.toolbox()

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
        self._ledger.close()

    def _system_message(self) -> Message:
        """The system message of this chain, made once."""
        if self._system is None:
            self._system = self._make_system_message()
        return self._system

    def _make_system_message(self) -> Message:
        parts = self._parts
        found = read_documents(parts.project, parts.paths.home, parts.words)
        texts = system_parts(
            parts.words,
            Surroundings(
                root=parts.project.root,
                today=parts.clock.now().astimezone().date(),
                system=platform.system(),
                shell="bash" if shutil.which("bash", path=parts.environ.get("PATH")) else "sh",
                git=self._git,
                documents=found.documents,
                attended=parts.allowance is None,
            ),
        )
        for notice in found.notices:
            self._publish(notice)
        return Message(parts.new_id(), "system", tuple(map(TextPart, texts)))
