"""Old messages as one text, to be summarised by a model that isn't shown the session itself.

Nothing that was said, called or returned is left out (FACTS 1.7). Each message begins with a line
that starts with a code which occurs nowhere in what the messages say, so that no text of a tool can
pass for another message, nor end the record. Pictures become a note (FIELD 69). Left out is what
isn't sent anyway (reasoning, discarded answers), the system message, and a summary's references,
which code carries on.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.boundary import safe_name, visible
from app.conversation.history import RecoverySlot
from app.conversation.images import pictures, told
from app.conversation.messages import (
    CorrectionPart,
    ImagePart,
    MemoryPart,
    Message,
    Part,
    RestoredPart,
    SummaryPart,
    TextPart,
    WordsPart,
    WorkPart,
)

_BETWEEN = "\n\n"
_CODE = 6
"""Hexadecimal digits of a code."""

_NICE = 8
"""A piece may end this share of itself (1 of so many) earlier, at a better place."""


@dataclass(frozen=True, slots=True)
class Record:
    """Messages as one text.

    Attributes:
        text: all of it.
        mark: what the first line of each message starts with, and no other.
    """

    text: str
    mark: str

    def inside(self, start: int) -> str:
        """The first line of the message in whose middle the text is cut at `start`; "" if none."""
        if self.text.startswith(self.mark, start):
            return ""
        begin = self.text.rfind(self.mark, 0, start)
        return "" if begin < 0 else self.text[begin:].partition("\n")[0]

    def framed(self, piece: str) -> str:
        """A piece between lines that nothing in it can forge."""
        return f"{self.mark} begin\n{piece}\n{self.mark} end"


def record(messages: Iterable[Message], recovery: RecoverySlot | None = None) -> Record:
    """The messages as one text, oldest first.

    Args:
        messages: those that leave.
        recovery: the history's recovery slot, told before its message; ignored if that isn't here.
    """
    entries: list[tuple[str, str]] = []
    for message in messages:
        if recovery is not None and recovery.message_id == message.id:
            entries.append(("recovery", visible(recovery.text)))
        entries.extend(_entries(message))
    return _written(entries)


def record_of_parts(summaries: Sequence[str]) -> Record:
    """Summaries of consecutive parts as one text, to be merged."""
    count = len(summaries)
    return _written(
        [(f"part {n} of {count}", visible(text)) for n, text in enumerate(summaries, start=1)]
    )


def pieces(text: str, limit: int, mark: str = "") -> tuple[str, ...]:
    """The text in consecutive pieces of at most `limit` characters; together they are the text.

    A piece ends before a message, or at a line's end, where one lies in its last eighth.

    Args:
        text: of a record.
        limit: characters, at least 1.
        mark: what a message begins with.
    """
    found: list[str] = []
    place = 0
    while place < len(text):
        end = min(place + limit, len(text))
        if end < len(text):
            least = end - limit // _NICE
            better = text.rfind(f"\n{mark}", least, end) + 1 or text.rfind("\n", least, end) + 1
            end = better if better > place else end
        found.append(text[place:end])
        place = end
    return tuple(found)


def _written(entries: Sequence[tuple[str, str]]) -> Record:
    """The entries, each below its first line."""
    mark = _mark([part for entry in entries for part in entry])
    lines = ((f"{mark} {header}", body) for header, body in entries)
    written = (f"{line}\n{body}" if body else line for line, body in lines)
    return Record(_BETWEEN.join(written), mark)


def _mark(texts: Sequence[str]) -> str:
    """A code that occurs in none of the texts; the same for the same texts."""
    seed = hashlib.sha256()
    for text in texts:
        seed.update(text.encode())
    while True:
        mark = f"@@{seed.hexdigest()[:_CODE]}"
        if not any(mark in text for text in texts):
            return mark
        seed.update(b"again")


def _entries(message: Message) -> Iterator[tuple[str, str]]:
    """A message as first lines, without their mark, and what stands below them."""
    if message.discarded or message.role == "system":
        return
    if message.role == "user":
        yield from _user_entries(message)
        return
    text = _own(message)
    if message.role == "tool":
        tool = safe_name(message.tool or "")
        yield f"result of {tool} {message.call_id or ''}".rstrip(), text
        return
    if text.strip() or not message.calls:
        yield "assistant", text
    for call in message.calls:
        yield f"call {safe_name(call.name)} {call.id}", visible(call.arguments)


def _own(message: Message) -> str:
    """What a message itself says, with a note for each picture."""
    notes = [f"[image {visible(told(part))}]" for part in pictures(message.parts)]
    return "\n".join(filter(None, (visible(message.text), *notes)))


def _user_entries(message: Message) -> Iterator[tuple[str, str]]:
    """What came with a user message, each by itself, then what the user said."""
    for part in message.parts:
        match part:
            case TextPart() | ImagePart():
                pass
            case WordsPart(said=earlier):
                yield from (("user", visible(one.text)) for one in earlier if one.text)
            case _:
                yield _brought(part)
    if text := _own(message):
        yield "user", text


def _brought(part: Part) -> tuple[str, str]:
    """Something that Haima put into a user message."""
    match part:
        case SummaryPart(text=text):
            return "earlier summary", visible(text)
        case MemoryPart(text=text) | CorrectionPart(text=text):
            return "memory", visible(text)
        case WorkPart(text=text):
            return "recovery", visible(text)
        case RestoredPart(ref=ref, text=text):
            return f"quoted {safe_name(ref)}", visible(text)
        case _:  # pragma: no cover - the others are the user's own
            return "user", ""
