"""Keeps the prompt's draft on the disk: soon after typing pauses, at once when the app ends.

What waits in the queue belongs to it: it stands in no ledger yet, and would be lost with the app.
A message is out of the draft once the history has it, not when Enter is pressed.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.timer import Timer

from app.errors import HaimaError
from app.events import Event, Queued, TurnStarted, Unqueued
from app.paths import Paths
from app.screens.chat import ChatScreen
from app.session.draft import Draft
from app.workbench.app import Workbench
from app.workbench.pasting import PromptPastes
from widgets.unbegun import unbegun

PAUSE = 0.5
"""Seconds without typing until the draft is written down."""


class DraftKeeper:
    """Writes one window's draft.

    Args:
        app: its timers and workers.
        draft: where to.
        text: the draft as it is now, "" where there is none.
        failed: told once that a draft can't be kept.
    """

    def __init__(
        self,
        app: App[Any],
        draft: Draft,
        *,
        text: Callable[[], str],
        failed: Callable[[HaimaError], None],
    ) -> None:
        self._app = app
        self._draft = draft
        self._text = text
        self._failed = failed
        self._told = False
        self._timer: Timer | None = None
        self._one_at_a_time = threading.Lock()
        self._number = self._written = 0

    async def load(self) -> str:
        """The draft that was left for this window."""
        return await asyncio.to_thread(self._draft.load)

    def take(self, event: Event) -> None:
        """Follows the session: what was sent, or waits."""
        if isinstance(event, TurnStarted | Queued | Unqueued):
            self._save()

    def changed(self) -> None:
        """Something was typed."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._app.set_timer(PAUSE, self._save)

    def save_now(self) -> None:
        """Before the app ends: it is on the disk when this returns."""
        if self._timer is not None:
            self._timer.stop()
        if (error := self._write(self._next(), self._text())) is not None:
            self._tell(error)

    def close(self) -> None:
        """Leaves the draft to the next window."""
        with self._one_at_a_time:
            self._draft.close()

    def _save(self) -> None:
        work = unbegun(self._save_behind, self._next(), self._text())
        self._app.run_worker(work, group="draft", exit_on_error=False)

    async def _save_behind(self, number: int, text: str) -> None:
        error = await asyncio.to_thread(self._write, number, text)
        if error is not None:
            self._tell(error)

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _write(self, number: int, text: str) -> HaimaError | None:
        """Writes a draft unless a later one was written already; the error, where it can't be."""
        with self._one_at_a_time:
            if number < self._written:
                return None
            self._written = number
            try:
                self._draft.save(text)
            except HaimaError as error:
                return error
        return None

    def _tell(self, error: HaimaError) -> None:
        if not self._told:
            self._told = True
            self._failed(error)


def draft_of(app: Workbench, chat: ChatScreen, paths: Paths) -> DraftKeeper:
    """Keeps what is written in a main screen's prompt, and brings back what was left there.

    Long pastes are kept too, in files that marks in the prompt name.
    """
    session = chat.session
    chat.prompt.input.pastes = PromptPastes(app, session)

    def text() -> str:
        waiting = [*chat.early.lines, *(message.text for message in session.unwritten)]
        return "\n\n".join([*waiting, *filter(None, [chat.prompt.draft])])

    def failed(error: HaimaError) -> None:
        app.toast("draft.not_kept", error.sentence(app.words), "warn")

    async def bring_back() -> None:
        if left := (await keeper.load()).rstrip("\n"):
            # Behind the keys that were typed while the app was loading: Enter must not send it.
            field = chat.prompt.input
            app.call_later(field.call_later, chat.prompt.put_back, left)

    def begin() -> None:
        app.run_worker(unbegun(bring_back), group="draft", exit_on_error=False)

    folder = paths.project_folder(session.parts.project.slug)
    keeper = DraftKeeper(app, Draft(folder / "draft.md"), text=text, failed=failed)
    session.publish.listeners.append(keeper.take)
    chat.call_after_refresh(begin)
    return keeper
