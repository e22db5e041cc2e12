"""Shows the broker's questions: one approval at a time, over whatever screen is open."""

from collections.abc import Callable

from app.events import ApprovalAnswer, ApprovalQuestion
from app.session.questions import Broker
from widgets.dialogs.approval import ApprovalDialog
from widgets.dialogs.desk import ModalDesk
from widgets.look import Look


class ApprovalView:
    """A `QuestionView` on the screen.

    Args:
        broker: takes the answers.
        desk: shows dialogs one at a time.
        look: words and glyphs as they are when a question comes.
        clock: seconds that only go forward.
        typed_at: when something was last typed.
    """

    def __init__(
        self,
        broker: Broker,
        desk: ModalDesk,
        *,
        look: Callable[[], Look],
        clock: Callable[[], float],
        typed_at: Callable[[], float | None],
    ) -> None:
        self._broker = broker
        self._desk = desk
        self._look = look
        self._clock = clock
        self._typed_at = typed_at
        self._dialog: ApprovalDialog | None = None

    def show(self, question: ApprovalQuestion) -> None:
        """Shows a question when no other dialog is open."""
        dialog = ApprovalDialog(
            question, self._look(), clock=self._clock, typed_at=self._typed_at()
        )
        self._dialog = dialog

        def answered(answer: ApprovalAnswer | None) -> None:
            self._broker.answer(question.id, answer or ApprovalAnswer(verdict="refuse"))

        self._desk.open(dialog, answered)

    def hide(self, question_id: str) -> None:
        """Takes a question off that nobody waits for any more."""
        if self._dialog is not None and self._dialog.question.id == question_id:
            self._desk.withdraw(self._dialog)
            self._dialog = None

    def waiting(self, count: int) -> None:
        """Counts the questions behind it."""
        if self._dialog is not None:
            self._dialog.waiting = count
