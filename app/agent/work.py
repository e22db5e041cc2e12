"""What the agent tells the worklog of: each step, each result, before it joins the history."""

from typing import Protocol

from app.conversation.messages import ToolCall
from app.conversation.work import NOTHING, Work


class WorkKeeper(Protocol):
    """Keeps the worklog of a chain."""

    def begin_step(self) -> None:
        """The agent made another step."""
        ...

    def of_result(self, call: ToolCall, text: str, *, ok: bool, more: Work = NOTHING) -> Work:
        """What a result adds, to be written down in its row.

        Args:
            call: the call it answers.
            text: the whole result as the model gets it.
            ok: the call went well.
            more: what the tool itself says.
        """
        ...

    def kept(self, work: Work) -> None:
        """It is written down, and counts from now on."""
        ...


class NoWork:
    """Keeps nothing; for conversations without a worklog."""

    def begin_step(self) -> None:
        """Does nothing."""

    def of_result(
        self,
        call: ToolCall,  # noqa: ARG002
        text: str,  # noqa: ARG002
        *,
        ok: bool,  # noqa: ARG002
        more: Work = NOTHING,
    ) -> Work:
        """Adds nothing but what the tool itself says."""
        return more

    def kept(self, work: Work) -> None:
        """Does nothing."""
