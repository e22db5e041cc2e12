"""How full the window is, seen and set: `/context`, `/window`, `/usage`, the gauge's keys."""

from collections.abc import Callable

from app.conversation.window import Window, parse_window, window_label
from app.errors import HaimaError
from app.events import Notice
from app.screens.chat import ChatScreen
from app.screens.context import ContextScreen
from app.session.report import context_report
from app.session.usage import usage_text
from app.text import Words
from app.text.numbers import tokens
from app.workbench.app import Workbench
from widgets.dialogs.confirm import ConfirmDialog
from widgets.dialogs.resume_questions import no_room
from widgets.held_panel import Peek
from widgets.unbegun import unbegun

_AUTO = "auto"
"""`/window auto`: what is set, told by the endpoint, or known."""


class Windows:
    """Carries them out on the main screen's session."""

    def __init__(self, app: Workbench, chat: Callable[[], ChatScreen | None], peek: Peek) -> None:
        self._app = app
        self._chat = chat
        self._peek = peek

    def command(self, name: str, argument: str) -> bool:
        """Carries out `/context`, `/window` or `/usage`; False: it is another command."""
        app = self._app
        match name:
            case "context":
                self.show()
            case "window":
                work = unbegun(self.choose, argument)
                app.run_worker(work, group="window", exclusive=True, exit_on_error=False)
            case "usage":
                app.run_worker(unbegun(self.usage), group="usage", exit_on_error=False)
            case _:
                return False
        return True

    def show(self) -> None:
        """All of the context, over the main screen."""
        chat, app = self._chat(), self._app
        if chat is None or not chat.session.node or app.screen is not chat:
            return
        session = chat.session
        app.push_screen(
            ContextScreen(
                app.look,
                chat.state,
                chat.side.gauge,
                report=lambda: context_report(
                    session.context, session.context.prospect, busy=session.busy
                ),
                model=chat.side.model,
                now=chat.now,
                peek=self._peek,
                pinned=session.pinned,
            )
        )

    def go_to(self, message_id: str) -> None:
        """Back to the conversation, where this message stands."""
        chat, app = self._chat(), self._app
        if chat is None:
            return
        if isinstance(app.screen, ContextScreen):
            app.pop_screen()
        message = chat.session.history.get(message_id)
        if message is not None:
            calls = (call.id for call in message.calls)
            chat.transcript.go_to_message({message.id, message.call_id or "", *calls} - {""})

    async def choose(self, given: str) -> None:
        """`/window`: says the window, or sets it; above the known maximum it asks."""
        chat, app = self._chat(), self._app
        if chat is None or not chat.session.node:
            return
        words, context = app.words, chat.session.context
        try:
            size = parse_window(given) if given and given.casefold() != _AUTO else None
            if size is not None and not await self._sure(context.window.window, size, chat):
                return
            window = context.set_window(size) if given else context.window.window
        except HaimaError as error:
            app.toast("chat.command_failed", error.sentence(words), "warn")
            return
        marks = context.window.marks_at(window.effective)
        shown = f"{window_label(window.effective)}{'' if window.certain else '?'}"
        if window.source == "learned":
            shown = words("chat.window_learned", window=shown)
        text = words(
            "chat.window_marks",
            window=shown,
            clear=tokens(marks.clear),
            warn=tokens(marks.warn),
            summary=tokens(marks.summary),
        )
        app.toast("chat.window_set", text, "ok")

    async def _sure(self, now: Window, size: int, chat: ChatScreen) -> bool:
        """Whether the user wants a window above what the model takes, as far as that is known."""
        largest = now.largest
        if largest is None or size <= largest:
            return True

        def says(words: Words) -> list[str]:
            return [
                words(
                    "chat.window_over_text",
                    model=chat.session.model.name,
                    largest=f"{largest:,}",
                    window=window_label(size),
                )
            ]

        dialog = ConfirmDialog(
            self._app.look,
            title="chat.window_over",
            says=says,
            do="chat.window_use",
            keep="chat.window_keep",
            clock=self._app.seconds,
            typed_at=self._app.typed_at,
        )
        sure = await self._app.desk.ask(dialog)
        return sure is True

    async def no_room(self) -> str | None:
        """Asks once what is to become of a history that no longer fits; the way, None: none."""
        chat, app = self._chat(), self._app
        if chat is None:
            return None
        context = chat.session.context
        dialog = no_room(
            app.look,
            used=context.meter.measure(context.prospect, context.tools).tokens,
            most=context.window.marks.summary,
            window=window_label(context.window.window.effective),
            model=chat.session.model.name,
            ways=("compact", "model", "fork"),
            clock=app.seconds,
            typed_at=app.typed_at,
        )
        way = await app.desk.ask(dialog)
        context.asked()
        if way == "fork":
            self.choose_message(chat)
        return way

    def choose_message(self, chat: ChatScreen) -> None:
        """To the messages, one of which a fork shall go on from."""
        chat.transcript.focus()
        said = self._app.words("resume_question.room_choose_text")
        self._app.toast("resume_question.room_choose", said)

    async def usage(self) -> None:
        """`/usage`: what the calls of this conversation came to, as a line in it."""
        chat, app = self._chat(), self._app
        if chat is None or not chat.session.node:
            return
        try:
            sums = await chat.session.usage()
        except HaimaError as error:
            app.toast("chat.command_failed", error.sentence(app.words), "warn")
            return
        chat.take(Notice(code="usage", text=usage_text(sums, app.words)))
