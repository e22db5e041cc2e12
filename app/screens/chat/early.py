"""What was sent before the session is open: it waits in order, is seen, and can be taken back."""

from collections.abc import Callable

from app.view.transcript import TranscriptStore
from widgets.prompt import Prompt


class EarlyLines:
    """Messages and commands that wait for the session.

    Args:
        store: shows them as waiting.
        prompt: asks for them back.
        changed: called when the conversation shows more of them, or fewer.
    """

    def __init__(self, store: TranscriptStore, prompt: Prompt, changed: Callable[[], None]) -> None:
        self._store = store
        self._prompt = prompt
        self._changed = changed
        self._lines: list[str] = []

    @property
    def lines(self) -> tuple[str, ...]:
        """Them, oldest first."""
        return tuple(self._lines)

    def add(self, text: str) -> None:
        """One more waits."""
        self._lines.append(text)
        self._show()
        self._changed()

    def take_back(self) -> str | None:
        """The newest one, for the prompt; None: none waits."""
        if not self._lines:
            return None
        text = self._lines.pop()
        self._show()
        self._changed()
        return text

    def carry_out(self, run: Callable[[str], None]) -> None:
        """The session is open: all of them are carried out, none waits any more.

        Args:
            run: carries out one.
        """
        lines, self._lines = self.lines, []
        if lines:
            self._show()
            self._prompt.call_after_refresh(self._changed)  # a message stands there by then
        for line in lines:
            run(line)

    def _show(self) -> None:
        self._store.show_early(self._lines)
        self._prompt.queued = len(self._lines)
