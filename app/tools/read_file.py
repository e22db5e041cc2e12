"""`read_file`: a text file, whole or a stretch of its lines."""

import asyncio
import json
from typing import Annotated

from pydantic import Field

from app.config import mask
from app.project import ProjectError
from app.tools.base import RESULT_LIMIT, Arguments, Tool, ToolOutput, cut_values
from app.tools.text_file import TextFile, read_text
from app.tools.truncate import cut, cut_end

NEXT_LINES = 200
"""What a note proposes to read next (DESIGN 4, tier 1)."""


class ReadFileArguments(Arguments):
    """Line numbers begin at 1; 0 is taken for 1, as some models count from 0."""

    path: Annotated[str, Field(min_length=1)]
    offset: Annotated[int, Field(ge=0)] | None = None
    limit: Annotated[int, Field(ge=1)] | None = None


class ReadFile(Tool[ReadFileArguments]):
    """Reads a text file of the project."""

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
        try:
            path = self.context.project.resolve(arguments.path)
        except ProjectError as error:
            return self.context.failed_by(error)
        file = read_text(self.context, path, arguments.path)
        if isinstance(file, ToolOutput):
            return file
        text = mask(file.text, self.context.credentials)
        if not text or (arguments.offset is None and arguments.limit is None):
            return self._whole(arguments.path, file, text)
        return self._part(arguments, file, text)

    def _whole(self, path: str, file: TextFile, text: str) -> ToolOutput:
        """All of it; what is too long loses its middle."""
        piece = cut(text, RESULT_LIMIT)
        if piece is None:
            shown = self.context.shown(text)
        else:
            call = _call(path, piece.first, min(NEXT_LINES, piece.last - piece.first + 1))
            note = self.context.words("tool_result.read_cut", call=call, **cut_values(piece))
            shown = self.context.around(piece, note)
        remarks = self._remarks(file, [])
        if not text:
            remarks.insert(0, self.context.words("tool_result.read_empty"))
        return self._output(shown, remarks, file.raw, len(text))

    def _part(self, arguments: ReadFileArguments, file: TextFile, text: str) -> ToolOutput:
        """The lines asked for, as many as fit."""
        first = max(1, arguments.offset or 1)
        total = _count(text)
        if first > max(1, total):
            return self.context.failed(
                "tool_result.read_past_end",
                path=arguments.path,
                n=total,
                first=first,
            )
        asked = _lines(text, first, arguments.limit)
        kept = cut_end(asked, RESULT_LIMIT)
        last = first + max(1, _count(kept)) - 1
        words, remarks = self.context.words, []
        if kept and not kept.endswith("\n") and len(kept) < len(asked):
            long = len(asked.partition("\n")[0])
            remarks.append(
                words("tool_result.read_long_line", line=first, n=long, shown=f"{len(kept):,}")
            )
        if last < total:
            following = arguments.limit or NEXT_LINES
            call = _call(arguments.path, last + 1, following)
            remarks.append(
                words(
                    "tool_result.read_more", first=first, last=last, total=f"{total:,}", call=call
                )
            )
        elif first > 1:
            remarks.append(words("tool_result.read_end", first=first, last=last))
        return self._output(self.context.shown(kept), self._remarks(file, remarks), None, len(kept))

    def _remarks(self, file: TextFile, remarks: list[str]) -> list[str]:
        """What isn't in the text as it is shown."""
        words = self.context.words
        if file.bom:
            remarks.append(words("tool_result.read_bom"))
        if file.crlf:
            remarks.append(words("tool_result.read_crlf"))
        if file.invalid:
            remarks.append(words("tool_result.read_invalid", n=file.invalid))
        return remarks

    def _output(
        self, shown: str, remarks: list[str], raw: bytes | None, characters: int
    ) -> ToolOutput:
        if remarks:
            line_end = "" if not shown or shown.endswith("\n") else "\n"
            shown = f"{shown}{line_end}[{' · '.join(remarks)}]"
        return ToolOutput(shown, raw=raw, characters=characters)


def _call(path: str, offset: int, limit: int) -> str:
    """The call that goes on, spelt out (DESIGN 5, "Pointers, notes, references")."""
    quoted = json.dumps(path, ensure_ascii=False)
    return f"read_file(path={quoted}, offset={offset}, limit={limit})"


def _count(text: str) -> int:
    """How many lines; one without a line end at the end of the file counts."""
    return text.count("\n") + (not text.endswith("\n") and bool(text))


def _lines(text: str, first: int, limit: int | None) -> str:
    """The lines from `first` on, `limit` of them or all."""
    start = _after_lines(text, 0, first - 1)
    return text[start:] if limit is None else text[start : _after_lines(text, start, limit)]


def _after_lines(text: str, place: int, lines: int) -> int:
    """Where the text goes on after so many lines."""
    for _ in range(lines):
        newline = text.find("\n", place)
        if newline < 0:
            return len(text)
        place = newline + 1
    return place
