"""`search_memory`: what long-term memory has on something, each line with its id and marks."""

from typing import Annotated

from pydantic import Field

from app.errors import HaimaError
from app.memory.recall_block import fact_line, line_text
from app.tools.base import Arguments, Tool, ToolContext, ToolOutput
from app.tools.save_memory import FoundMemory, MemoryAccess


class SearchMemoryArguments(Arguments):
    """Words to search for."""

    query: Annotated[str, Field(min_length=1)]


class SearchMemory(Tool[SearchMemoryArguments]):
    """Lists memories that are visible in this project. It reads only what Haima keeps itself."""

    name = "search_memory"
    risk = "read"
    free = True
    arguments = SearchMemoryArguments

    def __init__(self, context: ToolContext, memory: MemoryAccess) -> None:
        """Searches these."""
        super().__init__(context)
        self._memory = memory

    def subject(self, arguments: SearchMemoryArguments) -> str:
        """The query."""
        return arguments.query

    async def run(self, arguments: SearchMemoryArguments) -> ToolOutput:
        """Searches."""
        words = self.context.words
        try:
            found = await self._memory.search(arguments.query)
        except HaimaError as error:
            return self.context.failed_by(error)
        if not found.memories:
            return ToolOutput(words("memory_tool.none"))
        lines = "\n".join(
            self.context.shown(_line(one, fact_line(one.fact, one.marks, found.now, words)))
            for one in found.memories
        )
        head = f"{words('memory_tool.found', n=len(found.memories))}\n"
        tail = f"\n{words('memory_tool.more', n=found.more)}" if found.more else ""
        return ToolOutput(f"{head}{lines}{tail}")


def _line(found: FoundMemory, line: str) -> str:
    """`- fact-1f3a9c02: content · scope · dates · marks`."""
    return f"- {line_text(found.fact.id)}: {line.removeprefix('- ')}"
