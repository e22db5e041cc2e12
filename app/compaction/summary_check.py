"""Whether a text is a summary that may take the place of messages (FACTS 1.7, 6)."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Literal

from app.text import LANGUAGES, Key, Words

SummaryFault = Literal["empty", "bare", "headings", "too_long"]
"""What is wrong with a text: nothing in it; nothing under its headings; not the four headings in
their order, each once; too long."""

HEADINGS: tuple[Key, ...] = (
    "summary.heading_goal",
    "summary.heading_decisions",
    "summary.heading_done",
    "summary.heading_open",
)
"""The four headings, in the order in which they must stand."""

_HEADING = re.compile(r"(?:#{1,6}\s*|\*\*)(.+)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_NOTHING = frozenset({"", "none", "na", "nothing", "无", "没有", "暂无"})
"""What a line says that says nothing."""


def cleaned(text: str) -> str:
    """The text with LF as line ends, without blanks around it and at the ends of its lines."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def check_summary(text: str, *, limit: int) -> SummaryFault | None:
    """What is wrong with a summary, None where nothing is.

    Each heading stands alone on its line, in either language, at any level; further headings and
    text may stand around them. What is in a code fence is no heading.

    Args:
        text: as the model gave it.
        limit: characters it may have.
    """
    text = cleaned(text)
    if not text:
        return "empty"
    found: list[int] = []
    says = False
    for line, fenced in _lines(text):
        number = None if fenced else _heading(line)
        if number is not None:
            found.append(number)
        elif not says:
            says = _plain(line) not in _NOTHING
    if found != list(range(len(HEADINGS))):
        return "headings"
    if not says:
        return "bare"
    return "too_long" if len(text) > limit else None


def by_heading(text: str) -> tuple[tuple[str, str], ...]:
    """Each of the four headings with the text under it, as they come; first what stands before."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line, fenced in _lines(text):
        if not fenced and _heading(line) is not None:
            found.append((line, []))
        else:
            found[-1][1].append(line)
    return tuple((head, "\n".join(lines)) for head, lines in found)


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a code fence; one that isn't closed goes to the end."""
    fence = ""
    for line in text.split("\n"):
        marks = _FENCE.match(line)
        if not fence:
            opens = marks is not None and not (marks[1][0] == "`" and "`" in marks[2])
            fence = marks[1] if opens and marks is not None else ""
            yield line, opens
            continue
        yield line, True
        if marks is not None and marks[1].startswith(fence) and not marks[2].strip():
            fence = ""


def _heading(line: str) -> int | None:
    """Which of the four headings a line is."""
    marked = _HEADING.fullmatch(line.strip())
    return None if marked is None else _headings().get(_plain(marked[1]))


@cache
def _headings() -> dict[str, int]:
    return {
        _plain(Words(language)(key)): number
        for language in LANGUAGES
        for number, key in enumerate(HEADINGS)
    }


def _plain(text: str) -> str:
    """A text's letters alone: without the number before it, its punctuation, its width and case."""
    letters = re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()
    return re.sub(r"^\d(?=\D)", "", letters)
