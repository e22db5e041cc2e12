"""Which of two facts holds? Default: the existing one, byte for byte (mock 03)."""

from collections.abc import Callable
from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.reactive import reactive

from app.boundary import visible
from app.events import ConflictAnswer, ConflictQuestion
from widgets.dialogs.base import Plain
from widgets.dialogs.buttons import Button, ButtonRow
from widgets.dialogs.conflict_lines import Frame, card_rows, first_marked, marks_of
from widgets.dialogs.guarded import GuardedDialog
from widgets.look import NORMAL, Look
from widgets.palette import palette_of
from widgets.rows import line, spread, stack

_NEXT = frozenset("]】」］")
"""`]` and what an input method makes of that key (STYLE 8, IME rule 3)."""

_LOW = 30
"""Rows below which nothing is spent on air (STYLE 3)."""

_FIXED_ROWS = 8
"""Rows of the window beside the cards: borders, subject, buttons, keys, blank rows."""

_PADDING = 2
_MOST_DOTS = 7


class ConflictDialog(GuardedDialog[ConflictAnswer]):
    """Shows one conflict; dismissed with the answer, or with None: left undecided.

    Attributes:
        waiting: how many more questions wait behind this one.
    """

    DEFAULT_CSS = """
    ConflictDialog {
        .dialog-window { width: 104; }
        &.-compact .dialog-window { width: 72; }
        VerticalScroll {
            height: auto;
            margin: 1 0;
            scrollbar-size-vertical: 1;
        }
        .conflict-keys { margin: 1 0 0 0; }
    }
    """

    is_question: ClassVar[bool] = True

    waiting: reactive[int] = reactive(0)

    def __init__(
        self,
        question: ConflictQuestion,
        look: Look,
        *,
        now: datetime,
        clock: Callable[[], float],
        typed_at: float | None = None,
    ) -> None:
        """Prepares the question.

        Args:
            question: what is asked.
            look: words and glyphs.
            now: the present, with the user's zone; ages count from it.
            clock: seconds that only go forward.
            typed_at: when something was last typed; None: never.
        """
        buttons = (
            Button("replace", "r", "conflict.replace", backed=question.better == "incoming"),
            Button("keep_both", "k", "conflict.keep_both"),
            Button(
                "keep_existing",
                "Esc",
                "conflict.keep_existing",
                backed=question.better == "existing",
            ),
        )
        row = ButtonRow(look, buttons, at=2)
        super().__init__(look, row, clock=clock, typed_at=typed_at, id="conflict")
        self.question = question
        self._now = now
        self._marked = marks_of(question)
        self._head = Plain()
        self._cards = Plain()
        self._scroll = VerticalScroll(self._cards)
        self._scroll.can_focus = False
        self._keys = Plain(classes="conflict-keys")
        self._was_placed = False

    def compose_body(self) -> ComposeResult:
        """What they disagree on, the two, the buttons, what the keys do."""
        yield self._head
        yield self._scroll
        yield self.buttons
        yield self._keys

    def heading(self) -> str:
        """The title in the border."""
        return self.look.words("conflict.title")

    def watch_waiting(self) -> None:
        """Another question arrived, or went."""
        self.write()

    @property
    def _count(self) -> int:
        """Conflicts of the row, and whatever else waits behind it."""
        return max(self.question.count, self.question.place) + self.waiting

    def write(self) -> None:
        """All texts, in the window's width."""
        super().write()
        width = self.window.content_size.width
        if not width:
            return
        size, low = self.app.size, self.app.size.height < _LOW
        self._head.update(spread(width, self._subject(), self._dots(), self.look.glyphs.ellipsis))
        room = size.height - _FIXED_ROWS - (0 if low else _PADDING)
        frame = Frame(
            look=self.look,
            now=self._now,
            width=width,
            narrow=size.width < NORMAL,
            low=low,
            native=palette_of(self.app.theme).native,
        )
        rows = card_rows(self.question, self._marked, frame)
        if len(rows) > room:
            # The scrollbar takes a column.
            rows = card_rows(self.question, self._marked, frame.in_width(width - 1))
        self._cards.update(stack(rows))
        self._scroll.styles.max_height = room
        if rows and not self._was_placed:
            self._was_placed = True
            # Nobody decides without having seen what differs.
            if (marked := first_marked(rows)) >= room:
                top = marked - room // 2
                self.call_after_refresh(self._scroll.scroll_to, y=top, animate=False)
        self._keys.update(self._key_row(width, scrolls=len(rows) > room))

    def _subject(self) -> Content:
        words = self.look.words
        if not self.question.subject:
            return line((words("conflict.disagree"), "$text2"))
        before, _, after = words("conflict.disagree_on", subject="\0").partition("\0")
        subject = " ".join(visible(self.question.subject).split())
        return line((before, "$text2"), (subject, "$text"), (after, "$text2"))

    def _dots(self) -> Content:
        """`● ○ ○  1 of 3`: where in the row this one stands; nothing when it is the only one."""
        place, count, glyphs = self.question.place, self._count, self.look.glyphs
        if count <= 1:
            return Content("")
        first = max(0, min(place - (_MOST_DOTS + 1) // 2, count - _MOST_DOTS))
        seen = range(first + 1, min(first + _MOST_DOTS, count) + 1)
        dots = [
            line((glyphs.current, "$accent") if at == place else (glyphs.waiting, "$text3"))
            for at in seen
        ]
        of = self.look.words("conflict.place", place=place, count=count)
        return Content(" ").join(dots) + line((f"  {of}", "$text2"))

    def _key_row(self, width: int, *, scrolls: bool) -> Content:
        words = self.look.words
        onward = words("conflict.next" if self._count > self.question.place else "conflict.later")
        keys = [
            ("Tab ← →", words("conflict.choose")),
            ("Enter", words("conflict.do_it")),
            ("PgDn ]", onward),
        ]
        if scrolls:
            keys.insert(2, ("↑ ↓", words("conflict.scroll")))
        pieces = [
            line((self.look.keys(key), "$text"), (f" {word}", "$text3")) for key, word in keys
        ]
        shorter = Content("   ").join([pieces[0], *pieces[2:]])
        row = Content("   ").join(pieces)
        whole = row + line((f"   {words('conflict.pause')}", "$text3"))
        return next((one for one in (whole, row) if one.cell_length <= width), shorter)

    # Keys

    def stands_for(self, character: str) -> bool:
        """A button, or the next conflict."""
        return character in _NEXT or super().stands_for(character)

    def take(self, character: str) -> None:
        """A character that stood alone."""
        if character in _NEXT:
            self._answer(None)
        else:
            super().take(character)

    def act(self, key: str) -> None:
        """Esc keeps the existing one at any time; PgDn leaves this one undecided."""
        match key:
            case "escape":
                self._answer(ConflictAnswer(verdict="keep_existing"))
            case "pagedown":
                self._answer(None)
            case "up":
                self._scroll.scroll_relative(y=-1, animate=False)
            case "down":
                self._scroll.scroll_relative(y=1, animate=False)
            case _:
                super().act(key)

    def on_button_row_pressed(self, message: ButtonRow.Pressed) -> None:
        """Answers."""
        message.stop()
        match message.button.name:
            case "replace":
                self._answer(ConflictAnswer(verdict="replace"))
            case "keep_both":
                self._answer(ConflictAnswer(verdict="keep_both"))
            case _:
                self._answer(ConflictAnswer(verdict="keep_existing"))

    def _answer(self, answer: ConflictAnswer | None) -> None:
        if self.is_current:
            self.dismiss(answer)
