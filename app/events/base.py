"""What every event has in common."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

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
