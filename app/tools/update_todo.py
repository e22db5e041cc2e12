"""`update_todo`: the agent's list of what is left and what is done."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from app.conversation.work import Work
from app.tools.base import Arguments, Tool, ToolContext, ToolOutput
from app.tools.work_access import WorkAccess

_MOST = 200
"""Entries of a list; a longer one is no plan."""


def _entries(value: object) -> object:
    """The entries as some models write them: in one text, or as objects with a state."""
    if isinstance(value, str):
        return [line for line in value.splitlines() if line.strip()]
    if not isinstance(value, list):
        return value
    return [_named(one) if isinstance(one, dict) else one for one in value]


def _named(entry: dict[object, object]) -> object:
    texts = (entry.get(key) for key in ("content", "text", "title", "task", "step", "description"))
    return next((text for text in texts if isinstance(text, str) and text.strip()), entry)


Entry = Annotated[str, Field(min_length=1)]
Entries = Annotated[list[Entry], BeforeValidator(_entries), Field(max_length=_MOST)]


class UpdateTodoArguments(Arguments):
    """The whole of what is left; of what is done at least what is new."""

    todo: Entries = Field(default_factory=list)
    done: Entries = Field(default_factory=list)


class UpdateTodo(Tool[UpdateTodoArguments]):
    """Keeps the list; nobody is asked, nothing is written but the call itself.

    The list is part of the result's own row, so it is kept before the result joins the history.
    """

    name = "update_todo"
    risk = "read"
    free = True
    arguments = UpdateTodoArguments

    def __init__(self, context: ToolContext, work: WorkAccess) -> None:
        """Keeps it there."""
        super().__init__(context)
        self._work = work

    def subject(self, arguments: UpdateTodoArguments) -> str:
        """What comes next, or how many are done."""
        if arguments.todo:
            return " ".join(arguments.todo[0].split())
        return f"{len(arguments.done)} ✓" if arguments.done else "0"

    async def run(self, arguments: UpdateTodoArguments) -> ToolOutput:
        """Takes it over; says how it stands."""
        words = self.context.words
        progress = self._work.updated(tuple(arguments.todo), tuple(arguments.done))
        total = len(progress.todo) + len(progress.done)
        text = words("tool_result.todo", done=len(progress.done), total=total)
        if progress.todo:
            text = f"{text}\n{words('tool_result.todo_next', text=progress.todo[0])}"
        return ToolOutput(text, work=Work(progress=progress))
