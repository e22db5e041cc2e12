"""A model that writes the summaries of a replay: fixed texts, so that what is kept is our doing.

`worst` gives the four headings and nothing under them that helps (REPLAY): what survives is what
code keeps. `extractive` gives the first sentences of what user and agent said.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Literal

from app.compaction.summary_check import HEADINGS
from app.conversation.messages import WireMessage
from app.ports import ModelChunk, ModelRequest, Reply
from app.replay.counting import Counter, calls_of, content_of
from app.text import Words

Summaries = Literal["worst", "extractive"]
"""What summaries are like."""

Booked = Callable[[tuple[WireMessage, ...]], Awaitable[str | None]]
"""Hears what a summary is asked of; may give the text that stands under its first heading."""

_SENTENCE = re.compile(r".*?(?:[.!?](?=\s|$)|[。！？])", re.DOTALL)
_LONGEST = 400
"""Characters of a sentence (REPLAY)."""

_LINES = 40
"""Sentences of a summary; the newest, and the first."""

_MOST = 4_000
"""Characters of all of them."""


class StubModel:
    """Answers with summaries.

    Attributes:
        name: as results show it.
        base_url: "": nothing is asked of anybody.
        asked: tokens of all that it was asked.
        calls: how often.
    """

    name = "replay"
    base_url = ""

    def __init__(
        self,
        kind: Summaries,
        words: Words,
        counter: Counter,
        booked: Booked | None = None,
    ) -> None:
        """Asked nothing yet.

        Args:
            kind: what its summaries are like.
            words: the language of the headings.
            counter: counts what it is asked.
            booked: hears each call.
        """
        self.asked = self.calls = 0
        self._kind = kind
        self._words = words
        self._counter = counter
        self._booked = booked

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelChunk]:
        """One answer, whole."""
        self.calls += 1
        self.asked += self._counter.request(request.messages)
        told = None if self._booked is None else await self._booked(request.messages)
        if told is None and self._kind == "extractive":
            told = sentences(request.messages)
        yield Reply(self.summary(told))

    def summary(self, told: str | None) -> str:
        """The four headings in their order, with one sentence that says nothing under each.

        Args:
            told: what stands under the first one instead.
        """
        empty = self._words("replay.empty_section")
        first = told.strip() if told else ""
        bodies = [first or empty, empty, empty, empty]
        pairs = zip(HEADINGS, bodies, strict=True)
        return "\n\n".join(f"## {self._words(head)}\n{body}" for head, body in pairs)


def sentences(messages: Iterable[WireMessage]) -> str:
    """The first sentence of each thing that user and agent said, calls and results apart."""
    found: dict[str, None] = {}
    for message in messages:
        if message.get("role") in {"user", "assistant"} and not calls_of(message):
            text = " ".join(content_of(message).split())
            first = _SENTENCE.match(text)
            line = (first[0] if first else text)[:_LONGEST].strip()
            if line and not line.startswith(("#", "<")):
                found[f"- {line}"] = None
    lines = list(found)
    while len(lines) > _LINES or sum(map(len, lines)) > _MOST:
        lines.pop(len(lines) // 4)
    return "\n".join(lines)
