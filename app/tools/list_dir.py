"""`list_dir`: what stands in one folder."""

import asyncio
import os
from pathlib import Path
from typing import Annotated

from pydantic import Field

from app.boundary import visible
from app.project import ProjectError
from app.project.ignore import Entry, entries
from app.text.sizes import human_size
from app.tools.base import Arguments, Tool, ToolOutput
from app.tools.text_file import missing

MOST_ENTRIES = 500
"""Entries shown (issue 2, "Edits")."""

_MOST_NAMED = 8
"""Ignored entries that are named."""


class ListDirArguments(Arguments):
    """`.` is the project's own folder."""

    path: Annotated[str, Field(min_length=1)]


class ListDir(Tool[ListDirArguments]):
    """Lists a folder of the project: folders first, then files with their sizes."""

    name = "list_dir"
    risk = "read"
    arguments = ListDirArguments

    def subject(self, arguments: ListDirArguments) -> str:
        """The path."""
        return arguments.path

    async def run(self, arguments: ListDirArguments) -> ToolOutput:
        """Lists it, off the loop."""
        return await asyncio.to_thread(self._list, arguments.path)

    def _list(self, given: str) -> ToolOutput:
        context = self.context
        try:
            path = context.project.resolve(given)
        except ProjectError as error:
            return context.failed_by(error)
        if path.exists() and not path.is_dir():
            return context.failed(
                "tool_result.is_file", reason="tool_result.is_file_short", path=given
            )
        start = context.project.rules_at(path)
        try:
            found = entries(str(path), start.rules)
        except FileNotFoundError:
            return missing(context, path, given)
        except OSError as error:
            return context.failed("tool_result.unreadable", path=given, problem=error.strerror)
        return self._shown([entry for entry in found if not entry.ignored], found)

    def _shown(self, kept: list[Entry], found: list[Entry]) -> ToolOutput:
        words = self.context.words
        kept.sort(key=lambda entry: not entry.folder)
        lines = [self._line(entry) for entry in kept[:MOST_ENTRIES]]
        notes: list[str] = []
        if not found:
            notes.append(words("tool_result.list_empty"))
        if len(kept) > MOST_ENTRIES:
            notes.append(words("tool_result.list_cut", n=len(kept) - MOST_ENTRIES))
        ignored = [entry for entry in found if entry.ignored]
        if ignored:
            names = [_name(entry) for entry in ignored[:_MOST_NAMED]]
            more = ", …" if len(ignored) > _MOST_NAMED else ""
            named = ", ".join(names) + more
            notes.append(words("tool_result.list_ignored", n=len(ignored), names=named))
        return self.context.listed("\n".join(lines), notes, "tool_result.cut")

    def _line(self, entry: Entry) -> str:
        if entry.link:
            return self._link(entry)
        if entry.folder:
            return _name(entry)
        try:
            size = human_size(Path(entry.path).lstat().st_size)
        except OSError:
            size = "?"
        return f"{_name(entry)}  {size}"

    def _link(self, entry: Entry) -> str:
        """A link with what it leads to; one that leads out of the project says so."""
        target = Path(os.path.realpath(entry.path))
        if not target.is_relative_to(self.context.project.root):
            note = self.context.words("tool_result.list_outside")
            return f"{_name(entry)} -> {note}"
        slash = "/" if target.is_dir() else ""
        return f"{_name(entry)} -> {visible(self.context.project.relative(target))}{slash}"


def _name(entry: Entry) -> str:
    """The name on one line, a folder's with a slash."""
    name = entry.path.rpartition("/")[2].replace("\n", "\\x0a").replace("\t", "\\x09")
    return visible(name) + ("/" if entry.folder else "")
