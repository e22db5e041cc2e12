"""What left the model's view, and what came back into it."""

from typing import Literal

from app.events.base import Event


class Offloaded(Event):
    """A result was moved to a file; a note with names, head and tail stands for it.

    Attributes:
        message: id of the tool message.
        call: id of the call it answers.
        tool: the call's tool.
        path: the file, relative to the project, with `/`.
        characters: of the content, in code points.
        lines: of the content.
        tokens_before, tokens_after: of that message, as estimated; what left is the difference.
    """

    type: Literal["offloaded"] = "offloaded"
    message: str
    call: str
    tool: str
    path: str
    characters: int
    lines: int
    tokens_before: int
    tokens_after: int


class OffloadFailed(Event):
    """A result was too big and its file couldn't be written: it is cut, the rest is only archived.

    Attributes:
        message: id of the tool message.
        call: id of the call it answers.
        tool: the call's tool.
        reason: one sentence for people.
    """

    type: Literal["offload_failed"] = "offload_failed"
    message: str
    call: str
    tool: str
    reason: str


class Cleared(Event):
    """Older results were replaced by pointers.

    Attributes:
        messages: ids of the tool messages, oldest first.
        calls: ids of the calls they answer, in the same order.
        count: how many.
        tokens_before, tokens_after: of the next request.
    """

    type: Literal["cleared"] = "cleared"
    messages: tuple[str, ...]
    calls: tuple[str, ...]
    count: int
    tokens_before: int
    tokens_after: int


class PicturesLeft(Event):
    """Old pictures were replaced by text that says how to see them again.

    Attributes:
        messages: ids of the messages they stood in, oldest first.
        count: how many pictures.
        tokens_before, tokens_after: of the next request.
    """

    type: Literal["pictures_left"] = "pictures_left"
    messages: tuple[str, ...]
    count: int
    tokens_before: int
    tokens_after: int


class Restored(Event):
    """Something that had left the model's view is back.

    Attributes:
        how: a clearing was undone, or the user brought results back by quoting them.
        messages: ids of the tool messages, oldest first.
        calls: ids of the calls they answer, in the same order.
        tokens: what came back, as estimated.
        message: the user message that quotes them; empty after an undo.
        labels: one for each, for people: `read_file notes.md`.
    """

    type: Literal["restored"] = "restored"
    how: Literal["undo", "brought_back"]
    messages: tuple[str, ...]
    calls: tuple[str, ...]
    tokens: int
    message: str = ""
    labels: tuple[str, ...] = ()


class Paused(Event):
    """A tier stopped working by itself, or goes on again.

    Attributes:
        tier: which one.
        on: it is paused now.
    """

    type: Literal["paused"] = "paused"
    tier: Literal["clear", "summary"]
    on: bool
