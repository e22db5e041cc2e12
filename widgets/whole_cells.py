"""Wide characters that stay whole where one widget lies over others.

Textual cuts a row wherever any widget begins or ends, also one that is covered there, and a wide
character that lies across such an edge is drawn as two blanks: a toast over the conversation lost
the character above the edge of the scrollbar.
"""

from textual._compositor import Compositor

from widgets.toasts import ToastStack


class WholeCells(Compositor):
    """Cuts no row where a toast covers the edge.

    Only of toasts that reach to the right end of the screen, as ours do: of a widget that begins
    under a toast and ends to the right of it, Textual would show the wrong piece.
    """

    _whole: list[list[int]] | None = None

    @property
    def cuts(self) -> list[list[int]]:
        """For each row, where widgets begin or end that can be seen there; in cells, ascending."""
        rows = super().cuts  # kept by Textual until something moves
        if rows is not self._whole:
            for widget, (region, clip) in self.visible_widgets.items():
                seen = region.intersection(clip)
                if isinstance(widget, ToastStack) and seen.right == self.size.width:
                    for y in seen.line_range:
                        rows[y][:] = [cut for cut in rows[y] if not seen.x < cut < seen.right]
            self._whole = rows
        return rows
