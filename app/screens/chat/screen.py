"""The workbench's main screen: the conversation and the prompt, over one session (mock 01)."""

from collections.abc import Callable
from datetime import datetime
from time import monotonic

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical

from app.conversation.past import PastPage
from app.events import (
    Event,
    Failed,
    HistoryCleared,
    SessionStarted,
    Text,
    TurnFinished,
    TurnStarted,
)
from app.paths import styles_folder
from app.screens.chat.early import EarlyLines
from app.screens.chat.state import (
    ANYTIME,
    BUSY,
    OFFLINE,
    OTHER_NODE,
    TOO_LARGE,
    command_candidates,
    first_line,
    header_state,
)
from app.session.commands import CommandLine, UnknownCommand, parse
from app.session.session import Session
from app.text import Key
from app.view.held import Marked, Quoted
from app.view.transcript import TranscriptStore
from widgets.actions import Region
from widgets.empty_state import EmptyState
from widgets.gauge import ContextOpened, WindowChosen
from widgets.held_panel import Peek, nothing_to_peek
from widgets.item_keys import CONVERSATION_FOOTER, ItemKeys, dress_panel
from widgets.list_messages import CopyRequested
from widgets.look import Look
from widgets.prompt import Prompt
from widgets.prompt_input import Files, PromptInput
from widgets.quoted_line import QuotedLine
from widgets.requests import ForkWanted, KeepNothingBack, NoRoom, Request, TooLarge
from widgets.side import Side
from widgets.toasts import Toast, ToastShelf
from widgets.transcript_view import TranscriptView
from widgets.unbegun import unbegun


class ChatScreen(ItemKeys):
    """Shows a session and lets someone talk to it.

    Attributes:
        session: what is shown; the app opens and closes it.
        is_demo: no real model answers.
    """

    CSS_PATH = styles_folder() / "chat.tcss"

    class Command(Request):
        """A `/command` that the app carries out."""

        def __init__(self, command: CommandLine) -> None:
            super().__init__()
            self.name = command.command.name
            self.argument = command.argument

    def __init__(
        self,
        look: Look,
        session: Session,
        *,
        demo: tuple[Key, ...] | None = None,
        files: Files | None = None,
        peek: Peek = nothing_to_peek,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Prepares the screen; it follows the session's events while it is mounted.

        Args:
            look: words, glyphs, motion.
            session: open, or about to be.
            demo: the prompts the demo proposes; None where a real model answers.
            files: finds the project's files for `@`.
            peek: reads the first lines of a file of the project.
            clock: seconds that only go forward, for timers on cards.
        """
        super().__init__(look)
        self.session = session
        self.is_demo = demo is not None
        self._title = ""
        self._offline = False
        self.store = TranscriptStore(clock=clock, tokens=session.context.meter.text_tokens)
        self.transcript = TranscriptView(self.store, look, id="transcript")
        says: tuple[Key, Key] = ("chat.empty", "chat.empty_more")
        if self.is_demo:
            says = ("chat.demo_empty", "chat.demo_empty_more")
        self.empty = EmptyState(look, says=says, suggestions=demo or ())
        commands = lambda word: command_candidates(word, self.look.words)  # noqa: E731
        self.prompt = Prompt(look, commands=commands, files=files)
        self.early = EarlyLines(self.store, self.prompt, self._show_transcript)
        self.quoted = QuotedLine(look)
        self.side = Side(look, clock=clock, peek=peek, now=self.now)
        self.panel = self.side.held
        self.side.gauge.use_marks(session.context.window.marks_at)
        self.side.gauge.summarises = session.settings.compaction.auto == "all"

    def compose_body(self) -> ComposeResult:
        """The conversation, toasts over it, the prompt; at the side how full the window is."""
        with Horizontal(classes="work-body"):
            with Vertical(id="talk"):
                with Container(id="conversation"):
                    yield self.empty
                    yield self.transcript
                    yield self.rack
                yield self.side.line
                yield self.quoted
                yield self.prompt
            yield self.side

    @property
    def racks(self) -> tuple[ToastShelf, ...]:
        """Toasts stand over the side panel, and over the conversation where there is none."""
        racks = (self.side.rack, self.rack)
        return racks[::-1] if self.has_class("-compact") else racks

    def on_mount(self) -> None:
        """Follows the session."""
        self.session.publish.listeners.append(self.take)
        self.transcript.display = False
        self.show_state()
        self.prompt.input.focus()

    def on_unmount(self) -> None:
        """Follows it no more."""
        if self.take in self.session.publish.listeners:
            self.session.publish.listeners.remove(self.take)

    # What the session tells

    def take(self, event: Event) -> None:
        """Takes in one event of the session."""
        self.store.apply(event)
        self.side.take(event)
        match event:
            case TurnStarted(text=text):
                self._title = self._title or first_line(text)
                self.show_state()
            case HistoryCleared():
                self._title = ""
            case SessionStarted(title=title):
                self._title = title
                self.show_state()
                self.early.carry_out(self.run_line)
            case Text() if self._offline:
                self._offline = False
                self.show_state()
            case Failed(code=code):
                self._offline = code in OFFLINE
                self.show_state()
                if code in TOO_LARGE:
                    self.post_message(TooLarge(event.text))
            case TurnFinished():
                self.run_worker(unbegun(self._look_at_git), group="git", exclusive=True)
            case _ if isinstance(event, OTHER_NODE):
                self.show_state()
        if isinstance(event, BUSY):
            self.prompt.queued = len(self.session.queued)
            self.call_later(self.refresh_footer)
        if len(self.store) and not self.transcript.display:
            self._show_transcript()

    def show_past(self, page: PastPage) -> None:
        """Another session is open: the end of its past, in place of what was shown."""
        self.store.show_past(page, undoable=self.session.can_undo_summary)
        self._show_transcript()
        self.transcript.follow_end()
        self.show_state()
        self.prompt.input.focus()

    def _show_transcript(self) -> None:
        """The conversation, or what stands there while nothing was said."""
        self.transcript.display = bool(len(self.store))
        self.empty.display = not self.transcript.display

    def show_quoted(self, quoted: tuple[Quoted, ...]) -> None:
        """These results go along with the next message: said above the prompt and beside each."""
        ids = [one.message for one in quoted]
        self.quoted.show(quoted)
        self.side.model.quote(ids)
        self.store.quote(ids)
        self.prompt.input.quoting = bool(quoted)

    def now(self) -> datetime:
        """The present, in the user's zone."""
        return self.session.parts.clock.now().astimezone()

    @property
    def title_shown(self) -> str:
        """The session's title, as the header has it."""
        return self._title or self.session.title

    async def _look_at_git(self) -> None:
        await self.session.look_at_git()
        self.show_state()

    def show_state(self) -> None:
        """Puts project, branch, model, title and session into the header."""
        self.state = header_state(
            self.session,
            self.look.words,
            demo=self.is_demo,
            offline=self._offline,
            title=self.title_shown,
        )

    # What the user does

    @on(PromptInput.Submitted)
    def _submitted(self, message: PromptInput.Submitted) -> None:
        message.stop()
        self.transcript.follow_end()  # what it brings stands there, a command's answer too
        if not (text := message.text):
            self.session.go_on()
            return
        if self.is_demo and not len(self.store):
            text = self.empty.suggestion(text) or text
        self.run_line(text)

    def run_line(self, text: str) -> None:
        """Carries out what was typed: a command, or a prompt for the model."""
        match parse(text):
            case CommandLine() as line if self.session.node or line.command.name in ANYTIME:
                self.post_message(self.Command(line))
            case UnknownCommand() as unknown:
                self.prompt.put_back(text)
                words = self.look.words
                title = words("chat.command_failed")
                self.show_toast(Toast(title, unknown.sentence(words), "warn"))
            case _:
                self._send(text)

    def _send(self, text: str) -> None:
        if not self.session.node:
            self.early.add(text)
            return
        if self.session.context.crowded and not self.session.busy:
            self.prompt.put_back(text)
            self.post_message(NoRoom())
            return
        self.session.send(text)

    @on(EmptyState.Clicked)
    def _suggested(self, message: EmptyState.Clicked) -> None:
        self._send(message.text)

    @on(PromptInput.TakeBack)
    def _take_back(self, message: PromptInput.TakeBack) -> None:
        message.stop()
        if (text := self.early.take_back() or self.session.take_back()) is not None:
            self.prompt.put_back(text)

    @on(PromptInput.KeepNothingBack)
    def _keep_nothing_back(self, message: PromptInput.KeepNothingBack) -> None:
        message.stop()
        self.post_message(KeepNothingBack())

    @on(PromptInput.Leave)
    def _leave_prompt(self, message: PromptInput.Leave) -> None:
        message.stop()
        (self.transcript if self.transcript.display else self.side.panel).focus()

    @on(TranscriptView.GoOnRequested)
    def _go_on(self) -> None:
        self.session.go_on()
        self.prompt.input.focus()

    @on(WindowChosen)
    def _choose_window(self, message: WindowChosen) -> None:
        message.stop()
        self.run_line(f"/window {message.size}")

    @on(ContextOpened)
    def _open_context(self, message: ContextOpened) -> None:
        message.stop()
        self.run_line("/context")

    @on(CopyRequested)
    def _copy(self, message: CopyRequested) -> None:
        self.app.copy_to_clipboard(message.text)
        self.show_toast(Toast(self.look.words("chat.copied"), severity="ok"))

    # Keys

    def regions(self) -> tuple[Region, ...]:
        """Where the focus is; else the prompt."""
        if self.side.held.list.has_focus:
            return ("panel",)
        if self.side.panel.has_focus:
            return ("gauge",)
        return ("conversation",) if self.transcript.has_focus else ("prompt",)

    def footer_names(self) -> tuple[str, ...]:
        """What works where the focus is."""
        if self.side.held.list.has_focus or (self.side.panel.has_focus and self.panel.previews):
            return self.panel_footer()
        if self.side.panel.has_focus:
            return ("help", "window", "open_context", "to_prompt_from_gauge")
        if self.transcript.has_focus:
            return CONVERSATION_FOOTER
        return ("help", "memory", "sessions", "context", "compact", "replay", "stop")

    def offers(self, name: str) -> bool:
        """Stopping works while something runs, a fork from a message that is whole."""
        if (works := self.offers_item(name)) is not None:
            return works
        if (works := self.transcript.offers(name)) is not None:
            return works
        return name != "stop" or self.session.busy

    def last_name(self) -> str:
        """In the panel the keys, else the leader."""
        return "help_sign" if self.side.held.list.has_focus else super().last_name()

    @property
    def marked(self) -> Marked | None:
        """What the cursor of the panel or of the conversation is on."""
        if self.panel.list.has_focus:
            return self.panel.marked
        return self.transcript.marked if self.transcript.has_focus else None

    @on(TranscriptView.Moved)
    def _card_changed(self) -> None:
        self.refresh_footer()

    def on_descendant_focus(self) -> None:
        """Other keys count; a low screen makes room for the panel's."""
        super().on_descendant_focus()
        self.side.fold()

    def show_context(self) -> None:
        """F5: to the panel, then from tab to tab; where there is none, all of the context."""
        if self.has_class("-compact") or not self.side.enter():
            self.post_message(ContextOpened())

    def close_popup(self) -> bool:
        """Esc: the list of completions first, then looking at another window."""
        if self.side.gauge.previewed is not None:
            self.side.gauge.preview(None)
            self.refresh_footer()
            return True
        return self.prompt.input.close_offer()

    async def leave(self) -> None:
        """Esc: back to the prompt, then keep the history as it is, then stop."""
        if not self.prompt.input.has_focus:
            self.prompt.input.focus()
        elif not self.session.keep_history():
            self.session.stop()

    def action_search_history(self) -> None:
        """Ctrl+R."""
        self.prompt.input.focus()
        self.prompt.input.search_history()

    def action_page(self, by: int) -> None:
        """PgUp PgDn in the prompt."""
        self.transcript.action_page(by)

    def action_expand(self) -> None:
        """Opens what the conversation's cursor is on."""
        self.transcript.action_activate()

    def action_copy_item(self) -> None:
        """Copies what the conversation's cursor is on."""
        self.transcript.action_copy()

    def action_fork_here(self) -> None:
        """Goes on from the message under the conversation's cursor in a session of its own."""
        if point := self.transcript.fork_point:
            self.post_message(ForkWanted(point))

    def action_type(self, opener: str) -> None:
        """Opens the list of commands or files."""
        self.prompt.input.focus()
        self.prompt.input.start_with(opener)

    def watch_look(self) -> None:
        """Another language, other glyphs."""
        super().watch_look()
        self.transcript.look = self.look
        dress_panel(self.side.held, self.look)
        self.show_state()
