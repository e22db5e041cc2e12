"""Reads token counts in every spelling of PROVIDERS 1.5."""

from collections.abc import Mapping

from app.ports import Usage

_ABSURD = 100_000_000
"""Tokens no request has: the largest window is a hundredth of it (PROVIDERS 1.1)."""


def read_usage(chunk: Mapping[str, object]) -> Usage | None:
    """The usage of a chunk or a whole answer, or None where there is none to believe.

    Moonshot puts it into `choices[0].usage`. A count that is missing, not positive or absurd is no
    usage at all: the meter is anchored on it.
    """
    usage = chunk.get("usage")
    if not isinstance(usage, Mapping):
        usage = _in_choice(chunk)
    if not isinstance(usage, Mapping):
        return None
    prompt = _count(usage.get("prompt_tokens"))
    if not prompt:
        return None
    completion = _count(usage.get("completion_tokens"))
    cached = (
        _count(_nested(usage, "prompt_tokens_details", "cached_tokens"))
        or _count(usage.get("prompt_cache_hit_tokens"))
        or _count(usage.get("cached_tokens"))
    )
    reasoning = _count(_nested(usage, "completion_tokens_details", "reasoning_tokens"))
    return Usage(
        prompt=prompt,
        cached=min(cached, prompt),
        completion=completion,
        reasoning=min(reasoning, completion),
        cost=_dollars(usage.get("cost")),
    )


def _in_choice(chunk: Mapping[str, object]) -> object:
    match chunk.get("choices"):
        case [{"usage": usage}, *_]:
            return usage
    return None


def _nested(usage: Mapping[str, object], group: str, name: str) -> object:
    inner = usage.get(group)
    return inner.get(name) if isinstance(inner, Mapping) else None


def _dollars(value: object) -> float | None:
    """A cost, where there is one (OpenRouter)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < _ABSURD else None


def _count(value: object) -> int:
    """A count of tokens, 0 where it isn't one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value < _ABSURD else 0
