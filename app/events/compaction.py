"""What left the model's view, and what came back into it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

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


class Guarded(Event):
    """Messages were cut in their middle, as the request nearly filled the window.

    Attributes:
        messages: their ids, oldest first: results of tools, else calls or answers.
        count: how many.
        tokens_before, tokens_after: of the next request.
    """

    type: Literal["guarded"] = "guarded"
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


class RecoveryTold(Event):
    """What code knows of the work is told once, where the history was rewritten.

    Attributes:
        message: the message at which it stands.
        goal: whether the goal is in it; it isn't where it stands in the history.
        rules: standing rules in it.
        rules_left: those that had no room.
        files: changed files in it.
        entities: in it, with what was last done to them.
        names: in it, named alone.
        outside: changed files that somebody else changed since.
        tokens: of it.
    """

    type: Literal["recovery"] = "recovery"
    message: str
    goal: bool
    rules: int
    rules_left: int = 0
    files: int
    entities: int
    names: int
    outside: tuple[str, ...] = ()
    tokens: int


class WorkNoted(Event):
    """What is known of the work changed: by the user's words, the agent's list, or by hand.

    Attributes:
        rules: new standing rules, word for word.
        revoked: rules that don't hold any longer.
        restored: rules that hold again.
        message: id of the user's message that brought it; "" where none did.
        goal: the new goal; "" where it is as before.
        todo: how many things are left.
        done: how many are done.
    """

    type: Literal["work"] = "work"
    rules: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    message: str = ""
    goal: str = ""
    todo: int = 0
    done: int = 0


class KeptBySummary(BaseModel):
    """What stands beside a summary's text, by code.

    Attributes:
        goal: whether the goal is told in the recovery block.
        rules: standing rules in it.
        files: changed files in it.
        entities: in it.
        recovery_tokens: of the recovery block.
        said: messages of the user that are kept word for word.
        pins: pinned messages that are kept.
        said_tokens: of both.
        references: to what left.
    """

    model_config = ConfigDict(frozen=True)

    goal: bool = False
    rules: int = 0
    files: int = 0
    entities: int = 0
    recovery_tokens: int = 0
    said: int = 0
    pins: int = 0
    said_tokens: int = 0
    references: int = 0


class SummaryStarted(Event):
    """Older messages are being summarised; nothing changed yet.

    Attributes:
        messages: how many would be replaced.
        tokens: of the request as it is.
        by: the mark was reached, the user asked, or the provider refused the request.
        focus: what the user asked it to dwell on; "" for nothing.
        calls: to the model, at most.
    """

    type: Literal["summary_started"] = "summary_started"
    messages: int
    tokens: int
    by: Literal["mark", "user", "overflow"]
    focus: str = ""
    calls: int = 1


class SummaryProgress(Event):
    """A piece of what is summarised is done.

    Attributes:
        done, pieces: of how many calls to the model.
    """

    type: Literal["summary_progress"] = "summary_progress"
    done: int
    pieces: int


class Summarised(Event):
    """Older messages were replaced by a summary, in a node of its own.

    Attributes:
        node: the session's id from now on.
        parent: the one before, which stays whole.
        summary: id of the message that holds the summary.
        messages: ids of those it stands for, oldest first.
        tokens: of the summary's text.
        tokens_before, tokens_after: of the next request.
        generation: 1 for the first of a conversation.
        how: a model wrote it, or it is only a cut with references.
        in_turn: the cut lies inside the newest turn.
        seconds: it took.
        kept: what the code kept beside the summary's text.
    """

    type: Literal["summarized"] = "summarized"
    node: str
    parent: str
    summary: str
    messages: tuple[str, ...]
    tokens: int
    tokens_before: int
    tokens_after: int
    generation: int
    how: Literal["model", "cut"]
    in_turn: bool
    seconds: float
    kept: KeptBySummary = KeptBySummary()


class SummaryFailed(Event):
    """No summary was made; the history is as it was, byte for byte.

    Attributes:
        code: why, for scripts; `cancelled` where the user stopped it.
        reason: one sentence for people.
        attempt: how many failed in a row; 0 after a stop.
    """

    type: Literal["summary_rejected"] = "summary_rejected"
    code: str
    reason: str
    attempt: int


class SummaryUndone(Event):
    """A summary was taken back: the request is as it was, byte for byte.

    Attributes:
        node: the session's id from now on: the one before the summary.
        undone: the one that is left.
        summary: id of the message that held the summary.
        messages: how many are back.
        tokens: that came back.
    """

    type: Literal["summary_undone"] = "summary_undone"
    node: str
    undone: str
    summary: str
    messages: int
    tokens: int


class Expanded(Event):
    """The originals of a summary stand in its place again; what came since is kept.

    Attributes:
        node: the session's id from now on.
        parent: the one before.
        summary: id of the message that held the summary.
        messages: how many are back.
        tokens: that came back.
    """

    type: Literal["expanded"] = "expanded"
    node: str
    parent: str
    summary: str
    messages: int
    tokens: int


class Paused(Event):
    """A tier stopped working by itself, or goes on again.

    Attributes:
        tier: which one.
        on: it is paused now.
    """

    type: Literal["paused"] = "paused"
    tier: Literal["clear", "summary"]
    on: bool
