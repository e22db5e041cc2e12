"""A strict, scripted OpenAI-compatible server over real HTTP, the double of every provider.

    async with Endpoint([Say("Hello", usage=Tokens(10, 2))]) as endpoint:
        ...  # talk to endpoint.base_url
    assert endpoint.violations == []

It refuses what the strictest provider refuses (PROVIDERS 4, "Strictness"), in that provider's own
words, and keeps a list of what it had to refuse.
"""

from tests.endpoint.dialects import DIALECTS, Dialect
from tests.endpoint.script import (
    Call,
    Close,
    Gate,
    Pause,
    Raw,
    Reset,
    Say,
    Script,
    Status,
    Step,
    Tokens,
)
from tests.endpoint.server import Endpoint
from tests.endpoint.sse import DONE, delta, event, finish

__all__ = [
    "DIALECTS",
    "DONE",
    "Call",
    "Close",
    "Dialect",
    "Endpoint",
    "Gate",
    "Pause",
    "Raw",
    "Reset",
    "Say",
    "Script",
    "Status",
    "Step",
    "Tokens",
    "delta",
    "event",
    "finish",
]
