"""What the core tells whoever listens, and what it asks.

Events are frozen and JSON-able; `run --json` prints them one a line. Readers ignore types and
fields they don't know. A field marked `exclude` is for the screen only. The session stamps `at`,
`session`, `chain` and `conversation` when it publishes.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Risk = Literal["read", "write", "command", "network"]
Severity = Literal["ok", "info", "warn", "danger"]


class Event(BaseModel):
    """Common to all events.

    Attributes:
        at: when, UTC.
        session: the node's id.
        chain: the root's id.
        conversation: which agent: `main`, later `task-3`.
    """

    model_config = ConfigDict(frozen=True)

    type: str
    at: datetime | None = None
    session: str = ""
    chain: str = ""
    conversation: str = "main"


class SessionStarted(Event):
    """A session is open; nothing was sent yet.

    Attributes:
        resumed: it goes on with an earlier history.
        unfinished: the last turn of that was cut off; the agent can go on with it.
        title: what that is called.
    """

    type: Literal["session_started"] = "session_started"
    model: str
    project: str
    resumed: bool = False
    unfinished: bool = False
    title: str = ""


class SessionForked(Event):
    """The session that was just started goes on beside another one.

    Attributes:
        parent: that one's id.
        message: the last message they share.
        turn: the number of that message's turn; 0: not known.
    """

    type: Literal["session_forked"] = "session_forked"
    parent: str
    message: str
    turn: int


class TurnStarted(Event):
    """The user's message joined the history."""

    type: Literal["turn_started"] = "turn_started"
    message: str
    text: str


class TurnResumed(Event):
    """The agent goes on where it was stopped or failed; there is no new message of the user's."""

    type: Literal["turn_resumed"] = "turn_resumed"


class Queued(Event):
    """A message waits until the running turn is over."""

    type: Literal["queued"] = "queued"
    id: str
    text: str


class Unqueued(Event):
    """A waiting message was taken back by the user, or is being sent."""

    type: Literal["unqueued"] = "unqueued"
    id: str
    taken_back: bool


class Text(Event):
    """A piece of the answer as it streams; `message` is the assistant message's id."""

    type: Literal["text"] = "text"
    message: str
    text: str


class Reasoning(Event):
    """A piece of reasoning as it streams."""

    type: Literal["reasoning"] = "reasoning"
    message: str
    text: str


class MessageFinished(Event):
    """The assistant message is whole and committed."""

    type: Literal["message_finished"] = "message_finished"
    message: str


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


class UsageReported(Event):
    """Tokens of one call as the provider counted them; `cost` in US dollars where it said so."""

    type: Literal["usage"] = "usage"
    prompt: int
    cached: int = 0
    completion: int = 0
    reasoning: int = 0
    cost: float | None = None


class ContextParts(BaseModel):
    """What the next request is made of, in tokens.

    Attributes:
        system: the system message, documents and notebook included.
        tools: the tools' schemas.
        memory: remembered facts.
        history: messages, answers, calls, summary, recovery, pins.
        results: tool results.
    """

    model_config = ConfigDict(frozen=True)

    system: int = 0
    tools: int = 0
    memory: int = 0
    history: int = 0
    results: int = 0


class ContextMeasured(Event):
    """How full the window is, and where its marks are; all in tokens.

    Attributes:
        tokens: of the next request as it stands.
        source: counted on from the provider's own number, or estimated.
        window: W, which the marks belong to.
        certain: whether the window is known, not assumed.
        clear: older results are cleared from here on.
        precompute: a summary is prepared in the background; None: that is off.
        warn: the user is warned.
        summary: the history is summarised before the next call.
        reserve: kept free for the answer.
        parts: what `tokens` is made of; they add up to it.
    """

    type: Literal["context"] = "context"
    tokens: int
    source: Literal["anchored", "estimated"]
    window: int
    certain: bool = True
    clear: int
    precompute: int | None = None
    warn: int
    summary: int
    reserve: int
    parts: ContextParts


class Notice(Event):
    """Something the user should know: repaired, skipped, limited."""

    type: Literal["notice"] = "notice"
    code: str
    text: str
    severity: Severity = "info"


class Retry(Event):
    """A call to the model failed and is tried again.

    Attributes:
        attempt: which try comes next, from 2.
        wait: seconds until then.
        discarded: characters of shown text that no longer count.
        message: the assistant message they belonged to, "" where nothing was shown.
    """

    type: Literal["retry"] = "retry"
    attempt: int
    reason: str
    wait: float
    discarded: int = 0
    message: str = ""


class Failed(Event):
    """Something failed for good; `text` is one sentence with what to do."""

    type: Literal["error"] = "error"
    code: str
    text: str


class Cancelled(Event):
    """The user stopped the turn; the history is closed and valid."""

    type: Literal["cancelled"] = "cancelled"


class HistoryCleared(Event):
    """`/clear`: a new, empty history; the old one stays in the ledger."""

    type: Literal["history_cleared"] = "history_cleared"


class TurnFinished(Event):
    """The turn is over; `ok` is false after an error or a stop, `steps` counts model calls."""

    type: Literal["turn_finished"] = "turn_finished"
    ok: bool
    steps: int
    seconds: float


AnyEvent = Annotated[
    SessionStarted
    | SessionForked
    | TurnStarted
    | TurnResumed
    | Queued
    | Unqueued
    | Text
    | Reasoning
    | MessageFinished
    | ToolStarted
    | ToolFinished
    | ApprovalRequested
    | ApprovalAnswered
    | ApprovalRefused
    | UsageReported
    | ContextMeasured
    | Notice
    | Retry
    | Failed
    | Cancelled
    | HistoryCleared
    | TurnFinished,
    Field(discriminator="type"),
]
"""Any event this version publishes."""


class Finding(BaseModel):
    """One risk of a call, as the approval shows it: `! Deletes files  rm -rf target/`."""

    model_config = ConfigDict(frozen=True)

    label: str
    text: str
    severity: Severity = "info"


class ApprovalQuestion(BaseModel):
    """May this call run?

    Attributes:
        id: the call's id.
        subject: exactly what will happen: the command, the path, the address.
        place: where: the project's folder.
        marked: stretches of `subject` that are dangerous, as (start, end) in code points.
        findings: risks, worst first.
        scope: what "always this session" would cover, in words; empty: not offered.
        diff: what a write would change.
        editable: whether the user may change `subject` before it runs.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    tool: str
    risk: Risk
    subject: str
    place: str
    marked: tuple[tuple[int, int], ...] = ()
    findings: tuple[Finding, ...] = ()
    scope: str = ""
    diff: tuple[DiffLine, ...] = ()
    editable: bool = False


class ApprovalAnswer(BaseModel):
    """The user's answer.

    Attributes:
        verdict: run once, always in this session, or refuse.
        reason: the user's own words when refusing; told to the model.
        edited: the command as the user changed it, else None.
    """

    model_config = ConfigDict(frozen=True)

    verdict: Literal["once", "always", "refuse"]
    reason: str = ""
    edited: str | None = None
