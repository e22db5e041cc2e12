"""May this call run? Default: refuse. Keys that were meant for the prompt go there (mock 07)."""

from collections.abc import Callable
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.reactive import reactive

from app.boundary import visible
from app.events import ApprovalAnswer, ApprovalQuestion
from app.text import Key
from widgets.dialogs.base import Plain
from widgets.dialogs.buttons import Button, ButtonRow
from widgets.dialogs.guarded import GuardedDialog
from widgets.dialogs.question_text import finding_rows, queue_dots, subject_rows
from widgets.field import Field
from widgets.look import Look
from widgets.rows import clip_path, line, spread

Mode = Literal["ask", "edit", "why"]

_ONCE = Button("once", "y", "approval.once")
_ALWAYS = Button("always", "a", "approval.always")
_REFUSE = Button("refuse", "n", "approval.refuse")

_TITLES: dict[str, Key] = {
    "command": "approval.title_command",
    "write": "approval.title_write",
    "network": "approval.title_network",
    "read": "approval.title_read",
}
_FIXED_ROWS = 13
"""Rows of the window beside the subject and the findings, paddings and borders included."""

_PADDING = 2
"""Rows of these that a low screen doesn't have (STYLE 3)."""

_LEAST_SUBJECT = 5
"""Rows the subject keeps, its padding included."""

_MOST_EDITED = 8
"""Rows of the field in its place, as in the style."""


class ApprovalDialog(GuardedDialog[ApprovalAnswer]):
    """Shows one question and is dismissed with the answer.

    Attributes:
        waiting: how many more questions wait behind this one.
        mode: asking, editing the command, or saying why it is refused.
    """

    DEFAULT_CSS = """
    ApprovalDialog {
        VerticalScroll {
            height: auto;
            padding: 1;
            margin: 1 0;
            background: $raised;
            scrollbar-size-vertical: 1;
        }
        .approval-findings { margin: 0 0 1 0; }
        .approval-notes { margin: 1 0 0 0; }
        Field {
            display: none;
            height: auto;
            max-height: 8;
            padding: 0 1;
            background: $overlay;
            border: round $line2;
            border-title-color: $text2;
            &:focus { border: round $accent; }
        }
        &.-ascii Field { border: ascii $line2; }
        &.-ascii Field:focus { border: ascii $accent; }
        &.-edit .approval-command { display: block; margin: 1 0; }
        &.-why .approval-reason { display: block; margin: 0 0 1 0; }
        &.-edit VerticalScroll { display: none; }
    }
    """

    is_question: ClassVar[bool] = True

    waiting: reactive[int] = reactive(0)
    mode: reactive[Mode] = reactive("ask")

    def __init__(
        self,
        question: ApprovalQuestion,
        look: Look,
        *,
        clock: Callable[[], float],
        typed_at: float | None = None,
    ) -> None:
        buttons = (_ONCE, _ALWAYS, _REFUSE) if question.scope else (_ONCE, _REFUSE)
        row = ButtonRow(look, buttons, at=len(buttons) - 1)
        super().__init__(look, row, clock=clock, typed_at=typed_at, id="approval")
        self.question = question
        self.edited: str | None = None
        self._head = Plain()
        self._subject = Plain()
        self._scroll = VerticalScroll(self._subject)
        self._scroll.can_focus = False
        self._findings = Plain(classes="approval-findings")
        self._notes = Plain(classes="approval-notes")
        self.command = Field(classes="approval-command")
        self.reason = Field(classes="approval-reason")

    def compose_body(self) -> ComposeResult:
        """Where, what, what it risks, the buttons, what the keys do."""
        yield self._head
        yield self._scroll
        yield self.command
        yield self._findings
        yield self.reason
        yield self.buttons
        yield self._notes

    def heading(self) -> str:
        """The title in the border."""
        return self.look.words(_TITLES[self.question.risk])

    def on_mount(self) -> None:
        """Says so when the command begins to scroll, or no longer does."""
        self.watch(self._scroll, "show_vertical_scrollbar", self._write_notes, init=False)

    def watch_waiting(self) -> None:
        """Another question arrived, or went."""
        self.write()

    def watch_mode(self, mode: Mode) -> None:
        """Shows the field in place of the command, or under it."""
        self.set_class(mode == "edit", "-edit")
        self.set_class(mode == "why", "-why")
        self.buttons.bare = mode != "ask"
        if mode == "edit":
            self.command.fill(self._command)
        focus = {"ask": self.buttons, "edit": self.command, "why": self.reason}
        focus[mode].focus()
        self.write()

    @property
    def _command(self) -> str:
        return self.question.subject if self.edited is None else self.edited

    def write(self) -> None:
        """All texts, in the window's width."""
        super().write()
        width = self.window.content_size.width
        if not width:
            return
        look, words, question = self.look, self.look.words, self.question
        place = clip_path(visible(question.place), width - 24, look.glyphs.ellipsis)
        head = line(
            (visible(question.tool), "$text"),
            (f" {words('approval.place')} ", "$text2"),
            (place, "$text"),
        )
        self._head.update(spread(width, head, queue_dots(self.waiting, look), look.glyphs.ellipsis))
        self._subject.update(subject_rows(question, width - 3, look, edited=self.edited))
        fixed = _FIXED_ROWS - _PADDING * self.has_class("-low")
        room = self.app.size.height - fixed - 4 * (self.mode == "why")
        kept = _MOST_EDITED if self.mode == "edit" else _LEAST_SUBJECT
        findings = finding_rows(question.findings, width, look, most=max(3, room - kept))
        if self.edited is not None:
            findings = line((words("approval.edited"), "$text2"))
        self._findings.update(findings)
        self._findings.display = bool(findings)
        self.reason.border_title = words("approval.why")
        rows = findings.plain.count("\n") + 1 if findings else 0
        self._scroll.styles.max_height = max(_LEAST_SUBJECT, room - rows)
        self._write_notes()

    def _write_notes(self) -> None:
        """Whether the command scrolls is known once it is laid out: then they are written again."""
        self._notes.update(self._note_rows())

    def _note_rows(self) -> Content:
        words = self.look.words
        if self.mode == "edit":
            return self._keys(("Enter", words("approval.take")), ("Esc", words("approval.leave")))
        if self.mode == "why":
            return self._keys(
                ("Enter", words("approval.send_why")), ("Esc", words("approval.no_reason"))
            )
        keys = [("Tab ← →", words("approval.choose"))]
        if self.question.editable:
            keys.append(("e", words("approval.edit")))
        keys.append(("Esc", words("approval.refuse_why")))
        if self._scroll.show_vertical_scrollbar:
            keys.append(("PgDn", words("approval.more")))
        if not self.question.scope or self.edited is not None:
            return self._keys(*keys)
        scope = line((words("approval.covers"), "$text3"), (visible(self.question.scope), "$text2"))
        return scope + "\n" + self._keys(*keys)

    def _keys(self, *keys: tuple[str, str]) -> Content:
        pieces = [
            line((self.look.keys(key), "$text"), (f" {word}", "$text3")) for key, word in keys
        ]
        return Content("   ").join(pieces)

    def stands_for(self, character: str) -> bool:
        """A button, or editing the command."""
        return (self.question.editable and character == "e") or super().stands_for(character)

    def take(self, character: str) -> None:
        """A letter that stood alone."""
        if character == "e" and self.question.editable:
            self.mode = "edit"
        else:
            super().take(character)

    def act(self, key: str) -> None:
        """Esc asks why; the rest moves and scrolls."""
        match key:
            case "escape":
                self.mode = "why"
            case "pageup" | "up":
                self._scroll.scroll_page_up(animate=False)
            case "pagedown" | "down":
                self._scroll.scroll_page_down(animate=False)
            case _:
                super().act(key)

    def press_in_field(self, key: str) -> bool:
        """What ends a field, and new lines in the command."""
        if self.mode == "ask":
            return False
        if self.mode == "why":
            if key in ("enter", "escape"):
                reason = self.reason.text.strip() if key == "enter" else ""
                self._answer(ApprovalAnswer(verdict="refuse", reason=reason))
        elif key == "ctrl+j":
            self.command.put("\n")
        elif key == "enter" and self.command.text.strip():
            self._take_edit()
        elif key == "escape":
            self.mode = "ask"
        return True

    def _take_edit(self) -> None:
        if self.command.text != visible(self._command):
            self.edited = self.command.text
            self.buttons.buttons = (_ONCE, _REFUSE)
            self.buttons.at = 1
        self.mode = "ask"

    def on_button_row_pressed(self, message: ButtonRow.Pressed) -> None:
        """Answers."""
        message.stop()
        match message.button.name:
            case "once":
                self._answer(ApprovalAnswer(verdict="once", edited=self.edited))
            case "always":
                self._answer(ApprovalAnswer(verdict="always"))
            case _:
                self._answer(ApprovalAnswer(verdict="refuse"))

    def _answer(self, answer: ApprovalAnswer) -> None:
        if self.is_current:
            self.dismiss(answer)
