"""`read_file`: a text file, whole or a stretch of its lines; a picture."""

import asyncio
import json
import shlex
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import Field

from app.conversation.content import Content
from app.conversation.truncate import cut_end
from app.project import ProjectError
from app.tools.base import (
    COMMAND_LIMIT,
    RESULT_LIMIT,
    Arguments,
    Tool,
    ToolOutput,
    cut_values,
)
from app.tools.pictures import read_picture
from app.tools.text_file import read_text

NEXT_LINES = 200
"""What a note proposes to read next (DESIGN 4, tier 1)."""


class ReadFileArguments(Arguments):
    """Line numbers begin at 1; 0 is taken for 1, as some models count from 0."""

    path: Annotated[str, Field(min_length=1)]
    offset: Annotated[int, Field(ge=0)] | None = None
    limit: Annotated[int, Field(ge=1)] | None = None


@dataclass(frozen=True, slots=True)
class _File:
    """A file that was read.

    Attributes:
        path: relative to the root, as commands in the project's folder take it.
        content: what it holds.
        exact: its bytes are the content's: nothing was replaced.
    """

    path: str
    content: Content
    exact: bool


class ReadFile(Tool[ReadFileArguments]):
    """Reads a text file of the project, or a picture.

    A whole file is a content that may go to a file of results when it is too long. A stretch stays
    in the context, and so does what is read of that folder itself, or reading it would never end.
    """

    name = "read_file"
    risk = "read"
    arguments = ReadFileArguments

    def subject(self, arguments: ReadFileArguments) -> str:
        """The path, with the lines asked for."""
        if arguments.offset is None and arguments.limit is None:
            return arguments.path
        first = max(1, arguments.offset or 1)
        last = first + arguments.limit - 1 if arguments.limit else ""
        return f"{arguments.path}:{first}–{last}"

    async def run(self, arguments: ReadFileArguments) -> ToolOutput:
        """Reads it, off the loop."""
        return await asyncio.to_thread(self._read, arguments)

    def _read(self, arguments: ReadFileArguments) -> ToolOutput:
        project = self.context.project
        try:
            path = project.resolve(arguments.path)
        except ProjectError as error:
            return self.context.failed_by(error)
        stays = project.is_kept(path)
        if not stays and (shown := read_picture(self.context, path, arguments.path)) is not None:
            return shown
        read = read_text(self.context, path, arguments.path, binary=stays)
        if isinstance(read, ToolOutput):
            return read
        content = self.context.content(read.raw, start=read.mark)
        whole = arguments.offset is None and arguments.limit is None
        if not content.characters or (whole and not stays):
            return self._whole(arguments.path, content)
        file = _File(project.relative(path), content, content.raw is read.raw)
        return self._part(arguments, file, RESULT_LIMIT)

    def _whole(self, path: str, content: Content) -> ToolOutput:
        """All of it; what is too long loses its middle."""
        piece = content.cut(RESULT_LIMIT)
        if piece is None:
            shown = self.context.shown(content.text())
        else:
            call = _call(path, piece.first, min(NEXT_LINES, piece.last - piece.first + 1))
            note = self.context.words("tool_result.read_cut", call=call, **cut_values(piece))
            shown = self.context.around(piece, note)
        remarks = self._remarks(content, [])
        if not content.characters:
            remarks.insert(0, self.context.words("tool_result.read_empty"))
        after = _after(shown, remarks)
        return ToolOutput(shown + after, after=after, content=content)

    def _part(self, arguments: ReadFileArguments, file: _File, most: int) -> ToolOutput:
        """The lines asked for, as many as `most` characters hold; inside a line if it must be."""
        content, words = file.content, self.context.words
        first = max(1, arguments.offset or 1)
        total = content.lines
        if first > max(1, total):
            return self.context.failed(
                "tool_result.read_past_end", path=arguments.path, n=total, first=first
            )
        start = content.line_at(first)
        end = len(content.raw)
        if arguments.limit is not None:
            end = content.line_at(first + arguments.limit)
        asked = content.beginning(most + 1, start, end)
        kept = cut_end(asked, most)
        last = first + max(1, _count(kept)) - 1
        remarks = []
        if len(kept) < len(asked) and kept and not kept.endswith("\n"):
            remarks.append(self._long_line(file, first, start, len(kept)))
        if last < total:
            call = _call(arguments.path, last + 1, arguments.limit or NEXT_LINES)
            remarks.append(
                words(
                    "tool_result.read_more", first=first, last=last, total=f"{total:,}", call=call
                )
            )
        elif first > 1:
            remarks.append(words("tool_result.read_end", first=first, last=last))
        shown = self.context.shown(kept)
        after = _after(shown, self._remarks(content, remarks))
        return ToolOutput(
            shown + after,
            after=after,
            characters=len(kept),
            shorter=partial(self._part, arguments, file) if len(kept) > 1 else None,
        )

    def _long_line(self, file: _File, line: int, start: int, shown: int) -> str:
        """What is said of a line that was cut inside: how long it is, and how to see more of it."""
        content = file.content
        end = content.raw.find(b"\n", start)
        stretch = content.raw[start : end if end >= 0 else len(content.raw)]
        said = self.context.words(
            "tool_result.read_long_line",
            line=line,
            n=Content.of(stretch.removesuffix(b"\r")).characters,
            shown=f"{shown:,}",
        )
        if not file.exact:
            return said
        place = start + content.bytes_shown(shown, start)
        path = shlex.quote(f"./{file.path}" if file.path.startswith("-") else file.path)
        command = json.dumps(
            f"tail -c +{place + 1} {path} | head -c {COMMAND_LIMIT}", ensure_ascii=False
        )
        call = f"execute_command(command={command})"
        return f"{said}, {self.context.words('tool_result.read_inside_line', call=call)}"

    def _remarks(self, content: Content, remarks: list[str]) -> list[str]:
        """What isn't in the text as it is shown."""
        words = self.context.words
        if content.start:
            remarks.append(words("tool_result.read_bom"))
        if content.crlf:
            remarks.append(words("tool_result.read_crlf"))
        if content.invalid:
            remarks.append(words("tool_result.read_invalid", n=content.invalid))
        return remarks


def _after(shown: str, remarks: list[str]) -> str:
    """Remarks on a line of their own, after what is shown."""
    if not remarks:
        return ""
    line_end = "" if not shown or shown.endswith("\n") else "\n"
    return f"{line_end}[{' · '.join(remarks)}]"


def _call(path: str, offset: int, limit: int) -> str:
    """The call that goes on, spelt out (DESIGN 5, "Pointers, notes, references")."""
    quoted = json.dumps(path, ensure_ascii=False)
    return f"read_file(path={quoted}, offset={offset}, limit={limit})"


def _count(text: str) -> int:
    """How many lines; one without a line end at the end of the file counts."""
    return text.count("\n") + (not text.endswith("\n") and bool(text))
