"""Versions and the ranges that manifests allow, as spans of numbers that can be compared.

A version of fewer parts is a family: `3.11` means every 3.11.x. What no span can be made of
(`latest`, a URL, a tag) is None, and whoever asks stays silent. Where ranges of ecosystems differ
only by pre-releases or by whether an end is included, the wider one is taken: that can hide a
contradiction, never invent one.
"""

import re
from dataclasses import dataclass
from typing import Literal

Version = tuple[int, int, int, int]
Bare = Literal["exact", "caret"]

_NUMBER = r"\d{1,9}(?:\.\d{1,9}){0,3}"
_LEADING = re.compile(rf"[vV=]?({_NUMBER})(?![\d])")
_COMPARATOR = re.compile(
    rf"(\^|~>|~=|~|>=|<=|===|==|!=|>|<|=)?\s*[vV]?({_NUMBER})?((?:\.?[*xX])*)"
    r"(?:[-+.]?[A-Za-z][\w.+-]*|[-+][\w.+-]*)?"
)
_HYPHEN = re.compile(rf"\s*v?({_NUMBER})\s+-\s+v?({_NUMBER})\s*")
_MAVEN_RANGE = re.compile(rf"([\[(])\s*({_NUMBER})?\s*,\s*({_NUMBER})?\s*([\])])")
_LONGEST = 200
"""Characters of a range; nobody writes longer ones."""


@dataclass(frozen=True, slots=True)
class Span:
    """Versions from `low` on, `high` itself no more; without `high` all later ones."""

    low: Version
    high: Version | None = None

    def overlaps(self, other: "Span") -> bool:
        """Whether a version lies in both."""
        return (self.high is None or other.low < self.high) and (
            other.high is None or self.low < other.high
        )

    def holds(self, version: Version) -> bool:
        """Whether a version lies in it."""
        return self.low <= version and (self.high is None or version < self.high)

    def covers(self, other: "Span") -> bool:
        """Whether all of `other` lies in it."""
        if other.low < self.low:
            return False
        return self.high is None or (other.high is not None and other.high <= self.high)


Spans = tuple[Span, ...]
"""What one range allows: any of these."""


def family(text: str) -> Span | None:
    """The versions a written one stands for: `3.11`, `v20`, `17.0.2-tem`, `8.0.28`."""
    match = _LEADING.match(text.strip()[:_LONGEST])
    if match is None:
        return None
    parts = _parts(match[1])
    return Span(_padded(parts), _next(parts))


def java_family(text: str) -> Span | None:
    """The same for Java, whose `1.8` is 8."""
    text = text.strip()
    return family(text[2:] if text.startswith("1.") and text != "1." else text)


def allowed(spec: str, *, bare: Bare = "exact") -> Spans | None:
    """What a range of npm, Cargo, Poetry or pip allows; None where it isn't known.

    Args:
        spec: comparators, joined by commas or spaces (and), `||` (or), `1 - 2`.
        bare: what a version without an operator means: itself, or all that are compatible (Cargo).
    """
    if len(spec) > _LONGEST:
        return None
    found: list[Span] = []
    for choice in spec.split("||"):
        span = _all_of(choice, bare)
        if span is None:
            return None
        if span.high is None or span.low < span.high:
            found.append(span)
    return tuple(found) or None


def maven(spec: str) -> Spans | None:
    """What a version in a pom allows: itself, or a range like `[17,18)`."""
    spec = spec.strip()
    if (match := _MAVEN_RANGE.fullmatch(spec)) is not None:
        low = _padded(_parts(match[2])) if match[2] else (0, 0, 0, 0)
        high = _next(_parts(match[3])) if match[3] else None
        if match[3] and match[4] == ")":
            high = _padded(_parts(match[3]))
        return (Span(low, high),)
    span = family(spec.strip("[]"))
    return None if span is None else (span,)


def _all_of(text: str, bare: Bare) -> Span | None:
    """The span of comparators that all hold."""
    if (match := _HYPHEN.fullmatch(text)) is not None:
        return Span(_padded(_parts(match[1])), _next(_parts(match[2])))
    joined = re.sub(r"([<>=~^!])\s+", r"\1", text.replace(",", " "))
    span = Span((0, 0, 0, 0))
    pieces = joined.split()
    if not pieces:
        return None
    for piece in pieces:
        one = _comparator(piece, bare)
        if one is None:
            return None
        highs = [high for high in (span.high, one.high) if high is not None]
        span = Span(max(span.low, one.low), min(highs) if highs else None)
    return span


def _comparator(text: str, bare: Bare) -> Span | None:
    match = _COMPARATOR.fullmatch(text)
    if match is None:
        return None
    operator, number, wild = match[1] or "", match[2], match[3]
    if number is None:
        return Span((0, 0, 0, 0)) if wild and not operator else None
    parts = _parts(number)
    low, after = _padded(parts), _next(parts)
    if operator == "!=":
        return Span((0, 0, 0, 0))
    if operator in {">=", ">"}:
        return Span(low)
    if operator == "<":
        return Span((0, 0, 0, 0), low)
    if operator == "<=":
        return Span((0, 0, 0, 0), after)
    if operator == "^" or (not operator and bare == "caret" and not wild):
        return Span(low, _caret(parts))
    if operator in {"~=", "~>"} and len(parts) > 1:
        return Span(low, _next(parts[:-1]))
    if operator == "~":
        return Span(low, _next(parts[:2]))
    return Span(low, after)


def _caret(parts: tuple[int, ...]) -> Version:
    """The first version that is not compatible: the leftmost number that isn't 0 changes."""
    for number, part in enumerate(parts, start=1):
        if part:
            return _next(parts[:number])
    return _next(parts)


def _parts(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def _padded(parts: tuple[int, ...]) -> Version:
    a, b, c, d = (*parts, 0, 0, 0, 0)[:4]
    return a, b, c, d


def _next(parts: tuple[int, ...]) -> Version:
    """The first version after a family."""
    return _padded((*parts[:-1], parts[-1] + 1))
