"""Carries out `/todo` on a session where there is no screen, and says what came of it."""

from app.session.session import Session
from app.session.todo_command import TodoCommand, title_of, todo_text, with_todo
from app.text import Words


async def run_todo(session: Session, given: TodoCommand, words: Words) -> str:
    """What came of it, for people.

    Args:
        session: the open one.
        given: what was typed.
        words: the language.

    Raises:
        BadTodo: no open thing is meant, or several.
        HaimaError: it can't be read or written; nothing changed.
    """
    if given.action in ("take", "leave"):
        found = await session.unfinished()
        if found is None:
            return words("todo.no_unfinished")
        if given.action == "leave":
            await session.leave_unfinished(found)
            return f"{words('todo.left')}: {title_of(found)}"
        await session.take_up(found)
    progress = (await session.work_shown()).progress
    if given.action in ("add", "done", "drop"):
        progress, _ = with_todo(progress, given)
        await session.change_progress(progress)
    return todo_text(progress, words)
