"""The cursor of a long list: which item it is on, and how it moves with the view."""

from widgets.viewport import Viewport, moved


class ListCursor:
    """A cursor over the items of a viewport.

    Attributes:
        item: the item it is on; None before it was first used.
    """

    def __init__(self, view: Viewport) -> None:
        self.item: int | None = None
        self._view = view

    def splice(self, start: int, removed: int, added: int) -> None:
        """Stays on its item when items come or go."""
        if self.item is not None and removed != added:
            source = self._view.source
            item = min(moved(self.item, start, removed, added), len(source) - 1)
            self.item = item if item >= 0 and source.selectable(item) else None

    def enter(self, step: int = -1) -> None:
        """Comes into view where it is not: on the last item for a step up, else on the first."""
        if self.item is None or self.item not in self._view.seen:
            seen = self._view.seen
            order = reversed(seen) if step < 0 else iter(seen)
            selectable = self._view.source.selectable
            self.item = next((item for item in order if selectable(item)), self.item)

    def move(self, step: int) -> None:
        """Goes to the next item up or down; one taller than the view is read to its edge first."""
        view = self._view
        if step < 0:
            view.following = False
        if self.item is None or self.item not in view.seen:
            self.enter(step)
        elif hidden := view.hidden_lines(self.item, step):
            view.scroll(step * min(hidden, max(1, view.height // 2)))
        elif (item := self._next(self.item, step)) is not None:
            self.item = item
            view.reveal(item)
        elif step < 0:
            view.jump(0)
        else:
            view.following = True

    def go_to_edge(self, step: int) -> None:
        """Goes to the first item, or to the last one."""
        edge = -1 if step < 0 else len(self._view.source)
        self.item = self._next(edge, -step)

    def _next(self, item: int, step: int) -> int | None:
        """The next item in a direction the cursor can be on."""
        source = self._view.source
        item += step
        while 0 <= item < len(source):
            if source.selectable(item):
                return item
            item += step
        return None
