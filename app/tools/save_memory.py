"""`save_memory`: a fact to be remembered; what contradicts another waits for the user.

The model never overwrites, and never confirms: `replace_id` and `keep_both` only carry out what the
user chose for that very pair, once (DESIGN 4, "Facts").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, Protocol

from pydantic import BeforeValidator, Field

from app.conversation.truncate import clip
from app.errors import HaimaError
from app.memory.fact_outcomes import (
    Conflict,
    Duplicate,
    Failed,
    Kept,
    NotFound,
    Outcome,
    Replaced,
    Stored,
)
from app.memory.facts import Fact, FactScope
from app.memory.recall_block import Marks, line_text
from app.text import Key
from app.tools.base import Arguments, Tool, ToolContext, ToolOutput

LONGEST = 1_000
"""Characters of a fact that the model may save: a sentence or two, not a document."""

_QUOTED = 200
"""Characters of a fact that a result quotes."""


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A fact that a search found, with what its line says about it."""

    fact: Fact
    marks: Marks


@dataclass(frozen=True, slots=True)
class FoundMemories:
    """What a search found.

    Attributes:
        memories: the nearest first.
        more: how many others have a word of the query.
        now: the present, in the user's zone: dates are those of that zone.
    """

    memories: Sequence[FoundMemory]
    more: int
    now: datetime


class MemoryAccess(Protocol):
    """The memories of the open session, as far as the model may use them."""

    async def save(
        self, fact: str, *, scope: FactScope | None, replace_id: str, keep_both: bool
    ) -> Outcome:
        """Saves a fact as the user asked for it; what contradicts one is asked about.

        Args:
            fact: its text, not blank.
            scope: where it shall hold; None: as usual.
            replace_id: the memory it replaces by the user's recorded choice, or its beginning; ""
                none.
            keep_both: it stays beside what it contradicts by the user's recorded choice.

        Raises:
            HaimaError: the beginning fits several memories, or the memories can't be read.
        """
        ...

    async def search(self, query: str) -> FoundMemories:
        """The memories that are visible here and have words of the query.

        Raises:
            HaimaError: the memories can't be read.
        """
        ...


def _lowered(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


class SaveMemoryArguments(Arguments):
    """What to remember, where it holds, and what the user chose."""

    fact: Annotated[str, Field(min_length=1)]
    scope: Annotated[Literal["project", "global"] | None, BeforeValidator(_lowered)] = None
    replace_id: str | None = None
    keep_both: bool | None = None


class SaveMemory(Tool[SaveMemoryArguments]):
    """Saves a fact. Nobody is asked whether it may; what it contradicts is asked about.

    One at a time: the order in which facts come is the order in which they stand.
    """

    name = "save_memory"
    risk = "write"
    free = True
    arguments = SaveMemoryArguments

    def __init__(self, context: ToolContext, memory: MemoryAccess) -> None:
        """Saves into these."""
        super().__init__(context)
        self._memory = memory

    def subject(self, arguments: SaveMemoryArguments) -> str:
        """The fact."""
        return arguments.fact

    async def run(self, arguments: SaveMemoryArguments) -> ToolOutput:
        """Saves, and says exactly what came of it."""
        fact = arguments.fact.strip()
        if not fact:
            return self.context.failed("memory_tool.blank")
        if len(fact) > LONGEST:
            return self.context.failed(
                "memory_tool.too_long", n=f"{len(fact):,}", most=f"{LONGEST:,}"
            )
        try:
            outcome = await self._memory.save(
                fact,
                scope=arguments.scope,
                replace_id=(arguments.replace_id or "").strip(),
                keep_both=bool(arguments.keep_both),
            )
        except HaimaError as error:
            return self._not_saved(error)
        return self._output(outcome)

    def _output(self, outcome: Outcome) -> ToolOutput:
        words = self.context.words
        match outcome:
            case Stored(fact=fact, near=near):
                key: Key = (
                    "memory_tool.saved_global"
                    if fact.scope == "global"
                    else "memory_tool.saved_project"
                )
                text = words(key, id=line_text(fact.id), content=_quote(fact.content))
                if near:
                    text += "\n" + words("memory_tool.near", lines=_listed(near))
                return ToolOutput(text)
            case Replaced(fact=fact, old=old):
                ids = ", ".join(line_text(one.id) for one in old)
                text = words(
                    "memory_tool.replaced",
                    id=line_text(fact.id),
                    content=_quote(fact.content),
                    old=ids,
                    before=_quote(" / ".join(one.content for one in old)),
                )
                return ToolOutput(text)
            case Duplicate(fact=fact, verified=verified):
                key = "memory_tool.known_verified" if verified else "memory_tool.known"
                return ToolOutput(words(key, id=line_text(fact.id), content=_quote(fact.content)))
            case Kept(existing=fact):
                return self.context.failed(
                    "memory_tool.kept",
                    reason="memory_tool.kept_reason",
                    id=line_text(fact.id),
                    content=_quote(fact.content),
                )
            case Conflict(existing=clashes):
                return self.context.failed(
                    "memory_tool.conflict",
                    reason="memory_tool.conflict_reason",
                    lines=_listed([one.fact for one in clashes]),
                )
            case NotFound(ids=ids):
                named = ", ".join(line_text(one) for one in ids)
                return self.context.failed("memory_tool.not_found", ids=named)
            case Failed(error=error):
                return self._not_saved(error)
            case _:  # deleting, verifying and the like aren't asked for here
                raise AssertionError(f"not an outcome of saving: {outcome}")

    def _not_saved(self, error: HaimaError) -> ToolOutput:
        sentence = error.sentence(self.context.words)
        return self.context.failed("memory_tool.failed", problem=sentence)


def _listed(facts: Sequence[Fact]) -> str:
    return "\n".join(f"- {line_text(fact.id)}: {_quote(fact.content)}" for fact in facts)


def _quote(content: str) -> str:
    """A fact's text, cut; like an id it is foreign text, that other programs may have written."""
    return clip(line_text(content), _QUOTED)
