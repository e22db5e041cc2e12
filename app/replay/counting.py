"""Tokens of what is sent, message by message, as the estimate has them (PROVIDERS 2.3)."""

from collections.abc import Iterable

from app.conversation.classes import Coefficients, count_classes
from app.conversation.estimate import PER_CALL, PER_MESSAGE
from app.conversation.messages import WireMessage

_MOST = 20_000
"""Messages whose tokens are remembered."""

Key = tuple[object, ...]
"""What two messages have in common that are the same bytes."""


def key_of(message: WireMessage) -> Key:
    """All that is sent of a message."""
    return (
        message.get("role"),
        content_of(message),
        message.get("tool_call_id"),
        calls_of(message),
    )


def content_of(message: WireMessage) -> str:
    """The texts of a message's content."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(piece.get("text", "")) for piece in content)
    return str(content or "")


def calls_of(message: WireMessage) -> tuple[tuple[str, str, str], ...]:
    """Id, name and arguments of each call of a message."""
    calls = message.get("tool_calls")
    found = []
    for call in calls if isinstance(calls, list) else ():
        function = call["function"]
        found.append((str(call["id"]), str(function["name"]), str(function["arguments"])))
    return tuple(found)


def said_by(message: WireMessage) -> str:
    """All words of a message: content, names and arguments of its calls."""
    texts = [content_of(message), *(f"{name} {given}" for _, name, given in calls_of(message))]
    return "\n".join(texts)


class Counter:
    """Counts messages as they go out; each body once."""

    def __init__(self, coefficients: Coefficients) -> None:
        """Counts with the coefficients of a family of tokenizers."""
        self._coefficients = coefficients
        self._known: dict[Key, int] = {}

    def text(self, text: str) -> int:
        """Tokens of a text."""
        return round(count_classes(text).tokens(self._coefficients))

    def message(self, message: WireMessage) -> int:
        """Tokens of a message."""
        key = key_of(message)
        tokens = self._known.get(key)
        if tokens is None:
            tokens = PER_MESSAGE + self.text(content_of(message))
            tokens += sum(
                PER_CALL + self.text(name) + self.text(given)
                for _, name, given in calls_of(message)
            )
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = tokens
        return tokens

    def request(self, messages: Iterable[WireMessage]) -> int:
        """Tokens of a request."""
        return sum(map(self.message, messages))

    def shared(self, before: tuple[WireMessage, ...], now: tuple[WireMessage, ...]) -> int:
        """Tokens of the longest common beginning of two requests: what a provider's cache has.

        The first message that differs counts as far as its text is the same.
        """
        cached = 0
        for old, new in zip(before, now, strict=False):
            if old == new:
                cached += self.message(new)
                continue
            first, second = content_of(old), content_of(new)
            if old.get("role") == new.get("role") and second:
                same = _common(first, second)
                cached += int(self.message(new) * same / max(1, len(said_by(new))))
            break
        return cached


def _common(first: str, second: str) -> int:
    """Characters that two texts begin with together."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[:middle] == second[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
