"""How full the window is, and what the calls cost."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from app.events.base import Event


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
        clearable: tokens that clearing old results would free now; 0 where nothing is cleared.
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
    clearable: int = 0
    parts: ContextParts
