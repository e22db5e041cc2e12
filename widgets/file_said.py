"""What is said about a file in view: its name and size above it, the search below (mock 15)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import cast

from app.boundary import visible
from app.text import Key
from app.view.file_pages import Page
from app.view.file_source import Change
from app.view.file_window import FileWindow
from app.view.line_index import roughly
from widgets.drawn import Drawn
from widgets.file_finder import Finding
from widgets.look import Look
from widgets.palette import Token
from widgets.pen import Pen
from widgets.rows import clip_path
from widgets.spans import Line, Span, width_of
from widgets.spinner_line import PATIENCE

_NORMAL = 96
"""Cells from which on numbers are written out (STYLE 3: 100 columns)."""

_MILLION = 1_000_000
_APART = "   "


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a file's reader is.

    Attributes:
        title: the file's name; foreign.
        characters: how many it has, as far as is known.
        counting: hundredths of it that are counted; None: all.
        number: of the cursor's line, from 1; 0: there is none.
        is_about: whether that is a guess.
        lines: how many there are, as far as is known.
        percent: how far the cursor's line is into it.
        change: what happened to it last.
        grown: bytes that came while it was open.
        is_file: whether it is a file at all, not a text in memory.
    """

    title: str = ""
    characters: int = 0
    counting: int | None = None
    number: int = 0
    is_about: bool = False
    lines: int = 0
    percent: int = 0
    change: Change | None = None
    grown: int = 0
    is_file: bool = True


def standing(
    title: str, window: FileWindow, page: Page, change: Change | None, grown: int
) -> Standing:
    """What is to be said now; reads nothing."""
    index, size = window.index, window.source.size
    line = page.lines[page.at] if page.lines else None
    at_end = line is None or (line.end is not None and line.end + 1 >= size)
    total = window.total()
    lines = index.estimated_lines() if total is None else total
    number = page.cursor_number
    return Standing(
        title=title,
        characters=index.estimated_characters(),
        counting=None if index.complete else index.counted * 100 // max(1, size),
        number=min(lines, roughly(lines * page.cursor // max(1, size)))
        if number is None
        else number,
        is_about=number is None,
        lines=lines,
        percent=100 if at_end else page.cursor * 100 // max(1, size),
        change=change,
        grown=grown,
        is_file=window.source.path is not None,
    )


class FileHead(Drawn):
    """Two rows: name and size; what is being done, and where the reader is."""

    SURFACE = "bg"
    DEFAULT_CSS = """
    FileHead { width: 100%; height: 2; background: $bg; }
    """

    def __init__(self, look: Look, *, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(look, clock=clock)
        self._standing = Standing()
        self._since = clock()

    def show(self, standing: Standing) -> None:
        """Shows it; what only is counted on by itself is drawn with the spinner."""
        before, self._standing = self._standing, standing
        if before.counting is None and standing.counting is not None:
            self._since = self._clock()
        counts = replace(before, characters=0, counting=0, lines=0)
        if counts != replace(standing, characters=0, counting=0, lines=0) or (
            standing.counting is None
        ):
            self.draw_now()

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """Both rows."""
        return [self._title(width, pen), self._where(width, pen)]

    def _title(self, width: int, pen: Pen) -> Line:
        shown = self._standing
        size = counted(shown.characters, "viewer.characters", width, pen)
        if shown.counting is not None:
            size = pen.say("viewer.about", n=size)
        right = (pen(size, "text2"),)
        title = visible(shown.title).replace("\n", " ")
        title = clip_path(title, width - width_of(right) - 2, pen.glyphs.ellipsis)
        return pen.spread(width, (pen(title, "text", bold=True),), right)

    def _where(self, width: int, pen: Pen) -> Line:
        shown = self._standing
        lines = f"{shown.lines:,}"
        if shown.counting is not None:
            lines = pen.say("viewer.about", n=lines)
        number = f"{shown.number:,}"
        if shown.is_about:
            number = pen.say("viewer.about", n=number)
        right: tuple[Span, ...] = (
            *pen.filled("viewer.position", at=number, n=lines),
            pen(f"  {shown.percent}%", "text2"),
        )
        return pen.spread(width, self._state(width, pen), right)

    def _state(self, width: int, pen: Pen) -> tuple[Span, ...]:
        """What is being done or what became of the file; else how it is read."""
        shown = self._standing
        waited = self._clock() - self._since
        where = (pen(pen.say("viewer.read_where") if shown.is_file else "", "text3"),)
        if shown.counting is not None and waited >= PATIENCE:
            counting = pen.say("viewer.counting", percent=shown.counting)
            spans = (*spinner(waited, self.look, pen), pen(counting, "text2"))
            return spans if width < _NORMAL else (*spans, pen(_APART), *where)
        if shown.change == "grew":
            grown: object = 1 if shown.grown == 1 else f"{shown.grown:,}"
            return (pen(pen.say("viewer.grew", n=grown), "text2"),)
        if shown.change is not None:
            said = pen.say(cast("Key", f"viewer.{shown.change}"))
            return pen(f"{pen.glyphs.attention} ", "warn", bold=True), pen(said, "warn")
        return where


class FindLine(Drawn):
    """One row: what is searched for, which hit this is, how far the search is."""

    SURFACE = "bg"
    DEFAULT_CSS = """
    FindLine { width: 1fr; height: 1; background: $bg; }
    """

    def __init__(self, look: Look, *, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(look, clock=clock)
        self._finding = Finding()
        self._since = clock()
        self.said: tuple[str, Token] = ("", "text3")
        self.asks = False

    def show(self, finding: Finding) -> None:
        """Shows it; what only is counted on by itself is drawn with the spinner."""
        before, self._finding = self._finding, finding
        if finding.running and not before.running:
            self._since = self._clock()
        if not finding.running or replace(before, hits=0, searched=0) != replace(
            finding, hits=0, searched=0
        ):
            self.draw_now()

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """The row; while the query is being typed in the field beside it, without the query."""
        finding = self._finding
        left: tuple[Span, ...] = ()
        text, tone = self.said
        if text:
            return [pen.spread(width, (pen(text, tone),))]
        if not finding.query:
            hint = () if self.asks else (pen("/ ", "text3"), pen(pen.say("viewer.find"), "text3"))
            return [pen.spread(width, hint)]
        right = self._progress(pen)
        hits = (pen(hits_said(finding, pen), "text2"),)
        if self.asks:
            both = (*hits, pen(_APART), *right) if right else hits
            return [pen.spread(width, (), both if width_of(both) <= width else hits)]
        room = max(8, width - width_of(hits) - width_of(right) - 8)
        query = clip_path(visible(finding.query), room, pen.glyphs.ellipsis)
        left = (pen("/ ", "accent", bold=True), pen(query, "text"), pen(_APART), *hits)
        return [pen.spread(width, left, right)]

    def _progress(self, pen: Pen) -> tuple[Span, ...]:
        finding = self._finding
        waited = self._clock() - self._since
        blanks = {"done": _millions(finding.searched), "size": _millions(finding.size)}
        if finding.running:
            if waited < PATIENCE:
                return ()
            searched = pen(pen.say("viewer.searched", **blanks), "text2")
            stops = pen(f"  {pen.say('viewer.esc_stops')}", "text3")
            return (*spinner(waited, self.look, pen), searched, stops)
        if not finding.complete:
            stopped = pen(pen.say("viewer.stopped", **blanks), "text2")
            return stopped, pen(f"  {pen.say('viewer.goes_on')}", "text3")
        if finding.wrapped:
            return (pen(pen.say(cast("Key", f"viewer.from_{finding.wrapped}")), "text3"),)
        return ()


def hits_said(finding: Finding, pen: Pen) -> str:
    """`3 of 1,204 hits so far`."""
    so_far = "" if finding.complete else "_so_far"
    if not finding.hits:
        return pen.say(cast("Key", f"viewer.no_hits{so_far}"))
    number: object = 1 if finding.hits == 1 else f"{finding.hits:,}"
    if finding.at:
        key = cast("Key", f"viewer.hit{so_far}")
        return pen.say(key, at=f"{finding.at:,}", n=number)
    return pen.say(cast("Key", f"viewer.hits{so_far}"), n=number)


def counted(number: int, key: Key, width: int, pen: Pen) -> str:
    """A number of things, written out where there is room: `104,857,600 characters`, `104.9M`."""
    if width < _NORMAL:
        key = cast("Key", f"{key}_short")
    shown: object = 1 if number == 1 else f"{number:,}"
    if width < _NORMAL and number >= _MILLION:
        shown = f"{number / _MILLION:.1f}M"
    return pen.say(key, n=shown)


def spinner(seconds: float, look: Look, pen: Pen) -> tuple[Span, ...]:
    """The sign of what is running."""
    frame = look.glyphs.frame(seconds) if look.motion else "*"
    return (pen(f"{frame} ", "accent"),)


def _millions(number: int) -> int:
    """Bytes in MB, at least 1 where there are any."""
    return max(min(number, 1), (number + _MILLION // 2) // _MILLION)
