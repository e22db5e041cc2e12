"""What happens in a turn, from the user's message to its end."""

from typing import Literal

from app.events.base import Event, Severity


class TurnStarted(Event):
    """The user's message joined the history.

    Attributes:
        images: its pictures by name and size, `shot.png 1.2 MB`.
    """

    type: Literal["turn_started"] = "turn_started"
    message: str
    text: str
    images: tuple[str, ...] = ()


class TurnResumed(Event):
    """The agent goes on where it was stopped or failed; there is no new message of the user's."""

    type: Literal["turn_resumed"] = "turn_resumed"


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


class Notice(Event):
    """Something the user should know: repaired, skipped, limited."""

    type: Literal["notice"] = "notice"
    code: str
    text: str
    severity: Severity = "info"


class Failed(Event):
    """Something failed for good; `text` is one sentence with what to do."""

    type: Literal["error"] = "error"
    code: str
    text: str


class Cancelled(Event):
    """The user stopped the turn; the history is closed and valid."""

    type: Literal["cancelled"] = "cancelled"


class TurnFinished(Event):
    """The turn is over; `ok` is false after an error or a stop, `steps` counts model calls."""

    type: Literal["turn_finished"] = "turn_finished"
    ok: bool
    steps: int
    seconds: float
