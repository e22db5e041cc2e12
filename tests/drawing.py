"""Frames that nobody looks at, left out: a fifth of the time of tests that use whole screens.

What a test looks at (`tests.widgets.desk.rows`, `text`) is drawn when it looks, and so is what is
saved as a picture. Drawing frame by frame is what tests of widgets, snapshots and benchmarks do.
"""

import pytest
from textual.screen import Screen


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
