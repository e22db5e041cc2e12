"""What facts are looked for by: the user's own words, or the goal where those only say to go on."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from app.compaction.said import said_in
from app.conversation.history import History
from app.memory.small_talk import asks_nothing, goes_on
from app.text.paste_marks import paste_marks

Texts = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]
"""What messages said when they first came, by id."""

_LOOKED_AT: Final = 5
"""The first messages of a chain among which the goal is looked for."""


async def query_for(text: str, history: History, texts: Texts) -> str:
    """What facts are looked for by, for a message.

    Args:
        text: as the user wrote it.
        history: before that message.
        texts: for words that left the history.
    """
    own = _own(text)
    return own if not goes_on(own) else await goal_for(history, texts) or own


async def goal_for(history: History, texts: Texts) -> str:
    """What the user asked for first, as far as the first few messages tell; "" nothing.

    Args:
        history: the live one.
        texts: for words that left it.
    """
    for said in said_in(history)[:_LOOKED_AT]:
        goal = _own(said.text or (await texts([said.id])).get(said.id, ""))
        if not asks_nothing(goal):
            return goal
    return ""


def _own(text: str) -> str:
    """The text without the marks of pastes: their words are ours."""
    for mark in reversed(list(paste_marks(text))):
        text = f"{text[: mark.start]} {text[mark.end :]}"
    return text
