"""What Haima changes in Textual 8.2.8 and Rich 15.0.0, each with its reason and when it can go.

1. Wrapping of Chinese. `rich/_wrap.py: words` and `textual/_wrap.py: chunks` cut a text at spaces
   alone, so a Chinese run counts as one word: lines stay a quarter empty and may begin with `，`
   (TUI (g); rich issue 2494, closed as known). Both generators are replaced by ours. To be
   removed when both libraries break lines by Unicode's line-breaking rules (UAX 14).
2. Waiting for a frame. `textual/timer.py: Timer._run` skips to the frame after the next one, so a
   key that comes after another paint waits for up to two sixtieths of a second; while an answer
   streams that is nearly every key (p95 15 ms against 3 idle, with this patch 4). The period of
   `textual/screen.py` is made two milliseconds. A screen still paints only what changed, and only
   when its messages are dealt with, so it does not paint more often. To be removed when a paint no
   longer delays the next one.
3. Styles worked out once (`shared_styles`): a quarter of what it costs to open a screen. To be
   removed when Textual keeps what it worked out for longer than one update.
4. Counting parameters. `textual/_callback.py` inspects the signature of each callback that is new,
   and each partial and lambda is: a thirtieth of all it does. A function says itself how many it
   has. To be removed when Textual no longer passes only as many arguments as a callback takes.
5. Looking for handlers. `textual/message_pump.py: MessagePump._get_dispatch_methods` goes through
   all bases of a widget for each message, twice by name: a twentieth of all it does. What was found
   for a class and a message is kept, but where handlers were chosen by `on` and depend on the
   message. To be removed when Textual keeps it.
6. Reading values and making lines in fewer steps (`quick_reads`): a twentieth of all it does. To be
   removed when Textual makes the caches of a line late and reads a reactive value at once.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, MethodType
from typing import Any

import rich._wrap
import textual._callback
import textual._wrap
import textual.screen
from textual.message import Message
from textual.message_pump import MessagePump

from widgets.cjk_wrap import atoms
from widgets.quick_reads import read_quickly
from widgets.shared_styles import share_styles

FRAMES = 500
"""How often a second a screen looks whether something changed since it last painted."""

_SIGNED = {"__wrapped__", "__signature__", "__text_signature__"}
"""What `inspect.signature` looks at before the function itself."""


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    """Like `rich._wrap.words`: words with the spaces around them, as (start, end, text)."""
    start = 0
    for _, last, end in atoms(text):
        if last:
            yield start, end, text[start:end]
            start = end


def _chunks(text: str) -> Iterator[tuple[int, int, str]]:
    """Like `textual._wrap.chunks`: words with the spaces after them, as (start, end, text)."""
    for start, _, end in atoms(text):
        yield start, end, text[start:end]


def parameters(func: Callable[..., Any]) -> int:
    """Like `textual._callback._count_parameters`: how many parameters a callable has."""
    bound = isinstance(func, MethodType)
    function = func.__func__ if isinstance(func, MethodType) else func
    if isinstance(function, FunctionType) and not vars(function).keys() & _SIGNED:
        code = function.__code__
        if code.co_argcount or not bound:
            starred = bool(code.co_flags & inspect.CO_VARARGS)
            named = code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARKEYWORDS)
            return code.co_argcount - bound + starred + named
    return len(inspect.signature(func).parameters)


Handlers = tuple[tuple[type, Any], ...]

_search = MessagePump._get_dispatch_methods
_found: dict[tuple[type, type, str], Handlers | None] = {}


def handlers(self: MessagePump, method_name: str, message: Message) -> Iterable[tuple[type, Any]]:
    """Like `MessagePump._get_dispatch_methods`: who takes a message, from its class upwards."""
    key = (type(self), type(message), method_name)
    if key not in _found:
        _found[key] = _by_name(*key)
    found = _found[key]
    return _search(self, method_name, message) if found is None else _bound(self, message, found)


def _bound(self: MessagePump, message: Message, found: Handlers) -> Iterator[tuple[type, Any]]:
    """Those that are found, until one of them says that it was the last."""
    for cls, method in found:
        if message._no_default_action:
            break
        yield cls, method.__get__(self, cls)


def _by_name(receiver: type, message: type, name: str) -> Handlers | None:
    """The handlers of a class with such a name; None where some are chosen by `on` too."""
    found = []
    for cls in receiver.__mro__:
        own = vars(cls)
        if not (own.get("_decorated_handlers") or {}).keys().isdisjoint(message.__mro__):
            return None
        method = own.get(f"_{name}") or own.get(name)
        if method is not None and not getattr(method, "_textual_on", None):
            found.append((cls, method))
    return tuple(found)


def apply_patches() -> None:
    """Puts the patches in place; a second call changes nothing."""
    rich._wrap.words = _words
    textual._wrap.chunks = _chunks
    textual.screen.UPDATE_PERIOD = 1 / FRAMES  # type: ignore[misc]
    textual._callback._count_parameters = parameters
    MessagePump._get_dispatch_methods = handlers  # type: ignore[method-assign]
    share_styles()
    read_quickly()
