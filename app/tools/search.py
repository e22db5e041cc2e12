"""`search_files`: a regular expression in the project's files, line by line."""

import asyncio
import threading
from typing import Annotated

from pydantic import Field

from app.boundary import visible
from app.conversation.truncate import clip
from app.project import ProjectError
from app.storage.off_loop import to_the_end
from app.tools import search_fallback, search_ripgrep
from app.tools.base import Arguments, Tool, ToolOutput
from app.tools.glob import BadGlob, read_glob
from app.tools.hits import LONGEST_HIT, MOST_HITS, Found, Hit, Query
from app.tools.text_file import missing

_LIMIT = 30.0
"""Seconds; a search that takes longer is too wide."""


class SearchFilesArguments(Arguments):
    """Without `path` the whole project is searched."""

    pattern: Annotated[str, Field(min_length=1)]
    path: str | None = None
    glob: str | None = None


class SearchFiles(Tool[SearchFilesArguments]):
    """Searches the project's files, without what is ignored; never in Haima's own folder."""

    name = "search_files"
    risk = "read"
    arguments = SearchFilesArguments

    def subject(self, arguments: SearchFilesArguments) -> str:
        """The pattern, with where it is searched."""
        where = [part for part in (arguments.path, arguments.glob) if part]
        return "  ".join([arguments.pattern, *where])

    async def run(self, arguments: SearchFilesArguments) -> ToolOutput:
        """Searches; cancelling ends the search."""
        query = await to_the_end(lambda: self._query(arguments))
        if isinstance(query, ToolOutput):
            return query
        found = await self._search(query)
        if found.problem:
            return self.context.failed(
                "tool_result.search_pattern",
                reason="tool_result.search_pattern_short",
                pattern=arguments.pattern,
                problem=found.problem.strip(),
            )
        return self._output(found)

    def _query(self, arguments: SearchFilesArguments) -> Query | ToolOutput:
        context = self.context
        if "\n" in arguments.pattern or "\0" in arguments.pattern:
            return context.failed("tool_result.search_newline")
        try:
            glob = read_glob(arguments.glob) if arguments.glob else None
            target = context.project.resolve(arguments.path or ".")
        except BadGlob:
            return context.failed("tool_result.search_glob", glob=arguments.glob)
        except ProjectError as error:
            return context.failed_by(error)
        if context.project.is_state(target):
            return context.failed("tool_result.search_state", path=arguments.path)
        if not target.exists():
            return missing(context, target, arguments.path or ".")
        folder = context.project.relative(target)
        return Query(
            pattern=arguments.pattern,
            root=context.project.root,
            target=target,
            folder="" if folder == "." else folder,
            glob=glob,
            whole_folder=target.is_dir() and context.project.rules_at(target).ignored,
        )

    async def _search(self, query: Query) -> Found:
        program = self.context.ripgrep
        if program is not None and search_ripgrep.can_search(query):
            try:
                return await search_ripgrep.search(query, program, self.context.environ, _LIMIT)
            except OSError:
                pass  # it went away, or isn't for this machine
        stop = threading.Event()
        try:
            return await asyncio.to_thread(
                search_fallback.search, query, self.context.project, stop, _LIMIT
            )
        finally:
            stop.set()

    def _output(self, found: Found) -> ToolOutput:
        words = self.context.words
        content = "\n".join(_line(hit) for hit in found.hits)
        notes: list[str] = []
        if found.more:
            notes.append(words("tool_result.search_cut", most=MOST_HITS))
        if found.timed_out:
            notes.append(words("tool_result.search_timeout", n=int(_LIMIT)))
        if not found.hits:
            notes.insert(0, words("tool_result.search_none"))
        return self.context.listed(content, notes, "tool_result.search_long")


def _line(hit: Hit) -> str:
    """`path:line: text`; the text shows the place of the match."""
    return f"{visible(hit.path)}:{hit.line}: {clip(visible(hit.text), LONGEST_HIT, hit.start)}"
