"""The rail of the memory browser: inbox, scope, state, source, pinned, each with its count."""

from typing import cast

from textual.content import Content

from app.text import Key
from app.view.facts_view import FactsModel, RailRow
from widgets.fact_lines import state_sign
from widgets.glyphs import Glyphs
from widgets.listing import Listing
from widgets.look import Look
from widgets.rows import clip, line, spread

_FIRST_CHOICE = "all"

_WIDE = 140
"""Columns of a screen from which on names are whole (STYLE 3)."""


class FactRail(Listing):
    """The rows; Enter or Space chooses one."""

    DEFAULT_CSS = """
    FactRail { height: 100%; padding: 1 1 0 1; background: $surface; }
    """

    shows_rest = False

    def __init__(self, look: Look, model: FactsModel) -> None:
        super().__init__(look, id="facts-rail")
        self._rows = model.rail()
        names = [row.name for row in self._rows]
        self.set_reactive(FactRail.at, names.index(_FIRST_CHOICE))

    def show(self, model: FactsModel) -> None:
        """Other counts, other choices; the cursor stays."""
        rows = model.rail()
        if rows != self._rows:
            self._rows = rows
            self.refresh()

    @property
    def row(self) -> RailRow:
        """The row the cursor is on."""
        return self._rows[self.at]

    def row_at(self, index: int) -> RailRow:
        """A row."""
        return self._rows[index]

    def count(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def can_choose(self, index: int) -> bool:
        """All but headings and gaps."""
        return 0 <= index < len(self._rows) and self._rows[index].can_choose

    def draw(self, index: int, width: int, *, on: bool) -> Content:
        """One row: cursor, glyph, name, count."""
        row, look = self._rows[index], self.look
        if row.kind == "gap":
            return Content(" " * width)
        name = self._word(row)
        if row.kind == "head":
            return line((f" {name}", "$text3"))
        sign, tone = self._sign(row, look.glyphs)
        count = f"{row.count:,} "
        room = max(1, width - 3 - len(count) - 1)
        lit = "bold " if row.on and row.kind != "radio" else ""
        grey = "$text" if row.on or on else "$text2"
        colour = tone if row.kind == "state" else grey
        cursor = look.glyphs.cursor if on and (self.has_focus or not row.on) else " "
        left = line(
            (cursor, "$accent bold" if self.has_focus else "$text3"),
            (f"{sign} ", tone),
            (clip(name, room, look.glyphs.ellipsis), lit + colour),
        )
        shown = spread(width, left, line((count, "$text" if row.on else "$text2")))
        quiet = row.on and not (on and self.has_focus)
        return shown.stylize_before("on $raised") if quiet else shown

    def _word(self, row: RailRow) -> str:
        words = self.look.words
        match row.kind:
            case "head":
                return words(cast("Key", f"facts.head_{row.name}"))
            case "state":
                return words(cast("Key", f"memory_list.{row.name}"))
            case "source":
                short = "_short" if self.app.size.width < _WIDE else ""
                return words(cast("Key", f"facts.by_{row.name}{short}"))
            case "radio" if row.name != _FIRST_CHOICE:
                return words(cast("Key", f"memory_list.{row.name}"))
            case _:
                return words(cast("Key", f"facts.{row.name}"))

    def _sign(self, row: RailRow, glyphs: Glyphs) -> tuple[str, str]:
        match row.kind:
            case "inbox":
                return glyphs.conflicting, "$danger" if row.count else "$text3"
            case "pinned":
                return glyphs.pinned, "$accent"
            case "state":
                sign, token = state_sign(row.name, glyphs)
                return sign, f"${token}"
            case _:
                return (glyphs.current, "$accent") if row.on else (glyphs.waiting, "$text3")
