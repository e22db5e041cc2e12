"""`F8`: a recorded session played through two policies while one looks on.

The recording is the open session where it has enough steps, else the one that comes with Haima.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.screens.chat import ChatScreen
from app.screens.replay import ReplayScreen
from app.session.session import Session
from app.view.file_source import TextSource
from app.workbench.app import Workbench
from app.workbench.files import Files
from widgets.requests import Request

if TYPE_CHECKING:
    from app.workbench.replay_run import ReplayRun


class Replaying:
    """Opens the screen, plays for it, and goes to its steps.

    Args:
        app: shows the screen.
        chat: the main screen, once there is one.
        session: what is open.
        files: shows a step in the viewer.
    """

    def __init__(
        self,
        app: Workbench,
        chat: Callable[[], ChatScreen | None],
        session: Callable[[], Session | None],
        files: Files,
    ) -> None:
        self._app = app
        self._chat = chat
        self._session = session
        self._files = files
        self._replay: ReplayRun | None = None

    def show(self) -> None:
        """F8: the replay, also from what lies over it; again: back."""
        app, chat = self._app, self._chat()
        stack = app.screen_stack
        at = next((n for n, one in enumerate(stack) if isinstance(one, ReplayScreen)), None)
        if at is not None:
            over = stack[at + 1 :]
            if not any(one.is_modal for one in over):  # a question is answered first
                for _ in over or (app.screen,):
                    app.pop_screen()
        elif chat is not None:
            from app.workbench.replay_run import ReplayRun  # noqa: PLC0415 - start without it

            if self._replay is not None:
                self._replay.stop()
            screen = ReplayScreen(app.look, chat.state, clock=app.seconds)
            self._replay = ReplayRun(app, screen, self._session())
            app.push_screen(screen)
            self._replay.start()

    def take(self, request: Request) -> bool:
        """Does what the screen asks for; False: it is no business of this."""
        match request:
            case ReplayScreen.OtherPolicy():
                if self._replay is not None:
                    self._replay.other_policy()
            case ReplayScreen.OpenStep():
                self._open(request.step)
            case ReplayScreen.Left():
                if self._replay is not None and not self._replay.shown:
                    self._replay.stop()
                    self._replay = None
            case _:
                return False
        return True

    def _open(self, step: int) -> None:
        """The step where it stands in the conversation, else what was recorded of it."""
        replay, chat = self._replay, self._chat()
        if replay is None or replay.recording is None:
            return
        ids = replay.ids_of(step)
        if chat is not None and ids and chat.transcript.shows(ids):
            self._app.pop_screen()
            chat.transcript.go_to_message(ids)
            return
        title = self._app.words("replay_screen.step_title", n=step)
        self._files.show(TextSource(title, replay.text_of(step)))
