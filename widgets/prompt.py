"""The prompt: its frame, the field in it, the list above it."""

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widgets import Static, TextArea

from app.text.paste_marks import paste_marks
from widgets.completion import CompletionList
from widgets.look import NORMAL, Dressed, Look
from widgets.prompt_input import Commands, Files, PromptInput
from widgets.requests import DraftChanged


class Prompt(Dressed):
    """Where prompts are written. `PromptInput.Submitted` and its kin pass through to the screen.

    Attributes:
        queued: how many messages wait to be sent.
    """

    DEFAULT_CSS = """
    Prompt {
        width: 100%;
        height: auto;
        layout: vertical;
        Horizontal {
            width: 100%;
            height: auto;
            margin: 0 1;
            padding: 0 1;
            border: round $line2;
            border-subtitle-color: $text3;
            border-subtitle-align: right;
            border-title-color: $text3;
        }
        Horizontal:focus-within { border: round $accent; }
        &.-ascii Horizontal { border: ascii $line2; }
        &.-ascii Horizontal:focus-within { border: ascii $accent; }
        Static { width: 2; height: 1; color: $text3; text-style: bold; }
        Horizontal:focus-within Static { color: $accent; }
        PromptInput {
            width: 1fr;
            height: auto;
            max-height: 8;
            padding: 0;
            background: $bg;
            scrollbar-size: 0 0;
        }
    }
    """

    queued: reactive[int] = reactive(0)

    def __init__(
        self, look: Look, *, commands: Commands | None = None, files: Files | None = None
    ) -> None:
        super().__init__(look, id="prompt")
        self.list = CompletionList(look)
        self.input = PromptInput(commands=commands or (lambda _: ()), files=files)
        self._sign = Static(look.glyphs.prompt, markup=False)
        self._frame = Horizontal(id="prompt-frame")

    def compose(self) -> ComposeResult:
        """The list, then the frame."""
        yield self.list
        with self._frame:
            yield self._sign
            yield self.input

    def on_mount(self) -> None:
        """Writes the hint."""
        self.watch_look()

    def watch_look(self) -> None:
        """Says the hint again."""
        self.list.look = self.look
        self.set_class(self.look.ascii, "-ascii")
        self._sign.update(self.look.glyphs.prompt)
        self._write_hint()

    def on_resize(self) -> None:
        """A narrow prompt says less."""
        self._write_hint()
        self.call_after_refresh(self.input.place_cursor)

    def _write_hint(self) -> None:
        words = self.look.words
        narrow = self.app.size.width < NORMAL
        hint = words("prompt.hint_short") if narrow else words("prompt.hint")
        self._frame.border_subtitle = hint.replace("·", self.look.glyphs.dot)
        self._write_paste_hint()

    def _write_paste_hint(self) -> None:
        """While a mark stands for a paste: how to have it whole."""
        marked = next(paste_marks(self.draft), None) is not None
        hint = self.look.words("paste.hint", key="Ctrl+O") if marked else ""
        self._frame.border_title = hint

    def watch_queued(self, queued: int) -> None:
        """The field asks for a message back only while some wait."""
        self.input.queued = queued

    @on(TextArea.Changed)
    def _tell_of_draft(self, message: TextArea.Changed) -> None:
        message.stop()
        self._write_paste_hint()
        self.post_message(DraftChanged())

    @on(PromptInput.Offered)
    def _show_offer(self, message: PromptInput.Offered) -> None:
        message.stop()
        self.list.offer = message.offer

    @on(CompletionList.Clicked)
    def _take_clicked(self, message: CompletionList.Clicked) -> None:
        message.stop()
        self.input.take(message.candidate)
        self.input.focus()

    @property
    def draft(self) -> str:
        """What stands in the prompt, unsent."""
        return self.input.text

    def put_back(self, text: str) -> None:
        """Puts text into an empty prompt, or before what stands there."""
        self.input.recall(f"{text}\n{self.draft}" if self.draft else text)

    def paste(self, text: str) -> None:
        """Pastes text at the cursor, as the terminal would: what is long goes to a file.

        Each waits for the one before it, which may have to be written first.
        """
        self.input.post_message(events.Paste(text))
