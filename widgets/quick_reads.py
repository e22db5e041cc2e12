"""What Textual reads and makes a million times in a minute of work, done in fewer steps.

Each does what Textual's own does, for less: together a twentieth of what a screen costs.

- A line of a widget (`Strip`) gets its seven caches when they are first asked for; most lines are
  cut once and thrown away.
- A reactive value that stands and isn't computed is read, without three looks whether it is there.
- A style is looked up in the two tables it may stand in, without asking first whether it does.
- The screen of a node is looked for without an import each time.

It leans on private parts of one version of Textual; with another all stays as that has it.
"""

from collections.abc import Iterable
from typing import Any, Final

import textual
from rich.segment import Segment
from textual.cache import FIFOCache
from textual.css.styles import RenderStyles
from textual.dom import DOMNode
from textual.reactive import Reactive
from textual.screen import Screen
from textual.strip import Strip

VERSION: Final = "8.2.8"
"""The only version whose private parts are known."""

ROOM: Final = {
    "_divide_cache": 4,
    "_crop_cache": 16,
    "_style_cache": 16,
    "_filter_cache": 4,
    "_line_length_cache": 4,
    "_crop_extend_cache": 4,
    "_offsets_cache": 4,
}
"""The caches of a line, and how many results each keeps."""

_NOTHING: Final = object()

_made: Any = Strip.__init__
_read: Any = Reactive.__get__
_screen: Any = vars(DOMNode)["screen"].fget


def make_line(self: Strip, segments: Iterable[Segment], cell_length: int | None = None) -> None:
    """Like `Strip.__init__`, without the caches."""
    self._segments = list(segments)
    self._cell_length = cell_length
    self._render_cache = None
    self._link_ids = None
    self._cell_count = None


def cache_of_line(self: Strip, name: str) -> object:
    """What a line has no value for yet: one of its caches."""
    if name not in ROOM:
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
    cache: FIFOCache[Any, Any] = FIFOCache(ROOM[name])
    setattr(self, name, cache)
    return cache


def read_reactive(self: Reactive[Any], obj: Any, obj_type: type[Any]) -> Any:
    """Like `Reactive.__get__`."""
    if obj is not None:
        value = obj.__dict__.get(self.internal_name, _NOTHING)
        if value is not _NOTHING and not hasattr(obj, self.compute_name):
            return value
    return _read(self, obj, obj_type)


def style(self: RenderStyles, rule_name: str, default: object = None) -> object:
    """Like `RenderStyles.get_rule`."""
    value = self._inline_styles._rules.get(rule_name, _NOTHING)
    return self._base_styles._rules.get(rule_name, default) if value is _NOTHING else value


def screen_of(self: DOMNode) -> Screen[object]:
    """Like `DOMNode.screen`."""
    node: Any = self
    try:
        while node is not None:
            if isinstance(node, Screen):
                return node
            node = node._parent
    except AttributeError:
        pass  # said by Textual's own
    found: Screen[object] = _screen(self)
    return found


def read_quickly() -> None:
    """Puts it in place; a second call changes nothing, nor does one for another Textual."""
    if textual.__version__ == VERSION:
        Strip.__init__ = make_line  # type: ignore[method-assign]
        Strip.__getattr__ = cache_of_line  # type: ignore[attr-defined]
        Reactive.__get__ = read_reactive  # type: ignore[method-assign]
        RenderStyles.get_rule = style  # type: ignore[method-assign]
        DOMNode.screen = property(screen_of, doc=_screen.__doc__)  # type: ignore[assignment]
