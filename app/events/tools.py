"""What a tool call did, and whether it was allowed."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from app.events.base import Event, Risk


class ToolStarted(Event):
    """A tool call begins (its approval, if it needs one, comes next)."""

    type: Literal["tool_started"] = "tool_started"
    id: str
    tool: str
    arguments: dict[str, object]
    subject: str = Field(default="", exclude=True)
    """The one argument a card shows: a path, a command, a pattern."""


class DiffLine(BaseModel):
    """One line of an edit, as a card shows it."""

    model_config = ConfigDict(frozen=True)

    number: int
    sign: Literal["+", "-", " "]
    text: str


class ToolFinished(Event):
    """A tool call is over and its result committed.

    Attributes:
        characters: length of the bare content, in code points.
        seconds: how long it ran, approval not counted.
        reason: why it failed, in one line (`exit 1 · …`, `refused by you`); empty when `ok`.
        refused: the user, or the allowance, said no.
        stopped: the user ended the turn before it was over.
        added, removed: lines, for edits and writes.
        message: id of the tool message.
        body: the content as the model got it, without tags.
    """

    type: Literal["tool_finished"] = "tool_finished"
    id: str
    tool: str
    ok: bool
    characters: int
    seconds: float
    reason: str = ""
    refused: bool = False
    stopped: bool = False
    added: int = 0
    removed: int = 0
    message: str = ""
    body: str = Field(default="", exclude=True)
    diff: tuple[DiffLine, ...] = Field(default=(), exclude=True)


class ApprovalRequested(Event):
    """The user is asked whether a call may run."""

    type: Literal["approval_requested"] = "approval_requested"
    id: str
    tool: str
    subject: str
    risk: Risk


class ApprovalAnswered(Event):
    """The user answered; the call goes on or is refused."""

    type: Literal["approval_answered"] = "approval_answered"
    id: str
    tool: str
    verdict: Literal["once", "always", "refuse"]


class ApprovalRefused(Event):
    """A call didn't run: the user or the allowance refused it."""

    type: Literal["approval_refused"] = "approval_refused"
    tool: str
    reason: str
