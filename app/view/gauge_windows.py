"""What the present history would mean in each window (STYLE 14, "Windows, exactly")."""

from dataclasses import dataclass
from typing import Literal

from app.conversation.window import PRESETS, window_label
from app.text.numbers import percent, rounded
from app.view.gauge_marks import Limits

Due = Literal["summary", "clear", ""]
RulerPart = Literal["used", "half", "left", "clear", "summary"]
"""A cell of a ruler: used, half used, not used, or a mark's digit."""


@dataclass(frozen=True, slots=True)
class WindowRow:
    """One window.

    Attributes:
        size: tokens.
        label: `128k`; a window of its own in whole k.
        limits: its marks.
        used: tokens of the present history.
        percent: the same of this window.
        due: what would happen before the next call.
        active: it is the one in use.
        chosen: the cursor is on it.
    """

    size: int
    label: str
    limits: Limits
    used: int
    percent: int
    due: Due = ""
    active: bool = False
    chosen: bool = False


def window_sizes(window: int) -> tuple[int, ...]:
    """The windows in the order they are shown: the four, then the one in use if it is another."""
    return PRESETS if window in PRESETS else (*PRESETS, window)


def row_label(window: int) -> str:
    """How a row is called: never by the name of a window it only comes near to."""
    return window_label(window, exact=True)


def due_at(
    limits: Limits, used: int, clearable: int, *, summarises: bool = True, clears: bool = True
) -> Due:
    """What would happen before the next call.

    At the summary's mark a clear needs no least gain; it comes first, and may be all there is.

    Args:
        limits: the window's marks.
        used: tokens now.
        clearable: tokens that clearing old results would free.
        summarises: summaries are made, and don't pause.
        clears: results are cleared, and that doesn't pause.
    """
    due = used >= limits.summary
    if due and summarises:
        return "summary"
    least = 1 if due else limits.min_gain
    if clears and used >= limits.clear and 0 < least <= clearable:
        return "clear"
    return ""


def window_row(
    window: int, limits: Limits, used: int, *, due: Due, active: bool, chosen: bool
) -> WindowRow:
    """The row of one window."""
    share = percent(used, window)
    return WindowRow(window, row_label(window), limits, used, share, due, active, chosen)


def ruler(row: WindowRow, cells: int) -> list[RulerPart]:
    """The row's window as so many cells, each row to its own scale.

    Two digits need two cells: in less nothing is marked. A terminal shrinks through such widths
    before the screen says that it is too small.
    """
    if cells < 2:
        return ["left"] * max(0, cells)
    halves = min(2 * cells, rounded(2 * row.used * cells, row.size))
    parts: list[RulerPart] = ["used"] * (halves // 2)
    if halves % 2:
        parts.append("half")
    parts += ["left"] * (cells - len(parts))
    summary = min(cells - 1, row.limits.summary * cells // row.size)
    clear = min(cells - 1, row.limits.clear * cells // row.size)
    if clear == summary:
        clear, summary = (clear - 1, summary) if clear else (clear, summary + 1)
    parts[clear] = "clear"
    parts[summary] = "summary"
    return parts
