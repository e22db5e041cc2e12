"""What a session's chains are made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from app.agent.approvals import Allowance
from app.agent.react import BeforeCall
from app.config import Settings
from app.conversation.images import Sight
from app.conversation.messages import IdFactory
from app.paths import Paths
from app.ports import Clock, Decisions
from app.project import Project
from app.session.auxiliary import Auxiliary
from app.text import Words
from app.tools.read_history import Originals
from app.tools.save_memory import MemoryAccess
from app.tools.toolbox import Toolbox
from app.tools.work_access import WorkAccess


@dataclass(frozen=True, slots=True)
class Parts:
    """What chains are made of; the same for all chains of a session.

    Attributes:
        environ: the environment of commands, Haima's credentials taken out.
        allowance: None: the user is asked; else what `haima run` may do without asking.
        before_call: runs before every call to the model.
        auxiliary: the model that writes summaries, where one is set apart.
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
    auxiliary: Auxiliary

    def with_settings(self, settings: Settings) -> "Parts":
        """The same with other settings."""
        return replace(self, settings=settings)

    def toolbox(
        self,
        originals: Originals,
        sight: Callable[[], Sight],
        memory: MemoryAccess | None = None,
        work: WorkAccess | None = None,
    ) -> Toolbox:
        """The tools, as the settings have them.

        Args:
            originals: earlier messages.
            sight: what the model takes of pictures, at the moment.
            memory: what is remembered across sessions; None: it is switched off.
            work: what is known of the work; None: nothing is.
        """
        return Toolbox(
            self.project,
            self.words,
            self.environ,
            self.settings.tools,
            self.settings.credentials,
            originals,
            sight,
            memory,
            work,
        )
