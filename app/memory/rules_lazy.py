"""Patterns that are compiled when they are first used.

There are some three hundred of them, a quarter of a second's work, and most messages need a few.
"""

import re
from collections.abc import Iterator
from functools import cached_property


class Lazy:
    """A pattern, upper and lower case alike.

    Args:
        text: of the pattern.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """It, compiled once."""
        return re.compile(self._text, re.IGNORECASE)

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        return self.compiled.search(text, start, len(text) if end is None else end)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """As `re.Pattern.match`."""
        return self.compiled.match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """As `re.Pattern.fullmatch`."""
        return self.compiled.fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As `re.Pattern.finditer`."""
        return self.compiled.finditer(text)

    def sub(self, by: str, text: str) -> str:
        """As `re.Pattern.sub`."""
        return self.compiled.sub(by, text)


Keyed = tuple[tuple[str, ...], Lazy]
"""A pattern, with words of which one stands in what it finds, in lower case."""


def keyed(*told: tuple[str, str]) -> tuple[Keyed, ...]:
    """Patterns with their words, which are written in one, with bars between them."""
    return tuple((tuple(words.split("|")), Lazy(pattern)) for words, pattern in told)
