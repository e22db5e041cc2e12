"""Keys and help, made from the actions and commands of this version (mock 14)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.widgets import TextArea

from app.paths import styles_folder
from widgets.actions import Action, Region, actions_of, bindings
from widgets.dialogs.base import Plain
from widgets.dialogs.entry import Entry
from widgets.dialogs.menu import EntryList
from widgets.header import HeaderState
from widgets.listing import Listing
from widgets.look import NORMAL, Dressed, Look
from widgets.query_field import QueryField
from widgets.requests import Request
from widgets.rows import EMPTY, column, line, spread, stack
from widgets.work_screen import WorkScreen

_KEYS = 11
_KEYS_HERE = frozenset("l/／、?？")
"""Letters and signs that mean something here until the field has the focus."""

_ORDER: tuple[Region, ...] = (
    "everywhere",
    "prompt",
    "conversation",
    "panel",
    "questions",
    "facts",
    "sessions",
    "context",
    "doctor",
    "viewer",
)
"""The groups, apart from the one where the help was asked for, which comes first."""


@dataclass(frozen=True, slots=True)
class Group:
    """Entries under one title; `here`: the help was asked for in this region."""

    title: str
    entries: tuple[Entry, ...]
    here: bool = False


def entry_of(action: Action, look: Look) -> Entry:
    """An action as an entry."""
    return Entry(look.words.named(f"actions.{action.name}"), action.shown, action.runs)


def groups_of(here: Sequence[Region], look: Look) -> tuple[Group, ...]:
    """All actions with keys, the focused region first."""
    words = look.words
    order = (*here, *(region for region in _ORDER if region not in here))
    groups = []
    for region in order:
        entries = tuple(entry_of(action, look) for action in actions_of(region) if action.shown)
        title = words.named(f"actions.at_{region}")
        is_here = region in here
        if is_here:
            title = words("help.here", region=title.lower() if words.language == "en" else title)
        groups.append(Group(title, entries, is_here))
    return tuple(groups)


class HelpColumns(Dressed):
    """All groups side by side, then the commands, then a sentence."""

    DEFAULT_CSS = """
    HelpColumns { width: 100%; height: 1fr; text-wrap: nowrap; }
    """

    def __init__(self, look: Look, groups: tuple[Group, ...], commands: tuple[Entry, ...]) -> None:
        super().__init__(look)
        self._groups = groups
        self._commands = commands
        self._first = 0

    def show(self, groups: tuple[Group, ...], commands: tuple[Entry, ...]) -> None:
        """Shows them in another language."""
        self._groups, self._commands = groups, commands
        self.refresh()

    def scroll_rows(self, by: int) -> None:
        """Moves what is in view."""
        most = max(0, len(self._rows()) - self.content_size.height + 1)
        self._first = min(max(0, self._first + by), most)
        self.refresh()

    def _rows(self) -> list[Content]:
        width = self.content_size.width
        number = 2 if self.app.size.width < NORMAL else 4
        wide = max(1, (width + 2) // number)
        columns: list[list[Content]] = [[] for _ in range(number)]
        for group in self._groups:
            shortest = min(columns, key=len)
            if shortest:
                shortest.append(EMPTY)
            style = "$accent bold" if group.here else "$text3"
            shortest.append(line((group.title, style)))
            shortest += [self._entry(entry) for entry in group.entries]
        rows = self._across(columns, wide, width)
        rows += [EMPTY, line((self.look.words("actions.at_commands"), "$text3"))]
        entries = [self._entry(one) for one in self._commands]
        half = number // 2
        deal = [entries[start::half] for start in range(half)]
        rows += self._across(deal, wide * 2, width)
        return [*rows, EMPTY, line((self.look.words("help.input_method"), "$text3"))]

    def _entry(self, entry: Entry) -> Content:
        keys = column(self.look.keys(entry.keys), _KEYS, "$text")
        return keys + line((entry.text, "$text2"))

    def _across(self, columns: list[list[Content]], wide: int, width: int) -> list[Content]:
        height = max(map(len, columns))
        rows = []
        for y in range(height):
            cells = [cells[y] if y < len(cells) else EMPTY for cells in columns]
            fitted = [spread(wide - 1, cell, ellipsis=self.look.glyphs.ellipsis) for cell in cells]
            rows.append(Content(" ").join(fitted).truncate(width))
        return rows

    def render(self) -> Content:
        """What fits; the last row counts the rest."""
        rows, height = self._rows(), self.content_size.height
        if len(rows) <= height or height < 2:
            return stack(rows)
        shown = rows[self._first : self._first + height - 1]
        rest = len(rows) - self._first - len(shown)
        more = line((self.look.words("help.more", n=rest), "$text3")) if rest else EMPTY
        return stack([*shown, more])


class HelpScreen(WorkScreen):
    """Shows every key; typing finds one, Enter runs it."""

    CSS_PATH = styles_folder() / "help.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("help"),
        Binding("up", "step(-1)", show=False),
        Binding("down", "step(1)", show=False),
        Binding("pageup", "leap(-1)", show=False),
        Binding("pagedown", "leap(1)", show=False),
        Binding("enter", "take", show=False),
    ]

    class Run(Request):
        """An entry was chosen."""

        def __init__(self, runs: str) -> None:
            super().__init__()
            self.runs = runs

    def __init__(
        self,
        look: Look,
        state: HeaderState,
        *,
        here: tuple[Region, ...],
        commands: tuple[Entry, ...],
    ) -> None:
        """Prepares the help.

        Args:
            look: words and glyphs.
            state: for the header.
            here: the region where it was asked for.
            commands: the `/commands`, in the language of `look`.
        """
        super().__init__(look, state)
        self._here = here
        self._commands = commands
        self._sign = Plain(classes="help-sign")
        self._count = Plain(classes="help-count")
        self.field = QueryField()
        self.columns = HelpColumns(look, groups_of(here, look), commands)
        self.results = EntryList(look, ())
        self._nothing = Plain(classes="help-nothing")

    def compose_body(self) -> ComposeResult:
        """The field, a rule, then columns or results."""
        with Container(classes="work-body help"):
            with Horizontal(classes="help-find"):
                yield self._sign
                yield self.field
                yield self._count
            yield Plain(classes="help-rule")
            yield self.columns
            yield self.results
            yield self._nothing
            yield self.rack

    def on_mount(self) -> None:
        """Typing finds; until then the field is not focused, so that `l` opens the log."""
        self.results.can_focus = False
        self.results.lit = True
        self._write()
        self._find()
        self.call_after_refresh(self._place_cursor)

    def _place_cursor(self) -> None:
        """An input method opens its window at the field, focused or not."""
        self.app.cursor_position = self.field.content_region.offset

    def on_key(self, event: events.Key) -> None:
        """The first letter goes into the field; those right behind it find their way too."""
        letter = event.character
        in_field = self.field.has_focus
        if letter is None or not event.is_printable or (letter in _KEYS_HERE and not in_field):
            return
        event.stop()
        self._type(letter)

    def on_paste(self, event: events.Paste) -> None:
        """A paste finds as well."""
        event.stop()
        self._type(event.text)

    def _type(self, text: str) -> None:
        self.set_focus(self.field)
        self.field.put(text)

    def watch_look(self) -> None:
        """Another language."""
        self.state = replace(self.state, title=self.look.words("help.title"), alert="")
        super().watch_look()
        if self.is_mounted:
            self._write()

    def _write(self) -> None:
        words = self.look.words
        groups = groups_of(self._here, self.look)
        number = sum(len(group.entries) for group in groups) + len(self._commands)
        self._sign.update(line(("/ ", "$accent bold")))
        self._count.update(line((words("help.count", n=number), "$text3")))
        self._nothing.update(line((words("help.nothing"), "$text2")))
        self.field.placeholder = words("help.find")
        self.columns.show(groups, self._commands)
        entries = [entry for group in groups for entry in group.entries]
        self.results.all = tuple(entry for entry in (*entries, *self._commands) if entry.runs)

    def regions(self) -> tuple[Region, ...]:
        """One region."""
        return ("help",)

    def offers(self, name: str) -> bool:
        """There is something to choose and run once something was found."""
        found = bool(self.field.query_text and self.results.count())
        return not found if name == "scroll_help" else found or name not in ("entry", "run_entry")

    def footer_names(self) -> tuple[str, ...]:
        """In the field `l` and `/` are text."""
        names = super().footer_names()
        typed = ("find", "log_from_help") if self.field.has_focus else ()
        return tuple(name for name in names if name not in typed)

    @on(TextArea.Changed)
    def _find(self) -> None:
        query = self.field.query_text.lstrip("/／、")
        if not query and self.field.text:
            self.field.fill("")
        self.results.narrow(query)
        found = bool(query) and self.results.count() > 0
        self.columns.display = not query
        self.results.display = found
        self._nothing.display = bool(query) and not found
        self.refresh_footer()

    @on(Listing.Chosen)
    def _chosen(self, message: Listing.Chosen) -> None:
        message.stop()
        self.post_message(self.Run(self.results.fitting[message.index].runs))

    def action_step(self, by: int) -> None:
        """↑ ↓: the results' cursor, else the view."""
        if self.results.display:
            self.results.action_move(by)
        else:
            self.columns.scroll_rows(by)

    def action_leap(self, by: int) -> None:
        """PgUp PgDn."""
        if self.results.display:
            self.results.action_page(by)
        else:
            self.columns.scroll_rows(by * max(1, self.columns.content_size.height - 2))

    def action_take(self) -> None:
        """Enter: runs what was found."""
        self._find()
        if self.results.display:
            self.results.action_choose()

    def action_find(self) -> None:
        """To the field (/)."""
        self.set_focus(self.field)

    def on_resize(self, _event: events.Resize) -> None:
        """Other columns: from the top."""
        self.columns.scroll_rows(-10_000)

    def close_popup(self) -> bool:
        """Esc first empties the field."""
        if not self.field.text:
            return False
        self.field.fill("")
        self.set_focus(None)
        self.refresh_footer()
        return True

    async def leave(self) -> None:
        """Esc: back to the workbench."""
        self.app.pop_screen()
