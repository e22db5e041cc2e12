"""What happens to a session and to its queue."""

from typing import Literal

from app.events.base import Event


class SessionStarted(Event):
    """A session is open; nothing was sent yet.

    Attributes:
        resumed: it goes on with an earlier history.
        unfinished: the last turn of that was cut off; the agent can go on with it.
        title: its own; "" for none, as a fork has until something is said in it.
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


class HistoryCleared(Event):
    """`/clear`: a new, empty history; the old one stays in the ledger."""

    type: Literal["history_cleared"] = "history_cleared"


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
