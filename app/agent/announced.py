"""Decisions that are announced: an event when the user is asked, one when they answered."""

from app.events import (
    ApprovalAnswer,
    ApprovalAnswered,
    ApprovalQuestion,
    ApprovalRequested,
    ConflictAnswer,
    ConflictQuestion,
)
from app.ports import Decisions, Publish


class AnnouncedDecisions:
    """Passes questions on and publishes around them; a cancelled question has no answer."""

    def __init__(self, decisions: Decisions, publish: Publish) -> None:
        self._decisions = decisions
        self._publish = publish

    async def approve(self, question: ApprovalQuestion) -> ApprovalAnswer:
        """Asks, between the two events."""
        self._publish(
            ApprovalRequested(
                id=question.id,
                tool=question.tool,
                subject=question.subject,
                risk=question.risk,
            )
        )
        answer = await self._decisions.approve(question)
        self._publish(ApprovalAnswered(id=question.id, tool=question.tool, verdict=answer.verdict))
        return answer

    async def resolve_conflict(self, question: ConflictQuestion) -> ConflictAnswer | None:
        """Asks; what comes of it is told by the events of the facts."""
        return await self._decisions.resolve_conflict(question)
