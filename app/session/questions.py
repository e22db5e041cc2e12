"""One broker owns every question to the user: one at a time, in the order they were asked.

A screen that opened a modal for each question itself would show the newest first, keep the modal
of a cancelled call, and dismiss the wrong one (TUI (f)). Here a question is shown when its turn
comes and taken off on every way out, a cancel included.
"""

import asyncio
from typing import Protocol, TypeAlias

from app.events import (
    ApprovalAnswer,
    ApprovalQuestion,
    ConflictAnswer,
    ConflictQuestion,
    Question,
)

Answer: TypeAlias = ApprovalAnswer | ConflictAnswer | None
"""What a view answers; None leaves a conflict undecided."""


class QuestionView(Protocol):
    """Where questions appear. Neither method may raise."""

    def show(self, question: Question) -> None:
        """Shows a question; `Broker.answer` brings the answer."""
        ...

    def hide(self, question_id: str) -> None:
        """Takes the question off: it was answered, or nobody waits for it any more."""
        ...

    def waiting(self, count: int) -> None:
        """How many more wait behind the one that is shown."""
        ...


class Broker:
    """A `Decisions` that asks through a view, one question after the other."""

    def __init__(self, view: QuestionView | None = None) -> None:
        self._view = view
        self._lock = asyncio.Lock()
        self._asked = 0
        self._current: Question | None = None
        self._future: asyncio.Future[Answer] | None = None

    @property
    def current(self) -> Question | None:
        """The question that waits for an answer now."""
        return self._current

    @property
    def waiting(self) -> int:
        """How many more questions wait behind the current one."""
        return max(0, self._asked - 1)

    def attach(self, view: QuestionView) -> None:
        """Sets the view; a question that was asked before shows now."""
        self._view = view
        if self._current is not None:
            view.show(self._current)
            view.waiting(self.waiting)

    async def approve(self, question: ApprovalQuestion) -> ApprovalAnswer:
        """Asks, once all earlier questions are answered; a cancel takes the question off."""
        answer = await self._in_turn(question)
        assert isinstance(answer, ApprovalAnswer)  # noqa: S101 - `answer` lets no other through
        return answer

    async def resolve_conflict(self, question: ConflictQuestion) -> ConflictAnswer | None:
        """Asks as `approve` does; None: the user left it undecided."""
        answer = await self._in_turn(question)
        assert not isinstance(answer, ApprovalAnswer)  # noqa: S101 - as above
        return answer

    def answer(self, question_id: str, answer: Answer) -> bool:
        """Answers the question that is shown; False for any other, or a second answer."""
        if self._current is None or self._current.id != question_id:
            return False
        if isinstance(answer, ApprovalAnswer) != isinstance(self._current, ApprovalQuestion):
            return False
        if self._future is None or self._future.done():
            return False
        self._future.set_result(answer)
        return True

    async def _in_turn(self, question: Question) -> Answer:
        self._count(+1)
        try:
            async with self._lock:
                return await self._ask(question)
        finally:
            self._count(-1)

    async def _ask(self, question: Question) -> Answer:
        self._future = asyncio.get_running_loop().create_future()
        self._current = question
        try:
            if self._view is not None:
                self._view.show(question)
                self._view.waiting(self.waiting)
            return await self._future
        finally:
            self._current = self._future = None
            if self._view is not None:
                self._view.hide(question.id)

    def _count(self, change: int) -> None:
        self._asked += change
        if self._view is not None:
            self._view.waiting(self.waiting)
