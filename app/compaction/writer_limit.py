"""What a refused summary call tells of the window of the model that writes summaries."""

from typing import Protocol

from app.llm.errors import ContextOverflow

_GUESS = (85, 100)
"""Of the refused request, where the endpoint gives no figure (as `agent.overflow`)."""


class Learned(Protocol):
    """Hears of a window that is smaller than was believed."""

    async def __call__(self, limit: int | None, *, stated: bool) -> None:
        """So many tokens, or nothing new; the endpoint gave the figure, or only refused more."""


async def unheard(limit: int | None, *, stated: bool) -> None:
    """Nobody keeps it."""


def limit_told(refused: ContextOverflow, sent: int) -> int | None:
    """Tokens of the window after a refusal; None: it tells nothing of length for sure.

    Args:
        refused: the refusal.
        sent: tokens of the request.
    """
    if refused.limit is not None:
        return refused.limit
    return None if refused.of_bytes or refused.doubtful else _GUESS[0] * sent // _GUESS[1]
