"""Long pastes in the prompt: whoever keeps them, and the marks that stand for them. No widget here.

The marks are text like any other, so they go with drafts, into the editor and through the history.
"""

from typing import Protocol

from app.text.paste_marks import PasteMark, paste_marks


class PasteKeeper(Protocol):
    """Keeps long pastes outside the prompt; says by itself what fails."""

    async def keep(self, text: str) -> str | None:
        """The mark that stands for a paste from now on; None: it stays as it is."""
        ...

    async def whole(self, path: str) -> str | None:
        """What a mark stands for; None: it can't be had."""
        ...


def mark_near(text: str, place: int) -> PasteMark | None:
    """The mark that a place is in or beside, else the last one before it, else the first."""
    marks = tuple(paste_marks(text))
    before = [mark for mark in marks if mark.start <= place]
    return before[-1] if before else next(iter(marks), None)


def mark_ending(text: str, place: int) -> PasteMark | None:
    """The mark that ends at a place."""
    return next((mark for mark in paste_marks(text) if mark.end == place), None)
