"""Tokens that several texts share, which are never overdrawn."""

from collections.abc import Callable

from app.conversation.meter import Meter
from app.conversation.truncate import cut

CHARACTERS_OF_A_TOKEN = 8
"""What is longer than this for each token of room isn't even counted."""

BETWEEN = 2
"""Tokens of a line end, and for rounding."""


class Room:
    """Tokens that are shared out.

    Attributes:
        left: how many are left.
    """

    def __init__(self, tokens: int, meter: Meter) -> None:
        """Has so many to begin with."""
        self.left = tokens
        self._meter = meter

    def cost(self, *texts: str) -> int:
        """Tokens of texts, each with what parts it from the next; never less than together."""
        return sum(self._meter.text_tokens(text) + BETWEEN for text in texts)

    def tokens(self, text: str) -> float:
        """Tokens of a piece of a text, not rounded, as there may be many."""
        return self._meter.piece_tokens(text)

    def take(self, tokens: int) -> bool:
        """Takes so many, if there are."""
        if tokens > self.left:
            return False
        self.left -= tokens
        return True

    def fitted(self, text: str, most: int, fits: Callable[[str], bool]) -> str:
        """The longest beginning of a text that fits, cut at a line end where one is near; or "".

        Args:
            text: of any length.
            most: tokens that what is made of it may have.
            fits: whether a beginning has no more.
        """
        shown = beginning(text, max(0, CHARACTERS_OF_A_TOKEN * most))
        while shown and not fits(shown):
            shown = beginning(text, min(len(shown) - 1, len(shown) * 7 // 8))
        return shown


def beginning(text: str, limit: int) -> str:
    """At most so many characters."""
    piece = cut(text, limit, limit)
    return text if piece is None else piece.head
