"""The settings in a YAML file, line by line: no YAML parser, and none is meant to grow here.

The house has no dependency that reads YAML (LIBRARIES names none), and evidence needs only plain
`key: value` lines of CI and compose files with their line numbers. What is written in other ways
(anchors, aliases, merge keys, block texts, flow mappings, several lines) is left out: evidence is
silent about it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ROW = re.compile(r"( *)((?:- +)*)(.*)")
_KEY = re.compile(r"""(?:"([^"]*)"|'([^']*)'|([^\s"'\[\]{}#&*!|>%@,:][^#:]*?))\s*:(?:\s+(.*))?$""")
_LONGEST = 1000
"""Characters of a line; a longer one holds no setting."""

_MOST_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Setting:
    """A scalar.

    Attributes:
        path: the keys above it; an item of a list has `-` and its number.
        value: the text, without quotes; of `[a, b]` each item is a setting of its own.
        line: from 1.
    """

    path: tuple[str, ...]
    value: str
    line: int


def settings(text: str) -> list[Setting]:
    """The settings of a file, in order."""
    return list(_read(text))


def _read(text: str) -> Iterator[Setting]:
    above: list[tuple[int, str]] = []
    counts: dict[tuple[str, ...], int] = {}
    skipped: int | None = None
    for number, raw in enumerate(text.split("\n")[:_MOST_ROWS], start=1):
        row = raw.rstrip()
        bare = row.lstrip()
        if not bare or bare.startswith("#") or len(row) > _LONGEST:
            continue
        match = _ROW.fullmatch(row)
        if match is None or bare.startswith(("---", "...", "%", "\t")):
            continue
        indent, dashes, rest = len(match[1]), match[2], match[3]
        if bare == "-":
            dashes, rest = "- ", ""
        if skipped is not None:
            if indent > skipped:
                continue
            skipped = None
        # A list may stand at its key's own depth.
        while above and (
            above[-1][0] > indent or (above[-1][0] == indent and not _own(above, dashes))
        ):
            above.pop()
        at = indent
        for _ in range(dashes.count("-")):
            while above and above[-1][0] >= at and above[-1][1].startswith("-"):
                above.pop()
            path = tuple(key for _, key in above)
            counts[path] = counts.get(path, -1) + 1
            above.append((at, f"-{counts[path]}"))
            at += 2
        if dashes:
            at = indent + len(dashes)
        found = _KEY.match(rest)
        if found is None:
            yield from _values(tuple(key for _, key in above), rest, number)
            if rest.startswith(("|", ">")):
                skipped = indent
            continue
        key = next(one for one in found.groups()[:3] if one is not None).strip()
        above.append((at, key))
        value = _uncommented(found[4] or "")
        if value.startswith(("|", ">")):
            skipped = at
        yield from _values(tuple(key for _, key in above), value, number)


def _own(above: list[tuple[int, str]], dashes: str) -> bool:
    """Whether a list item belongs to the key that stands at the same depth."""
    return bool(dashes) and not above[-1][1].startswith("-")


def _values(path: tuple[str, ...], text: str, line: int) -> Iterator[Setting]:
    text = _uncommented(text)
    if text.startswith("[") and text.endswith("]"):
        for number, item in enumerate(text[1:-1].split(",")):
            if (said := _scalar(item)) is not None:
                yield Setting((*path, f"-{number}"), said, line)
    elif (said := _scalar(text)) is not None:
        yield Setting(path, said, line)


def _scalar(text: str) -> str | None:
    """A plain or quoted scalar; None for what is empty or written in another way."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1] if "\\" not in text else None
    if not text or text[0] in "\"'&*!|>{}[]%@`":
        return None
    return text


def _uncommented(text: str) -> str:
    """The text without a comment behind it."""
    quote = ""
    for number, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and (number == 0 or text[number - 1] in " [,"):
            quote = character
        elif character == "#" and (number == 0 or text[number - 1] in " \t"):
            return text[:number].strip()
    return text.strip()
