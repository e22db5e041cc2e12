"""What tests of screens need not do twice: frames nobody looks at, styles, rows as they were.

What a test looks at (`tests.widgets.desk.rows`, `text`) is drawn when it looks, unless nothing has
changed since it looked last, and so is what is saved as a picture. Drawing frame by frame is what
tests of widgets, snapshots and benchmarks do; without it whole screens cost a fifth less.
"""

from typing import Any

import pytest
import textual._callback
from textual._compositor import Compositor
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget

from widgets.quick_reads import read_quickly
from widgets.shared_styles import share_styles
from widgets.textual_patches import handlers, parameters

_changes = [0]


def leave_frames_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Screens lay out and scroll as ever; only frames for a terminal that isn't there are left."""
    refresh = Screen._compositor_refresh

    def undrawn(screen: Screen[object]) -> None:
        compositor = screen._compositor

        def nothing(*, simplify: bool = False) -> None:
            compositor._dirty_regions.clear()

        with monkeypatch.context() as here:
            here.setattr(compositor, "render_full_update", nothing)
            here.setattr(compositor, "render_partial_update", nothing)
            refresh(screen)

    monkeypatch.setattr(Screen, "_compositor_refresh", undrawn)


def last_change() -> int:
    """A number that is another once a widget asked to be painted, or a screen was laid out."""
    return _changes[0]


def _noted(kind: type[Any], name: str) -> None:
    plain = getattr(kind, name)

    def noted(self: Any, *given: Any, **named: Any) -> Any:
        _changes[0] += 1
        return plain(self, *given, **named)

    setattr(kind, name, noted)


for _kind, _names in (
    (Widget, ("_set_dirty",)),
    (Compositor, ("reflow", "reflow_visible", "update_widgets")),
):
    for _name in _names:
        _noted(_kind, _name)

# Those of the program's patches of Textual that change no look, for all apps of a test run.
textual._callback._count_parameters = parameters
MessagePump._get_dispatch_methods = handlers  # type: ignore[method-assign]
share_styles()
read_quickly()
