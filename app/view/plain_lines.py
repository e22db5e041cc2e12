"""What left the context and what is remembered, as plain lines: `haima run` without `--json`."""

from app.conversation.truncate import clip
from app.events import (
    Cleared,
    FactConflict,
    FactDuplicate,
    FactReplaced,
    FactSaved,
    Guarded,
    MemoryInjected,
    Offloaded,
    OffloadFailed,
    PicturesLeft,
)
from app.text import Key, Words
from app.text.numbers import tokens

Left = Offloaded | OffloadFailed | Cleared | PicturesLeft | Guarded
"""What tells that something left the context."""

Remembered = MemoryInjected | FactSaved | FactDuplicate | FactReplaced | FactConflict
"""What tells of memories in a run."""

_LONGEST = 100
"""Characters of a fact in a line."""


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


def memory_line(event: Remembered, words: Words) -> str:
    """A line about memories, two where some were put right too; "" where there were none.

    `◆  3 memories recalled, 412 tokens`, `≠  contradicts a memory and waits for your decision …`.

    Args:
        event: what happened.
        words: the user's language.
    """
    match event:
        case MemoryInjected(facts=facts, corrected=corrected):
            size = tokens(event.tokens)
            lines = [words("headless.recalled", n=len(facts), tokens=size)] if facts else []
            lines += [words("transcript.corrected", n=corrected)] if corrected else []
            return "\n".join(f"◆  {line}" for line in lines)
        case FactSaved(content=content, scope=scope):
            key: Key = "headless.fact_saved_global" if scope == "global" else "headless.fact_saved"
            return f"◆  {words(key, content=_short(content))}"
        case FactDuplicate(content=content):
            return f"◆  {words('headless.fact_duplicate', content=_short(content))}"
        case FactReplaced(content=content):
            return f"◆  {words('headless.fact_replaced', content=_short(content))}"
        case FactConflict(incoming=content):
            return f"≠  {words('headless.fact_conflict', content=_short(content))}"


def _short(content: str) -> str:
    return clip(" ".join(content.split()), _LONGEST)


def _figures(event: Cleared | PicturesLeft | Guarded) -> dict[str, object]:
    before, after = tokens(event.tokens_before), tokens(event.tokens_after)
    return {"n": event.count, "before": before, "after": after}
