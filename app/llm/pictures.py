"""Pictures that may not go out, put as text: the last look at a request before it is sent.

As a rule there is nothing to do: what a model can't see isn't attached, and old pictures leave the
history (`compaction.images`). This is for what is in the history when another model takes over, and
for requests whose text is so long that their pictures don't fit beside it. Only what is sent
changes, never the history.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.conversation.images import Sight
from app.conversation.messages import WireMessage

_AROUND = 400
"""Bytes kept free for what stands around messages: fields, escapes in names."""


@dataclass(frozen=True, slots=True)
class Left:
    """What stands in the place of a picture.

    Attributes:
        blind: where the model sees none.
        body: where the request would be too large.
    """

    blind: str
    body: str


def sendable(
    messages: Sequence[WireMessage], sight: Sight, left: Left, *, others: object = None
) -> list[WireMessage]:
    """The messages with those of their pictures that the endpoint takes; the oldest go first.

    Args:
        messages: of a request; they aren't changed.
        sight: what the model takes.
        left: what stands for a picture that stays behind.
        others: what else goes out with them (tools), for the size.
    """
    found = list(_urls(messages))
    if not found:
        return list(messages)
    if not sight.user:
        return _without(messages, lambda _: left.blind)
    bare = _without(messages, lambda _: "")
    text = json.dumps([bare, others], ensure_ascii=False)
    over = len(text.encode("utf-8", "replace")) + _AROUND + sum(map(len, found)) - sight.body
    out = set()
    for number, url in enumerate(found):
        if over <= 0:
            break
        over -= len(url) - len(left.body.encode())
        out.add(number)
    if not out:
        return list(messages)
    return _without(messages, lambda number: left.body if number in out else None)


def _urls(messages: Sequence[WireMessage]) -> Iterator[str]:
    for message in messages:
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if part["type"] == "image_url":
                yield part["image_url"]["url"]


def _without(
    messages: Sequence[WireMessage], text: Callable[[int], str | None]
) -> list[WireMessage]:
    """The messages with texts for pictures, by their number; None leaves one."""
    number = 0
    changed = []
    for message in messages:
        content = message.get("content")
        if not isinstance(content, list):
            changed.append(message)
            continue
        parts: list[WireMessage] = []
        for part in content:
            put = None
            if part["type"] == "image_url":
                put = text(number)
                number += 1
            if put is None:
                parts.append(part)
            elif parts and parts[-1]["type"] == "text":
                parts[-1] = {"type": "text", "text": f"{parts[-1]['text']}\n\n{put}"}
            else:
                parts.append({"type": "text", "text": put})
        if len(parts) == 1 and parts[0]["type"] == "text":
            changed.append({**message, "content": parts[0]["text"]})
        else:
            changed.append({**message, "content": parts})
    return changed
