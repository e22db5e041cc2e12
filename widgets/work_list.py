"""The list of what the agent is told: a column of the Work view, or the Work tab."""

from collections.abc import Callable, Hashable, Sequence
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType

from app.view.work_rows import (
    Blank,
    EntityRow,
    GoalRow,
    GroupHead,
    NamesRow,
    RuleRow,
    TaskRow,
    WorkRow,
    goal_row,
    key_of,
    tab_rows,
)
from app.view.work_shown import NO_WORK_SHOWN, WorkShown
from widgets.actions import bindings
from widgets.held_list import AGE_SECONDS, HeldList
from widgets.list_source import Lines
from widgets.look import Look
from widgets.palette import Token
from widgets.paragraph import lines_of
from widgets.pen_list import PenList, PenSource
from widgets.work_lines import Drawing, work_lines

_AROUND = 6
"""Cells of a task beside its words, at most."""


class WorkSource(PenSource):
    """Draws the rows.

    Attributes:
        rows: what is listed.
        now: the present, for ages.
    """

    def __init__(self, look: Look, surface: Token, now: Callable[[], datetime]) -> None:
        super().__init__(look, surface)
        self.rows: tuple[WorkRow, ...] = ()
        self.now = now

    def __len__(self) -> int:
        return len(self.rows)

    def key(self, index: int) -> Hashable:
        """What a row shows; an age says itself anew with the version."""
        return self.rows[index], self.version, self.lit

    def estimate(self, start: int, stop: int, width: int) -> list[int]:
        """Exact: what is drawn, but for what is surely one line: there may be thousands."""
        how, rows = Drawing(width, self.now()), self.rows[start:stop]
        return [
            1 if _in_one_line(row, width) else len(work_lines(row, how, self.pen)) for row in rows
        ]

    def render(self, index: int, width: int, *, current: bool) -> Lines:
        """Draws a row."""
        how = Drawing(width, self.now(), current=current, lit=self.lit)
        pen = self.pen
        if current:
            pen = pen.upon("accent_bg" if self.lit else "raised")
        drawn = work_lines(self.rows[index], how, self.pen)
        return Lines(tuple(line.strip(width, pen.blank) for line in drawn))

    def selectable(self, index: int) -> bool:
        """Rows that something can be done with."""
        return bool(key_of(self.rows[index]))

    def text(self, index: int) -> str:
        """The row's own words."""
        match self.rows[index]:
            case GoalRow(text=text) | RuleRow(text=text) | TaskRow(text=text):
                return text
            case EntityRow(entity=entity):
                return entity.name
            case NamesRow(names=names):
                return "\n".join(names)
            case _:
                return ""


def _in_one_line(row: WorkRow, width: int) -> bool:
    """Whether that is known without drawing it."""
    match row:
        case Blank() | EntityRow() | GroupHead():
            return True
        case TaskRow(text=text, by=by, told=True):
            return cell_len(text) + cell_len(by) + _AROUND <= width
        case _:
            return False


class WorkList(PenList):
    """Some rows; the cursor stays on its own when they change."""

    DEFAULT_CSS = """
    WorkList { height: 1fr; }
    """

    def __init__(
        self, look: Look, now: Callable[[], datetime], *, id: str, surface: Token = "bg"
    ) -> None:
        self._work = WorkSource(look, surface, now)
        super().__init__(look, self._work, id=id)
        self._used = False

    def watch_has_focus(self, has_focus: bool) -> None:
        """From its first focus on the cursor keeps its row; at first it is on the first one."""
        self._used = self._used or has_focus
        at, rows = self._cursor.item, range(len(self._work))
        at = next(filter(self._work.selectable, rows), None) if at is None else at
        super().watch_has_focus(has_focus)
        # What is in view may not be known yet: the base would go to its last row.
        if has_focus and at is not None and at in rows and self._cursor.item != at:
            self.put_cursor(at)

    def on_mount(self) -> None:
        """Says ages anew now and then."""
        super().on_mount()
        self.set_interval(AGE_SECONDS, self._say_ages)

    @property
    def row(self) -> WorkRow | None:
        """What the cursor is on."""
        at = self.cursor
        return None if at is None or at >= len(self._work.rows) else self._work.rows[at]

    @property
    def key(self) -> tuple[str, ...]:
        """The key of that row; empty where there is none."""
        return () if (row := self.row) is None else key_of(row)

    @property
    def ended(self) -> str:
        """Id of the rule the cursor is on, where it doesn't hold any longer; else ""."""
        row = self.row
        return row.id if isinstance(row, RuleRow) and row.revoked else ""

    def show(self, rows: Sequence[WorkRow], at: tuple[str, ...] = ()) -> None:
        """Lists these.

        Args:
            rows: all of them.
            at: key of the row the cursor goes to; empty: it stays on its own.
        """
        if tuple(rows) == self._work.rows and not at:
            return
        self._used = self._used or bool(at)
        wanted, before = at or self.key, self.cursor or 0
        if not at and (not self._used or sum(map(bool, map(key_of, self._work.rows))) < 2):
            wanted, before = (), 0  # nobody put it where it stood
        self._work.rows = tuple(rows)
        keys = [key_of(row) for row in rows]
        stops = [number for number, key in enumerate(keys) if key]
        if wanted and wanted in keys:
            found: int | None = keys.index(wanted)
        else:  # the next one takes its place
            found = next((number for number in stops if number >= before), None)
            found = stops[-1] if found is None and stops else found
        self.show_rows(found)

    def action_cursor(self, step: int) -> None:
        """To the next row; where there is none, the text moves."""
        at = self.cursor
        count = len(self._work)
        ahead = range((-1 if at is None else at) + 1, count) if step > 0 else range(at or 0)
        if any(self._work.selectable(index) for index in ahead):
            super().action_cursor(step)
        else:
            self.viewport.scroll(step)
            self._settle(reach_end=step > 0)

    def _say_ages(self) -> None:
        self._work.version += 1
        self._schedule()


class WorkPane(WorkList):
    """The tab: as much as fits, over the same keys as the other tabs."""

    DEFAULT_CSS = """
    WorkPane { width: 100%; height: 1fr; scrollbar-size-vertical: 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings("panel")

    def __init__(self, look: Look, now: Callable[[], datetime], *, surface: Token) -> None:
        super().__init__(look, now, id="work-pane", surface=surface)
        self.shown: WorkShown = NO_WORK_SHOWN
        self._wanted: tuple[str, ...] = ()

    def show_work(self, shown: WorkShown, width: int, height: int) -> None:
        """Shows what fits.

        Args:
            shown: what the agent would be told.
            width: cells.
            height: lines.
        """
        self.shown = shown
        row = goal_row(shown, tab=True)
        lines = lines_of(row.text, width, row.most)
        self.show(tab_rows(shown, height, goal_lines=lines))
        self._find()

    def put_at(self, key: tuple[str, ...]) -> None:
        """Puts the cursor on a row; where there is no room for it yet, once there is."""
        self._wanted = key
        self._find()

    def _find(self) -> None:
        keys = [key_of(row) for row in self._work.rows]
        if self._wanted in keys and self._wanted:
            self._used = True  # it stays there, wherever the focus is
            self.put_cursor(keys.index(self._wanted))
            self._wanted = ()

    def on_key(self) -> None:
        """Whoever presses a key wants to be where they are."""
        self._wanted = ()

    def action_tab(self, by: int) -> None:
        """Another tab."""
        self.post_message(HeldList.TabWanted(by))

    def action_window(self) -> None:
        """Another window is looked at."""
        self.post_message(HeldList.WindowWanted())
