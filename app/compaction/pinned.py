"""What is pinned goes along when its messages leave: quoted word for word (DESIGN 4, tier 3)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from app.boundary import safe_name
from app.compaction.means import FindOriginal
from app.compaction.pointer import asked
from app.conversation.messages import Message, RestoredPart, ToolCall
from app.conversation.standing import PLAIN, Standing
from app.text import Words


def pinned_tokens(
    messages: Iterable[Message],
    standings: Mapping[str, Standing],
    tokens: Callable[[Message], int],
    budget: int,
) -> int:
    """Tokens that the pinned ones of these would have at the front, at most.

    With what an earlier summary quotes of pinned ones: that goes on.

    Args:
        messages: of a history.
        standings: how they stand.
        tokens: estimates a message.
        budget: tokens for all of them (`Thresholds.pins`).
    """
    found = 0
    for message in messages:
        if message.summary is not None:
            quoted = _quoted(message)
            found += tokens(replace(message, parts=quoted)) if quoted else 0
        elif standings.get(message.id, PLAIN).pinned:
            found += tokens(message)
    return min(budget, found)


async def pinned_parts(
    replaced: Sequence[Message],
    standings: Mapping[str, Standing],
    calls: Mapping[str, ToolCall],
    *,
    find: FindOriginal,
    words: Words,
    tokens: Callable[[str], int],
    budget: int,
) -> tuple[RestoredPart, ...]:
    """Quotations of the pinned ones among messages that leave, oldest first.

    What an earlier summary quoted goes on. Where not all fit, the newest do; of the others the
    references tell.

    Args:
        replaced: the messages that leave, in order.
        standings: how they stand.
        calls: of the history, by id.
        find: gives a message as it first came.
        words: the language of results.
        tokens: estimates a text.
        budget: tokens for all of them.
    """
    found: list[RestoredPart] = []
    for message in replaced:
        standing = standings.get(message.id, PLAIN)
        if message.summary is not None or standing.pinned:
            found += _quoted(message)
        if message.summary is None and standing.pinned and message.text.strip():
            text = message.text
            if standing.body is not None and (original := await find(message.id)) is not None:
                text = original.message.text
            head = words("compaction.pinned_head", what=_what(message, calls, words))
            found.append(RestoredPart(message.id, f"{head}\n{text}"))
    kept: list[RestoredPart] = []
    for part in reversed(found):
        size = tokens(part.text)
        if size <= budget and all(part.ref != other.ref for other in kept):
            budget -= size
            kept.append(part)
    return tuple(reversed(kept))


def _quoted(message: Message) -> tuple[RestoredPart, ...]:
    return tuple(part for part in message.parts if isinstance(part, RestoredPart))


def _what(message: Message, calls: Mapping[str, ToolCall], words: Words) -> str:
    """What a quoted message is, in a few words."""
    match message.role:
        case "tool":
            call = calls.get(message.call_id or "")
            return f"{safe_name(message.tool or '')} {asked(call)}".rstrip()
        case "user":
            return words("compaction.pinned_user")
        case _:
            return words("compaction.pinned_answer")
