"""What waits in a session, and what it can't do meanwhile."""

from dataclasses import dataclass

from app.errors import HaimaError


class SessionBusy(HaimaError):  # noqa: N818
    """Something that can't be done while the agent works."""

    code = "busy"


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that waits; `id` becomes the message's id in the history."""

    id: str
    text: str
