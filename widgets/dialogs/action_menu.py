"""A menu of actions inside a dialog: a second modal over it would be dismissed in its place."""

from textual.app import ComposeResult
from textual.containers import Vertical

from app.text import Key
from widgets.dialogs.entry import Entry
from widgets.dialogs.menu import EntryList
from widgets.look import Look


class ActionMenu(Vertical):
    """Over the window, for arrows and Enter; the dialog hands it the keys.

    Attributes:
        list: the entries.
    """

    DEFAULT_CSS = """
    ActionMenu {
        layer: notice;
        display: none;
        width: 48;
        height: auto;
        padding: 0 1;
        background: $overlay;
        border: round $accent;
        border-title-color: $text;
    }
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.list = EntryList(look, ())

    def compose(self) -> ComposeResult:
        """The entries."""
        yield self.list

    def open(self, entries: tuple[Entry, ...], title: Key) -> None:
        """Lists these, the cursor on the first."""
        self.list.all = self.list.fitting = entries
        self.list.rebuilt(0)
        self.border_title = self.list.look.words(title)

    def runs(self, index: int | None = None) -> str:
        """What an entry runs, by default the one under the cursor."""
        return self.list.fitting[self.list.at if index is None else index].runs

    def move(self, key: str) -> None:
        """`up` or `down`."""
        self.list.action_move(-1 if key == "up" else 1)
