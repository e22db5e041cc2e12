"""`edit_file`: one passage of a file, found word for word, replaced."""

from bisect import bisect_left
from itertools import accumulate
from typing import Annotated

from pydantic import Field

from app.boundary import quoted_back
from app.tools.base import Arguments, ToolOutput
from app.tools.diff import difference
from app.tools.text_file import read_text
from app.tools.writing import FileWriter, Plan

_MOST_LINES = 20
"""Line numbers named when a passage occurs several times."""

_MOST_PLACES = 10_000
"""Occurrences that are counted."""


class EditFileArguments(Arguments):
    """`old` has to occur exactly once; line ends of the file are kept, whatever `new` has."""

    path: Annotated[str, Field(min_length=1)]
    old: str
    new: str


class EditFile(FileWriter[EditFileArguments]):
    """Replaces a passage of a text file of the project."""

    name = "edit_file"
    arguments = EditFileArguments

    def subject(self, arguments: EditFileArguments) -> str:
        """The path."""
        return arguments.path

    def plan(self, arguments: EditFileArguments) -> Plan | ToolOutput:
        """Finds the passage and puts the new one in its place."""
        context = self.context
        old, new = (text.replace("\r\n", "\n") for text in (arguments.old, arguments.new))
        if not old:
            return context.failed("tool_result.edit_empty")
        if old == new:
            return context.failed("tool_result.edit_identical")
        path = self.place(arguments.path)
        if isinstance(path, ToolOutput):
            return path
        file = read_text(context, path, arguments.path)
        if isinstance(file, ToolOutput):
            return file
        text = file.exact
        places = _places(text, old)
        if not places and (quoted := quoted_back(old)) != old:  # copied from a result
            old, new = quoted, quoted_back(new)
            places = _places(text, old)
        if len(places) != 1:
            return self._not_once(arguments.path, text, old, places)
        start, end = places[0]
        changed = text[:start] + _with_line_ends(new, text, text[start:end]) + text[end:]
        line = text.count("\n", 0, start) + 1
        change = difference(_shown(text), _shown(changed))
        done = context.words(
            "tool_result.edited",
            path=arguments.path,
            line=line,
            added=change.added,
            removed=change.removed,
        )
        return Plan(path, file.raw, file.exact_bytes(changed), change, done)

    def _not_once(
        self, path: str, text: str, old: str, places: list[tuple[int, int]]
    ) -> ToolOutput:
        context = self.context
        if places:
            lines = [str(text.count("\n", 0, start) + 1) for start, _ in places[:_MOST_LINES]]
            more = ", …" if len(places) > _MOST_LINES else ""
            return context.failed(
                "tool_result.edit_several",
                reason="tool_result.edit_several_short",
                path=path,
                n=len(places),
                lines=", ".join(lines) + more,
            )
        near = _near(text, old)
        if near is None:
            return context.failed(
                "tool_result.edit_none", reason="tool_result.edit_none_short", path=path
            )
        return context.failed(
            "tool_result.edit_near",
            reason="tool_result.edit_none_short",
            path=path,
            line=near,
        )


def _places(text: str, old: str) -> list[tuple[int, int]]:
    """Where the passage occurs, overlapping ones too; each LF of it stands for CR LF as well."""
    pieces = text.split("\r\n")
    normal = "\n".join(pieces)
    ends = list(accumulate(len(piece) + 1 for piece in pieces))
    breaks = [end - 1 for end in ends[:-1]]  # where a CR was left out of `normal`
    places: list[tuple[int, int]] = []
    start = normal.find(old)
    while start >= 0 and len(places) < _MOST_PLACES:
        end = start + len(old)
        places.append((start + bisect_left(breaks, start), end + bisect_left(breaks, end)))
        start = normal.find(old, start + 1)
    return places


def _with_line_ends(new: str, text: str, replaced: str) -> str:
    """The new passage with the line ends of the one it replaces, else of the file."""
    sample = replaced if "\n" in replaced else text
    crlf = sample.count("\r\n")
    return new.replace("\n", "\r\n") if crlf * 2 > sample.count("\n") else new


def _near(text: str, old: str) -> int | None:
    """The line where the passage stands with other spaces, if it does in one place only."""
    wanted = [line.split() for line in old.strip().split("\n")]
    lines = [line.split() for line in text.split("\n")]
    found = [
        number
        for number, line in enumerate(lines, start=1)
        if line == wanted[0] and lines[number - 1 : number - 1 + len(wanted)] == wanted
    ]
    return found[0] if len(found) == 1 else None


def _shown(text: str) -> str:
    r"""The text with invalid bytes as `\xff`."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
