"""One modal at a time: what opens while another is open waits (TUI (f)).

Textual dismisses the wrong screen when one that isn't on top goes, and shows the newest first. So
everything modal goes through here, and a modal that lost its reason is taken off wherever it waits.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from textual.app import App

from widgets.dialogs.base import Dialog

T = TypeVar("T")


class Ask(Protocol):
    """Shows a dialog and waits for its result (`ModalDesk.ask`)."""

    def __call__(self, dialog: Dialog[T]) -> Awaitable[T | None]:
        """None: it was left."""
        ...


@dataclass(slots=True)
class _Entry:
    dialog: Dialog[Any]
    done: Callable[[Any], None]
    state: Literal["waiting", "coming", "open", "over"] = "waiting"


class ModalDesk:
    """Shows dialogs one after the other.

    Attributes:
        changed: called with whether a modal is open, whenever that changes.
    """

    def __init__(self, app: App[Any], changed: Callable[[bool], None]) -> None:
        self._app = app
        self._changed = changed
        self._entries: deque[_Entry] = deque()

    @property
    def current(self) -> Dialog[Any] | None:
        """The dialog that is open."""
        return self._entries[0].dialog if self._entries else None

    def open(self, dialog: Dialog[T], done: Callable[[T | None], None]) -> None:
        """Shows a dialog when its turn comes; `done` gets its result, None when it was left."""
        self._entries.append(_Entry(dialog, done))
        self._next()

    async def ask(self, dialog: Dialog[T]) -> T | None:
        """The result of a dialog; a cancelled wait takes it off."""
        answer: asyncio.Future[T | None] = asyncio.get_running_loop().create_future()

        def done(result: T | None) -> None:
            if not answer.done():
                answer.set_result(result)

        self.open(dialog, done)
        try:
            return await answer
        except asyncio.CancelledError:
            self.withdraw(dialog)
            raise

    def withdraw(self, dialog: Dialog[Any]) -> None:
        """Takes a dialog off; nobody waits for its result any more."""
        entry = next((entry for entry in self._entries if entry.dialog is dialog), None)
        if entry is None or entry.state == "over":
            return
        was_open = entry.state == "open"
        entry.state = "over"
        if was_open and dialog.is_current:
            dialog.dismiss(None)
        elif not was_open:
            self._finish(entry, None)

    def _next(self) -> None:
        """Shows the first one that waits, unless one is open."""
        if self._entries and self._entries[0].state == "waiting":
            entry = self._entries[0]
            entry.state = "coming"
            self._changed(True)
            # By the app itself: whoever asks may be gone when the answer comes.
            self._app.call_later(self._show, entry)

    def _show(self, entry: _Entry) -> None:
        if entry.state == "coming":
            entry.state = "open"
            self._app.push_screen(entry.dialog, lambda result: self._finish(entry, result))

    def _finish(self, entry: _Entry, result: object) -> None:
        if entry not in self._entries:
            return
        self._entries.remove(entry)
        if not self._entries:
            self._changed(False)
        if entry.state != "over":
            entry.done(result)
        self._next()
