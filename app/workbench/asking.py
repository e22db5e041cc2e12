"""Shows the broker's questions: one at a time, over whatever screen is open."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from app.events import ApprovalAnswer, ApprovalQuestion, ConflictAnswer, ConflictQuestion, Question
from app.session.questions import Broker
from app.workbench.app import Workbench
from widgets.dialogs.approval import ApprovalDialog
from widgets.dialogs.conflict import ConflictDialog


@dataclass(frozen=True, slots=True)
class Row:
    """Where a conflict of the inbox stands among those that are walked through.

    Attributes:
        content: the text it is about; another conflict that comes meanwhile isn't of the row.
        before, behind: how many others stand there.
    """

    content: str
    before: int
    behind: int


class Asking:
    """A `QuestionView` on the screen.

    Attributes:
        row: of the conflict of the inbox that is being asked; None: none is.

    Args:
        app: shows them, one at a time.
        broker: takes the answers.
        now: the present, with the user's zone.
    """

    def __init__(self, app: Workbench, broker: Broker, *, now: Callable[[], datetime]) -> None:
        self._app = app
        self._broker = broker
        self._now = now
        self._dialog: ApprovalDialog | ConflictDialog | None = None
        self.row: Row | None = None

    def show(self, question: Question) -> None:
        """Shows a question when no other dialog is open."""
        if isinstance(question, ConflictQuestion):
            self._show_conflict(question)
        else:
            self._show_approval(question)

    def _show_approval(self, question: ApprovalQuestion) -> None:
        app = self._app
        dialog = ApprovalDialog(question, app.look, clock=app.seconds, typed_at=app.typed_at)
        self._dialog = dialog

        def answered(answer: ApprovalAnswer | None) -> None:
            self._broker.answer(question.id, answer or ApprovalAnswer(verdict="refuse"))

        self._app.desk.open(dialog, answered)

    def _show_conflict(self, question: ConflictQuestion) -> None:
        app = self._app
        dialog = ConflictDialog(
            self._in_row(question),
            app.look,
            now=self._now(),
            clock=app.seconds,
            typed_at=app.typed_at,
        )
        self._dialog = dialog

        def answered(answer: ConflictAnswer | None) -> None:
            self._broker.answer(question.id, answer)

        self._app.desk.open(dialog, answered)

    def _in_row(self, question: ConflictQuestion) -> ConflictQuestion:
        """The question with its place in the whole inbox."""
        row = self.row
        if row is None or question.incoming.content != row.content:
            return question
        place, count = question.place + row.before, question.count + row.before + row.behind
        return question.model_copy(update={"place": place, "count": count})

    def leave_row(self) -> bool:
        """Leaves the conflict of the row undecided; False: it isn't the one that is shown."""
        row, question = self.row, self._broker.current
        if row is None or not isinstance(question, ConflictQuestion):
            return False
        return question.incoming.content == row.content and self._broker.answer(question.id, None)

    def hide(self, question_id: str) -> None:
        """Takes a question off that nobody waits for any more."""
        if self._dialog is not None and self._dialog.question.id == question_id:
            self._app.desk.withdraw(self._dialog)
            self._dialog = None

    def waiting(self, count: int) -> None:
        """Counts the questions behind it."""
        if self._dialog is not None:
            self._dialog.waiting = count
