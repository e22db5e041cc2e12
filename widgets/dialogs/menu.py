"""A menu of actions: what works here (F9), or everything (palette)."""

from textual.content import Content

from app.text import Key
from widgets.dialogs.entry import Entry
from widgets.dialogs.narrowing import NarrowingDialog
from widgets.fuzzy import WHOLE, score
from widgets.listing import Listing
from widgets.look import Look
from widgets.rows import column, line, spread

_KEYS = 12


class EntryList(Listing):
    """The entries that fit what was typed."""

    def __init__(self, look: Look, entries: tuple[Entry, ...]) -> None:
        super().__init__(look)
        self.all = entries
        self.fitting = entries

    def narrow(self, query: str) -> None:
        """Shows the entries that fit, best first."""
        fitting = fit(query, self.all)
        if fitting != self.fitting:
            self.fitting = fitting
            self.rebuilt(0)

    def count(self) -> int:
        """How many entries fit."""
        return len(self.fitting)

    def draw(self, index: int, width: int, *, on: bool) -> Content:
        """Cursor, what it does, its keys at the right."""
        entry = self.fitting[index]
        keys = column(self.look.keys(entry.keys), _KEYS, "$text2" if on else "$text3")
        left = self.cursor_piece(on=on) + line((entry.text, "$text"))
        return spread(width, left, keys, self.look.glyphs.ellipsis)


def fit(query: str, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries whose text or keys hold the letters of `query`, best first."""
    if not query:
        return entries
    ranked = [(score(query, f"{entry.text} {entry.keys}"), entry) for entry in entries]
    found = [(rank, entry) for rank, entry in ranked if rank is not None]
    if any(rank >= WHOLE for rank, _ in found):
        found = [(rank, entry) for rank, entry in found if rank >= WHOLE]
    return tuple(entry for _, entry in sorted(found, key=lambda pair: -pair[0]))


class MenuDialog(NarrowingDialog[str]):
    """Dismissed with the chosen entry's `runs`, or None."""

    def __init__(self, look: Look, title: Key, entries: tuple[Entry, ...]) -> None:
        self.entries = EntryList(look, entries)
        super().__init__(look, self.entries, id="menu")
        self._title_key = title

    def heading(self) -> str:
        """The title in the border."""
        return self.look.words(self._title_key)

    def narrow(self, query: str) -> None:
        """Shows what fits."""
        self.entries.narrow(query)

    def chosen(self, index: int) -> None:
        """Runs it once the menu is gone."""
        self.dismiss(self.entries.fitting[index].runs)
