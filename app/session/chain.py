"""One chain while it is open: its ledger, its history, and the agent that drives it."""

import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.agent.announced import AnnouncedDecisions
from app.agent.approvals import Allowance, Approvals
from app.agent.prompts import Surroundings, system_parts
from app.agent.react import Agent, BeforeCall
from app.archive.ledger import Ledger
from app.archive.recorder import Recorder
from app.config import Settings
from app.conversation.history import History
from app.conversation.messages import CorrectionPart, IdFactory, Message, Part, TextPart
from app.events import Notice
from app.paths import Paths
from app.ports import ChatModel, Clock, ContextWatch, Decisions, Publish
from app.project import GitState, Project
from app.session.about import haima_version
from app.session.branch import current_branch
from app.session.documents import read_documents
from app.text import Words
from app.tools.toolbox import Toolbox


@dataclass(frozen=True, slots=True)
class Parts:
    """What chains are made of; the same for all chains of a session.

    Attributes:
        environ: the environment of commands, Haima's credentials taken out.
        allowance: None: the user is asked; else what `haima run` may do without asking.
        before_call: runs before every call to the model.
    """

    settings: Settings
    project: Project
    paths: Paths
    words: Words
    decisions: Decisions
    clock: Clock
    new_id: IdFactory
    environ: Mapping[str, str]
    allowance: Allowance | None
    before_call: BeforeCall

    def with_settings(self, settings: Settings) -> "Parts":
        """The same with other settings."""
        return replace(self, settings=settings)

    def toolbox(self) -> Toolbox:
        """The tools, as the settings have them."""
        return Toolbox(
            self.project,
            self.words,
            self.environ,
            self.settings.tools,
            self.settings.credentials,
        )


class Chain:
    """A chain while it is open.

    Attributes:
        id: the chain's id, which is its first node's.
        agent: answers what stands at the history's end.
    """

    def __init__(
        self,
        parts: Parts,
        model: ChatModel,
        publish: Publish,
        git: GitState | None,
        watch: ContextWatch,
    ) -> None:
        """Opens the chain's ledger; its file comes with the first row.

        Args:
            parts: what it is made of.
            model: answers.
            publish: gets the agent's events; not called before the chain is asked for something.
            git: the repository as it is now; the system message tells it.
            watch: follows what goes out.

        Raises:
            StorageError: the ledger can't be opened.
        """
        self.id = parts.new_id()
        self._parts = parts
        self._publish = publish
        self._git = git
        self._told_branch = git.branch if git else ""
        self._told_model = ""
        self._told_repairs = 0
        self._ledger = Ledger.open(parts.paths.ledger(self.id), now=parts.clock.now)
        self._recorder = Recorder(
            History(), self._ledger, self.id, credentials=parts.settings.credentials
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
    def history(self) -> History:
        """The conversation; to be read only."""
        return self._recorder.history

    @property
    def prospect(self) -> History:
        """What the next request would hold: before the first message, the system message alone."""
        return self.history or History((self._system_message(),))

    def admit(self, message_id: str, text: str) -> Message:
        """The user's message joins the history; before the first one, the system message.

        A changed git branch is told with it (DESIGN 3).

        Returns:
            The message as it is kept, credentials masked.

        Raises:
            StorageError: it can't be written down; the history is as before.
        """
        self.agent.mend()
        if self._told_model != self.agent.model.name:
            self._recorder.opened(
                project=str(self._parts.project.root),
                model=self.agent.model.name,
                version=haima_version(),
            )
            self._told_model = self.agent.model.name
        if not self.history:
            self._recorder.append(self._system_message())
        parts: tuple[Part, ...] = (TextPart(text),)
        branch = current_branch(self._parts.project.root)
        if branch != self._told_branch:
            told = self._parts.words(
                "system.branch_changed", branch=branch or "—", before=self._told_branch or "—"
            )
            parts = (*parts, CorrectionPart(told))
        message = self._recorder.append(Message(message_id, "user", parts))
        self._told_branch = branch
        return message

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

    def leave(self, new_node: str) -> None:
        """Writes down that `/clear` began another node; nothing where nothing was said.

        Raises:
            StorageError: it can't be written; the chain goes on.
        """
        if self.history:
            self._recorder.clear(new_node)

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
