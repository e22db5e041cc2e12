"""The file viewer: a file of any size, or a text in memory, read where one looks (mock 15)."""

from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal
from textual.reactive import var
from textual.timer import Timer
from textual.widgets import TextArea

from app.paths import styles_folder
from app.view.file_source import Source
from widgets.actions import Region, bindings
from widgets.dialogs.base import Plain
from widgets.file_said import FileHead, FindLine, standing
from widgets.file_view import MOST, FileView
from widgets.glyphs import FRAME_SECONDS
from widgets.header import HeaderState
from widgets.look import NORMAL, Look
from widgets.query_field import QueryField
from widgets.requests import BringBack, EditFile
from widgets.rows import line
from widgets.toasts import Toast
from widgets.work_screen import WorkScreen

Asking = Literal["", "find", "line"]
"""What the field asks for; "": it is closed."""

_DEBOUNCE = 0.1
"""Seconds without a key until what was typed is searched for."""

_COMPACT = ("file_line", "find_in_file", "next_hit", "to_line", "bring_back_short", "leave_viewer")
_FOOTER = (
    *("file_line", "find_in_file", "next_hit", "to_line", "bring_back", "copy_lines"),
    *("open_editor", "leave_viewer"),
)


class ViewerScreen(WorkScreen):
    """Shows one source.

    Attributes:
        source: what is shown.
        view: its lines.
        head: its name and where the reader is.
        found: the search.
        field: where a query or a line's number is typed.
    """

    CSS_PATH = styles_folder() / "viewer.tcss"

    BINDINGS: ClassVar[list[BindingType]] = bindings("viewer")

    asking: var[Asking] = var[Asking]("")

    def __init__(
        self,
        look: Look,
        state: HeaderState,
        source: Source,
        *,
        at_line: int | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Prepares the screen; the source is closed with it.

        Args:
            look: words and glyphs.
            state: for the header.
            source: what is shown.
            at_line: where to begin, from 1.
            clock: seconds that only go forward.
        """
        super().__init__(look, state)
        self.source = source
        self.view = FileView(look, source, line=at_line, clock=clock)
        self.head = FileHead(look, clock=clock)
        self.found = FindLine(look, clock=clock)
        self.field = QueryField()
        self._sign = Plain(classes="viewer-sign")
        self._has_query = False
        self._typed: Timer | None = None
        self._spinning: Timer | None = None

    def compose_body(self) -> ComposeResult:
        """Name and place, the lines between two rules, the search."""
        with Container(classes="work-body viewer"):
            yield self.head
            yield Plain(classes="viewer-rule")
            yield self.view
            yield Plain(classes="viewer-rule")
            with Horizontal(classes="viewer-find"):
                yield self._sign
                yield self.field
                yield self.found
            yield self.rack

    def on_mount(self) -> None:
        """The keys are the lines'."""
        self._spinning = self.set_interval(FRAME_SECONDS, self._spin, pause=True)
        self.view.focus()
        self._say()

    def watch_look(self) -> None:
        """Another language, other glyphs."""
        self.state = replace(self.state, title=self.look.words("viewer.title"), alert="")
        super().watch_look()
        if self.is_mounted:
            self._ask(self.asking)

    # What is said

    @on(FileView.Changed)
    def _changed(self, message: FileView.Changed) -> None:
        message.stop()
        self._say()

    def _say(self) -> None:
        view = self.view
        self.head.show(standing(self.source.title, view.window, view.page, view.change, view.grown))
        self.found.show(view.finder.finding)
        if self._spinning is not None and (view.counting or view.finder.running):
            self._spinning.resume()
        elif self._spinning is not None:
            self._spinning.pause()
        if self.offers("next_hit") != self._has_query:
            self._has_query = not self._has_query
            self.refresh_footer()

    def _spin(self) -> None:
        self.head.draw_now()
        self.found.draw_now()

    # What works now

    def regions(self) -> tuple[Region, ...]:
        """The lines, or the field."""
        return ("viewer_field",) if self.asking else ("viewer",)

    def footer_names(self) -> tuple[str, ...]:
        """A small screen says less."""
        if self.asking:
            return super().footer_names()
        return _COMPACT if self.app.size.width < NORMAL else _FOOTER

    def offers(self, name: str) -> bool:
        """Hits are there once something is looked for; a text in memory has no file to open."""
        match name:
            case "next_hit" | "previous_hit":
                return bool(self.view.finder.finding.query)
            case "open_editor":
                return self.source.path is not None
            case "field_hits":
                return self.asking == "find"
            case _:
                return True

    def last_name(self) -> str:
        """The keys."""
        return "help_sign"

    # The field

    def _ask(self, what: Asking) -> None:
        """Opens the field, or closes it."""
        words = self.look.words
        self.asking, self.found.asks = what, bool(what)
        self.found.said = ("", "text3")
        self.set_class(bool(what), "-asking")
        self._sign.update(line((":" if what == "line" else "/", "$accent bold")))
        self.field.placeholder = words("viewer.line_hint" if what == "line" else "viewer.find")
        if what:
            self.set_focus(self.field)
        else:
            self.set_focus(self.view)
        self.found.draw_now()
        self.refresh_footer()

    def action_find(self) -> None:
        """/ looks for a text."""
        self.field.fill("")
        self._ask("find")

    def action_to_line(self) -> None:
        """: goes to a line or a percentage."""
        self.field.fill("")
        self._ask("line")

    @on(TextArea.Changed)
    def _typing(self) -> None:
        if self.found.said[0]:
            self.found.said = ("", "text3")
            self.found.draw_now()
        if self._typed is not None:
            self._typed.stop()
        if self.asking == "find":
            self._typed = self.set_timer(_DEBOUNCE, self._find)

    def _find(self) -> None:
        """Looks for what was typed."""
        if self._typed is not None:
            self._typed.stop()
            self._typed = None
        query = self.field.text
        if self.asking == "find" and query and query != self.view.finder.finding.query:
            self.view.find(query)

    def action_take(self) -> None:
        """Enter: to the hit that was found, or to the line."""
        if self.asking == "line" and not self._go_to(self.field.query_text):
            self.found.said = (self.look.words("viewer.no_line"), "warn")
            self.found.draw_now()
            return
        self._find()
        self._ask("")

    def _go_to(self, text: str) -> bool:
        """To what was typed; False: it is neither a number nor a percentage."""
        number = text.replace(",", "").replace("，", "")
        share = number.endswith(("%", "％"))
        number = number.rstrip("%％ ")
        if not text:
            return True
        if not number.isdecimal() or len(number) > 18:
            return False
        if share:
            self.view.go_to_share(int(number))
        else:
            self.view.go_to_number(max(1, int(number)))
        return True

    def action_step(self, by: int) -> None:
        """↑ ↓ in the field: from hit to hit."""
        if self.asking == "find":
            self._find()
            self.view.next_hit(by)

    def action_leap(self, by: int) -> None:
        """PgUp PgDn in the field."""
        self.view.action_page(by)

    # Other keys

    def action_hit(self, by: int) -> None:
        """To another hit (n N); without a query it is asked for."""
        if self.offers("next_hit"):
            self.view.next_hit(by)
        else:
            self.action_find()

    async def action_copy_lines(self) -> None:
        """c: the selected lines, else the one under the cursor."""
        excerpt = await self.view.excerpt(visible_too=False)
        if excerpt is None:
            return
        words = self.look.words
        self.app.copy_to_clipboard(excerpt.text)
        said = words("viewer.copied_lines", n=excerpt.last - excerpt.first + 1)
        if excerpt.cut:
            said = words("viewer.copied_cut", n=f"{MOST:,}")
        self.show_toast(Toast(words("viewer.copied"), said, "ok"))

    async def action_bring_back(self) -> None:
        """b: the selected lines, else those in view."""
        excerpt = await self.view.excerpt(visible_too=True)
        if excerpt is not None:
            source = self.source
            self.post_message(
                BringBack(source.title, source.path, excerpt.first, excerpt.last, excerpt.text)
            )

    def action_open_editor(self) -> None:
        """o: the file in $EDITOR."""
        if self.source.path is not None:
            self.post_message(EditFile(self.source.path, self.view.page.cursor_number or 1))

    def close_popup(self) -> bool:
        """Esc stops the search, then leaves the field."""
        if self.view.finder.running:
            self.view.finder.stop()
        elif self.asking:
            self._ask("")
        else:
            return False
        return True

    async def leave(self) -> None:
        """Esc: back to where it was opened."""
        self.app.pop_screen()
