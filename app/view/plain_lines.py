"""What left the context, as lines of plain text: `haima run` without `--json`."""

from app.events import Cleared, Guarded, Offloaded, OffloadFailed, PicturesLeft
from app.text import Words
from app.text.numbers import tokens

Left = Offloaded | OffloadFailed | Cleared | PicturesLeft | Guarded
"""What tells that something left the context."""


def left_line(event: Left, words: Words) -> str:
    """A line about what left the context, in the manner of the tools' lines.

    `⇲  execute_command  48,213 characters → .haima/…`, `∅  6 results cleared, 57.0k → 31.2k`.

    Args:
        event: what happened.
        words: the user's language.
    """
    match event:
        case Offloaded():
            to = words("headless.offloaded", n=event.characters, path=event.path)
            return f"⇲  {event.tool}  {to}"
        case OffloadFailed():
            return f"⇲  {event.tool}  {words('transcript.card_cut', reason=event.reason)}"
        case Cleared():
            return f"∅  {words('headless.results_cleared', **_figures(event))}"
        case PicturesLeft():
            return f"∅  {words('headless.pictures_left', **_figures(event))}"
        case Guarded():
            return f"∅  {words('headless.guarded', **_figures(event))}"


def _figures(event: Cleared | PicturesLeft | Guarded) -> dict[str, object]:
    before, after = tokens(event.tokens_before), tokens(event.tokens_after)
    return {"n": event.count, "before": before, "after": after}
