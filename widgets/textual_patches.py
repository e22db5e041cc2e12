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
"""

from collections.abc import Iterator

import rich._wrap
import textual._wrap
import textual.screen

from widgets.cjk_wrap import atoms

FRAMES = 500
"""How often a second a screen looks whether something changed since it last painted."""


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


def apply_patches() -> None:
    """Puts the patches in place; a second call changes nothing."""
    rich._wrap.words = _words
    textual._wrap.chunks = _chunks
    textual.screen.UPDATE_PERIOD = 1 / FRAMES  # type: ignore[misc]
