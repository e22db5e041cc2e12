"""What facts are looked for by: the user's own words, or the goal where those only say to go on."""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from app.compaction.said import said_in
from app.conversation.history import History
from app.text.paste_marks import paste_marks

Texts = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]
"""What messages said when they first came, by id."""

_LOOKED_AT: Final = 5
"""The first messages of a chain among which the goal is looked for."""

_SIGNS: Final = re.compile(r"[\W_]+")

_ON: Final = (
    "go on|keep going|carry on|continue|proceed|go ahead|next|next step|resume|ok|okay|yes|yep|yeah"
    "|sure|y|do it|继续|继续吧|继续做|继续干|继续下去|继续执行|继续工作|接着|接着来|接着做|接着干"
    "|往下|往下做|往下走|下一步|好|好的|好吧|行|可以|嗯|是|是的|对|没问题"
)
_BESIDE: Final = (
    "please|now|then|just|so|and|it|with it|thanks|thank you|请|那|就|你|了|吧|谢谢|麻烦"
)
_PHRASE: Final = re.compile(
    "|".join(
        rf"{one}(?![a-z]) ?" for one in sorted(f"{_ON}|{_BESIDE}".split("|"), key=len, reverse=True)
    )
)
_SAYS_SO: Final = frozenset(_ON.split("|"))


def goes_on(text: str) -> bool:
    """Whether a message says no more than to go on: `继续`, `Go on.`, `ok, continue please`."""
    if len(text) > 80:
        return False
    plain = _SIGNS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()
    place, says_so = 0, False
    while place < len(plain):
        found = _PHRASE.match(plain, place)
        if found is None:
            return False
        says_so = says_so or found[0].strip() in _SAYS_SO
        place = found.end()
    return says_so


async def query_for(text: str, history: History, texts: Texts) -> str:
    """What facts are looked for by, for a message.

    Args:
        text: as the user wrote it.
        history: before that message.
        texts: for words that left the history.
    """
    own = _own(text)
    if not goes_on(own):
        return own
    for said in said_in(history)[:_LOOKED_AT]:
        goal = _own(said.text or (await texts([said.id])).get(said.id, ""))
        if goal.strip() and not goes_on(goal):
            return goal
    return own


def _own(text: str) -> str:
    """The text without the marks of pastes: their words are ours."""
    for mark in reversed(list(paste_marks(text))):
        text = f"{text[: mark.start]} {text[mark.end :]}"
    return text
