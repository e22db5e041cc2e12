"""How long to wait: for an answer, and before the next try."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 60.0
"""Seconds the client waits by itself when asked to; longer is the user's choice (PROVIDERS 1.4)."""

_FIRST = 0.5
_SPREAD = 0.25


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait for what, in seconds.

    Attributes:
        connect: for a connection (issue 2: 10).
        idle: for the next byte, the first included (issue 2: 120).
        write: for the server to take the next piece of the request (PROVIDERS 0).
        keep_alive: while nothing but comments and blank lines comes, which would hide a dead model
            forever (PROVIDERS 4, fault 7). DeepSeek sends them while a request waits its turn, and
            hangs up after ten minutes itself (api-docs.deepseek.com/quick_start/rate_limit).
        after_finish: for usage, once the answer is over but the stream isn't.
        drain: for the end of the body after `[DONE]`, so that the connection can be used again.
    """

    connect: float = 10.0
    idle: float = 120.0
    write: float = 30.0
    keep_alive: float = 600.0
    after_finish: float = 2.0
    drain: float = 0.1


def backoff(failures: int, chance: float) -> float:
    """Seconds to wait after so many failures: 0.5 s, doubled each time, ± 25 % (issue 2).

    Args:
        failures: from 1.
        chance: a random number from 0 to 1, so that many clients don't come back together.
    """
    return _FIRST * 2.0 ** (failures - 1) * (1 + _SPREAD * (2 * chance - 1))


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds the headers ask to wait, or None; names are looked up in lower case.

    `retry-after-ms` (OpenAI) is finer and wins over `retry-after`, which holds seconds or a date.
    """
    if (finer := _number(headers.get("retry-after-ms"))) is not None:
        return finer / 1000
    value = headers.get("retry-after")
    if (seconds := _number(value)) is not None:
        return seconds
    if not value:
        return None
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())


def _number(text: str | None) -> float | None:
    """A number that isn't negative, not a number or infinite, else None."""
    try:
        number = float(text) if text else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number < float("inf") else None
