"""A page of a large file with a cursor on a line, and how it moves: what a file viewer shows."""

from dataclasses import dataclass, replace

from app.view.file_window import FileLine, FileWindow

ABOVE = 4
"""Lines that stay in view above the one that was gone to."""


@dataclass(frozen=True, slots=True)
class Page:
    """What is in view.

    Attributes:
        lines: from the top.
        at: which of them the cursor is on.
        number: the number of the first, from 1; None: not counted that far yet.
    """

    lines: tuple[FileLine, ...] = ()
    at: int = 0
    number: int | None = 1

    @property
    def top(self) -> int:
        """Where the first line begins."""
        return self.lines[0].start if self.lines else 0

    @property
    def cursor(self) -> int:
        """Where the cursor's line begins."""
        return self.lines[self.at].start if self.lines else 0

    @property
    def cursor_number(self) -> int | None:
        """The number of the cursor's line."""
        return None if self.number is None or not self.lines else self.number + self.at

    def index_of(self, start: int) -> int | None:
        """Which line begins there; None: none in view."""
        for index, line in enumerate(self.lines):
            if line.start == start:
                return index
        return None


def page_at(window: FileWindow, top: int, cursor: int, rows: int) -> Page:
    """The page from the line at `top` on, filled up at the end, the cursor in view."""
    rows = max(1, rows)
    lines = window.lines(top, rows)
    if len(lines) < rows and top > 0 and _reaches_end(window, lines):
        top = window.back(window.last(), rows - 1)
        lines = window.lines(top, rows)
    if not lines:
        return Page(number=window.number(0))
    if cursor > lines[-1].start and lines[-1].end is not None:
        top = window.back(cursor, rows - 1)
        lines = window.lines(top, rows)
    elif cursor < top:
        top = cursor
        lines = window.lines(top, rows)
    page = Page(lines, 0, window.number(top))
    at = page.index_of(cursor)
    return replace(page, at=len(lines) - 1 if at is None else at)


def _reaches_end(window: FileWindow, lines: tuple[FileLine, ...]) -> bool:
    """Whether the file ends behind these lines."""
    return not lines or (lines[-1].end is not None and lines[-1].end + 1 >= window.source.size)


def stepped(window: FileWindow, page: Page, by: int, rows: int) -> Page:
    """The cursor some lines up or down; the view follows."""
    at = page.at + by
    if 0 <= at < len(page.lines):
        return replace(page, at=at)
    if not page.lines:
        return page
    if by < 0:
        cursor = window.back(page.top, -at)
        return page_at(window, cursor, cursor, rows)
    cursor = _forward(window, page.lines[-1].start, at - len(page.lines) + 1)
    return page_at(window, window.back(cursor, rows - 1), cursor, rows)


def _forward(window: FileWindow, start: int, count: int) -> int:
    """Where the line `count` lines behind the one at `start` begins; the last one at the most."""
    lines = window.lines(start, count + 1)
    return lines[-1].start if lines else start


def paged(window: FileWindow, page: Page, by: int, rows: int) -> Page:
    """A windowful less one line up or down; at the edge the cursor goes to the last line there."""
    if not page.lines:
        return page
    if by < 0:
        if page.top == 0:
            return replace(page, at=0)
        top = window.back(page.top, max(1, rows - 1))
    else:
        top = page.lines[-1].start
    moved = page_at(window, top, top, rows)
    if moved.top == page.top:
        return replace(moved, at=len(moved.lines) - 1 if by > 0 else 0)
    return replace(moved, at=min(page.at, len(moved.lines) - 1))


def scrolled(window: FileWindow, page: Page, by: int, rows: int) -> Page:
    """The view some lines up or down; the cursor stays where it is, or at the edge."""
    if not page.lines:
        return page
    top = window.back(page.top, -by) if by < 0 else _forward(window, page.top, by)
    moved = page_at(window, top, top, rows)
    at = moved.index_of(page.cursor)
    if at is None:
        at = 0 if page.cursor < moved.top else len(moved.lines) - 1
    return replace(moved, at=at)


def gone_to(window: FileWindow, page: Page, start: int, rows: int) -> Page:
    """The cursor on the line at `start`; the view stays, if that is in it."""
    at = page.index_of(start)
    if at is not None:
        return replace(page, at=at)
    return page_at(window, window.back(start, min(ABOVE, rows - 1)), start, rows)
