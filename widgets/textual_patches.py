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
"""

import inspect
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any

import rich._wrap
import textual._callback
import textual._wrap
import textual.screen

from widgets.cjk_wrap import atoms
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


def apply_patches() -> None:
    """Puts the patches in place; a second call changes nothing."""
    rich._wrap.words = _words
    textual._wrap.chunks = _chunks
    textual.screen.UPDATE_PERIOD = 1 / FRAMES  # type: ignore[misc]
    textual._callback._count_parameters = parameters
    share_styles()
