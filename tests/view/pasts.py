"""A past to page through, as the archive would give it."""

import json
from collections.abc import Sequence

from app.conversation.messages import Message, Reasoning, TextPart, ToolCall
from app.conversation.outcome import ToolOutcome
from app.conversation.past import Cursor, Past, PastMessage, PastPage
from app.conversation.standing import MessageState, Standing
from app.view.items import AnswerItem, CardItem, Item, UserItem

AT = "2026-11-29T11:40:00Z"


def user(id: str, text: str, node: str = "7f3a") -> PastMessage:
    """What the user said."""
    return PastMessage(Message(id, "user", (TextPart(text),)), Standing(), None, AT, node)


def answer(
    id: str, text: str, *calls: ToolCall, reasoning: str = "", discarded: bool = False
) -> PastMessage:
    """What the model said."""
    message = Message(
        id,
        "assistant",
        (TextPart(text),) if text else (),
        calls,
        reasoning=Reasoning(reasoning) if reasoning else None,
        discarded=discarded,
    )
    return PastMessage(message, Standing(), None, AT, "7f3a")


def call(id: str, tool: str = "read_file", **arguments: object) -> ToolCall:
    """A call."""
    return ToolCall(id, tool, json.dumps(arguments))


OK = ToolOutcome(ok=True, seconds=0.2, characters=3_104)


def result(
    call_id: str,
    text: str = "done",
    outcome: ToolOutcome | None = OK,
    state: MessageState = "live",
    tool: str = "read_file",
) -> PastMessage:
    """What a call gave."""
    message = Message(f"r-{call_id}", "tool", (TextPart(text),), call_id=call_id, tool=tool)
    return PastMessage(message, Standing(state), outcome, AT, "7f3a")


def talk(turns: int) -> list[Past]:
    """So many questions and answers."""
    past: list[Past] = []
    for turn in range(1, turns + 1):
        past += [user(f"u{turn}", f"question {turn}"), answer(f"a{turn}", f"answer {turn}")]
    return past


def page(past: Sequence[Past], before: Cursor | None = None, limit: int = 20) -> PastPage:
    """The page that ends before a place."""
    end = len(past) if before is None else before.count
    start = max(0, end - limit)
    earlier = Cursor("7f3a", start, 0, start) if start else None
    return PastPage(tuple(past[start:end]), earlier, start)


def plain(item: Item) -> tuple[object, ...]:
    """What an item shows, without its id and when it began."""
    match item:
        case UserItem():
            return "user", item.text
        case AnswerItem():
            return "answer", item.text, item.message, item.joined, item.ordinal, item.live
        case CardItem():
            return (item.id, item.tool, item.subject, item.status, item.seconds, item.characters,
                    item.reason, item.added, item.removed, item.body)  # fmt: skip
        case _:
            raise AssertionError(item)
