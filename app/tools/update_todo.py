"""`update_todo`: the agent's list of what is left and what is done."""

import json
import re
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from app.conversation.work import Work
from app.tools.base import Arguments, Tool, ToolContext, ToolOutput
from app.tools.work_access import WorkAccess

_MOST = 200
"""Entries of a list; a longer one is no plan."""

_FINISHED = frozenset({"completed", "complete", "done", "finished", "closed", "已完成", "完成"})
"""States of entries that are done, as models write them."""

_TICKED = re.compile(r"\s*(?:[-*•·]\s*)?\[[xX✓✔]\]")


def _entries(value: object) -> object:
    """The entries as some models write them: in one text, or as objects with a state."""
    if isinstance(value, str):
        value = _listed(value)
    if not isinstance(value, list):
        return value
    return [_named(one) if isinstance(one, dict) else one for one in value]


def _listed(text: str) -> list[object]:
    """A text's lines; where it is a list in JSON, that one's entries."""
    if text.lstrip().startswith("["):
        try:
            value: object = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, list):
            return value
    return [line for line in text.splitlines() if line.strip()]


def _named(entry: dict[object, object]) -> object:
    texts = (entry.get(key) for key in ("content", "text", "title", "task", "step", "description"))
    return next((text for text in texts if isinstance(text, str) and text.strip()), entry)


def _is_finished(entry: object) -> bool:
    """Whether an entry says of itself that it is done."""
    if isinstance(entry, dict):
        state = entry.get("status", entry.get("state", entry.get("done", entry.get("completed"))))
        return state is True or (isinstance(state, str) and state.strip().lower() in _FINISHED)
    return isinstance(entry, str) and _TICKED.match(entry) is not None


Entry = Annotated[str, Field(min_length=1)]
Entries = Annotated[list[Entry], BeforeValidator(_entries), Field(max_length=_MOST)]


class UpdateTodoArguments(Arguments):
    """The whole of what is left, unset: what was left; of what is done at least what is new."""

    todo: Entries | None = None
    done: Entries = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _apart(cls, values: dict[str, object]) -> dict[str, object]:
        """Takes what is ticked off out of what is left: some models send one list with states."""
        todo, done = values.get("todo"), values.get("done")
        todo = _listed(todo) if isinstance(todo, str) and todo else todo
        if not isinstance(todo, list) or not any(map(_is_finished, todo)):
            return values
        done = _listed(done) if isinstance(done, str) else done or []
        if not isinstance(done, list):
            return values
        left = [one for one in todo if not _is_finished(one)]
        return {**values, "todo": left, "done": [*done, *filter(_is_finished, todo)]}


class UpdateTodo(Tool[UpdateTodoArguments]):
    """Keeps the list; nobody is asked, nothing is written but the call itself.

    The list is part of the result's own row, so it is kept before the result joins the history.
    Several calls of one step count one after the other: each goes on from the list of the former.
    """

    name = "update_todo"
    risk = "read"
    free = True
    alone = True
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
        todo = None if arguments.todo is None else tuple(arguments.todo)
        progress = self._work.updated(todo, tuple(arguments.done))
        total = len(progress.todo) + len(progress.done)
        text = words("tool_result.todo", done=len(progress.done), total=total)
        if progress.todo:
            text = f"{text}\n{words('tool_result.todo_next', text=progress.todo[0])}"
        return ToolOutput(self.context.shown(text), work=Work(progress=progress))
