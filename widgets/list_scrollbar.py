"""Moves a long list's scrollbar without laying the screen out again."""

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.widget import Widget

from widgets.viewport import Viewport

Thumb = tuple[int, int]
"""Where a thumb begins and how long it is, in eighths of a cell."""


def place_scrollbar(widget: ScrollView, view: Viewport, thumb: Thumb) -> Thumb:
    """Tells Textual where the view is; the bar is drawn anew only when its thumb moves.

    Setting `virtual_size` as usual would lay out the whole screen, thirty times a second.

    Args:
        widget: the list.
        view: what it shows.
        thumb: what this gave last time.

    Returns:
        The thumb as it is now.
    """
    total, top = view.total, view.top_line
    size = Size(view.width, total)
    if size != widget.virtual_size:
        widget.set_reactive(Widget.virtual_size, size)
        widget._refresh_scrollbars()
    widget.set_scroll(None, top)
    widget.set_reactive(Widget.scroll_target_y, float(top))
    if not widget.show_vertical_scrollbar:
        return thumb
    bar, eighths = widget.vertical_scrollbar, view.height * 8
    now = (eighths * top // max(1, total), eighths * view.height // max(1, total))
    if now != thumb:
        bar.refresh()
    bar.set_reactive(ScrollBar.window_virtual_size, total)
    bar.set_reactive(ScrollBar.window_size, view.height)
    bar.set_reactive(ScrollBar.position, float(top))
    return now
