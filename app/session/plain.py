"""A session's events as lines for people, for `haima run` without `--json`."""

from collections.abc import Callable

from app.boundary import visible
from app.events import (
    Cancelled,
    Cleared,
    Event,
    FactConflict,
    FactDuplicate,
    FactReplaced,
    FactSaved,
    Failed,
    Guarded,
    MemoryInjected,
    MessageFinished,
    Notice,
    Offloaded,
    OffloadFailed,
    PicturesLeft,
    Retry,
    Summarised,
    SummaryFailed,
    ToolFinished,
    ToolStarted,
)
from app.session.session import Session
from app.text import Key
from app.view.plain_lines import left_line, memory_line


class PlainPrinter:
    """The answer on stdout; what happens on the way to it on stderr."""

    def __init__(
        self, session: Session, *, say: Callable[[str], None], show: Callable[[str], None]
    ) -> None:
        """Takes both ways out.

        Args:
            session: whose events these are.
            say: prints words for people.
            show: prints what was asked for.
        """
        self._session = session
        self._words = session.words
        self._say = say
        self._show = show
        self._subjects: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        """Prints what of an event is for people."""
        say = self._say
        match event:
            case MessageFinished(message=message_id):
                self._answer(message_id)
            case ToolStarted():
                self._subjects[event.id] = event.subject
            case ToolFinished():
                say(self._card(event))
            case Offloaded() | OffloadFailed() | Cleared() | PicturesLeft() | Guarded():
                say(left_line(event, self._words))
            case MemoryInjected() | FactSaved() | FactDuplicate() | FactReplaced() | FactConflict():
                if line := memory_line(event, self._words):
                    say(line)
            case Retry(reason=reason, attempt=attempt, wait=wait):
                seconds = f"{wait:.1f}"
                say(self._words("headless.retry", reason=reason, attempt=attempt, seconds=seconds))
            case Notice(text=text) | Failed(text=text):
                say(text)
            case Summarised():
                say(self._summarised(event))
            case SummaryFailed(reason=reason):
                say(reason)
            case Cancelled():
                say(self._words("headless.stopped"))
            case _:
                pass

    def _answer(self, message_id: str) -> None:
        """The end of the answer goes to stdout, what was said before a call to stderr."""
        message = self._session.history.get(message_id)
        if message is None or not message.text.strip():
            return
        if message.calls:
            self._say(message.text)
        else:
            self._show(visible(message.text).rstrip("\n"))

    def _summarised(self, event: Summarised) -> str:
        how: Key = "headless.compacted" if event.how == "model" else "headless.compacted_cut"
        return self._words(
            how,
            messages=f"{len(event.messages):,}",
            before=f"{event.tokens_before:,}",
            after=f"{event.tokens_after:,}",
        )

    def _card(self, event: ToolFinished) -> str:
        """`✓  read_file  src/main.py  0.1s`; a failed one says why."""
        mark = "✓" if event.ok else "✗"
        subject = " ".join(self._subjects.pop(event.id, "").split())
        cells = (mark, event.tool, subject, f"{event.seconds:.1f}s", event.reason)
        return "  ".join(cell for cell in cells if cell)
