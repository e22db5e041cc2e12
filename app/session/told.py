"""What a session's ledger, and its agent, were told last: who answers, where, with which tools."""

from dataclasses import dataclass
from typing import Self

from app.agent.react import Agent
from app.archive.nodes import schema_mark
from app.archive.recorder import Recorder
from app.session.about import haima_version


@dataclass(frozen=True, slots=True)
class Told:
    """What was told last; told again where it changes.

    Attributes:
        model: who answers.
        branch: the git branch; "" for none.
        tools: `schema_mark` of the tools on offer.
    """

    model: str
    branch: str
    tools: str

    @classmethod
    def of(cls, agent: Agent, branch: str) -> Self:
        """How it is now."""
        return cls(agent.model.name, branch, schema_mark(agent.toolbox.schemas))

    async def write(self, recorder: Recorder, project: str) -> None:
        """Writes it down for a node that has begun.

        Raises:
            StorageError: it can't be written.
        """
        await recorder.opened(
            project=project,
            model=self.model,
            version=haima_version(),
            branch=self.branch,
            tools=self.tools,
        )
