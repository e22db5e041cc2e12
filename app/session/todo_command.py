"""What `/todo …` asks for, and what comes of it; what is wrong is said and nothing is done.

`/todo` alone shows the list, else `add TEXT`, `done N`, `drop N`, `take`, `leave`. N is the number
of an open thing in the list, or a part of its words that no other one has.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeAlias, get_args

from app.archive.work import Unfinished
from app.boundary import one_line, visible
from app.conversation.secret_words import without_secrets
from app.conversation.work import Done, Progress
from app.errors import HaimaError
from app.memory.work_progress import LONGEST, MOST
from app.text import Words

TodoAction: TypeAlias = Literal["show", "add", "done", "drop", "take", "leave"]

_TYPED: tuple[str, ...] = tuple(name for name in get_args(TodoAction) if name != "show")

_USAGES: Mapping[TodoAction, str] = {
    "add": "/todo add TEXT",
    "done": "/todo done N",
    "drop": "/todo drop N",
    "take": "/todo take",
    "leave": "/todo leave",
}


class BadTodo(HaimaError):  # noqa: N818
    """The command can't be carried out as it was typed."""

    code = "usage"


@dataclass(frozen=True, slots=True)
class TodoCommand:
    """Something to do with the list.

    Attributes:
        action: what; `show` where nothing was named.
        text: what to add, or which one is meant.
    """

    action: TodoAction
    text: str = ""


def parse_todo(argument: str) -> TodoCommand:
    """What `/todo` is to do.

    Raises:
        BadTodo: no such action, or one that lacks something or has too much.
    """
    words = argument.split(maxsplit=1)
    if not words:
        return TodoCommand("show")
    name = unicodedata.normalize("NFKC", words[0]).casefold()
    rest = " ".join(words[1].split()) if len(words) > 1 else ""
    match name:
        case "add" | "done" | "drop":
            action: TodoAction = name
            if not rest:
                raise BadTodo("todo.needs", usage=_USAGES[action])
            return TodoCommand(action, rest[:LONGEST])
        case "take" | "leave":
            plain: TodoAction = "take" if name == "take" else "leave"
            if rest:
                raise BadTodo("todo.too_much", given=rest, usage=_USAGES[plain])
            return TodoCommand(plain)
    near = get_close_matches(name, _TYPED, n=1, cutoff=0.6)
    if near:
        raise BadTodo("todo.unknown_near", given=words[0], near=near[0])
    raise BadTodo("todo.unknown", given=words[0], names=", ".join(_TYPED))


def with_todo(progress: Progress, command: TodoCommand) -> tuple[Progress, str]:
    """The progress after the command, and the thing it was about.

    Raises:
        BadTodo: no open thing is meant, or several; or there are too many.
    """
    if command.action == "add":
        if command.text in progress.todo:
            raise BadTodo("todo.there", text=command.text)
        if len(progress.todo) >= MOST:
            raise BadTodo("todo.full", n=MOST)
        return Progress((*progress.todo, command.text), progress.done), command.text
    text = _meant(progress, command.text)
    left = tuple(one for one in progress.todo if one != text)
    done = progress.done
    if command.action == "done":
        done = (*(one for one in done if one.text != text), Done(text))[-MOST:]
    return Progress(left, done), text


def without_change(now: Progress, before: Progress, after: Progress) -> Progress:
    """The progress as if a change of the user's had not been made; what came since stays.

    Args:
        now: as it is.
        before: as it was before the change.
        after: as the change left it.
    """
    added = {*after.todo} - {*before.todo}
    finished = {one.text for one in after.done} - {one.text for one in before.done}
    todo = [one for one in now.todo if one not in added]
    done = [one for one in now.done if one.text not in finished]
    there = {*todo, *(one.text for one in done)}
    for place, text in enumerate(before.todo):
        if text not in after.todo and text not in there:
            todo.insert(place, text)
    for place, one in enumerate(before.done):
        if one not in after.done and one.text not in there:
            done.insert(place, one)
    return Progress(tuple(todo[:MOST]), tuple(done[-MOST:]))


def todo_text(progress: Progress, words: Words) -> str:
    """The list as lines: what is done, then what is left with its numbers."""
    if not (progress.todo or progress.done):
        return words("todo.nothing")
    head = words("todo.head", done=len(progress.done), all=len(progress.done) + len(progress.todo))
    lines = [head]
    for one in progress.done:
        by = words("todo.by", by=one_line(one.by)) if one.by else ""
        lines.append(f"  ✓ {one_line(one.text)}{by}")
    lines += [f"{number:>3} {one_line(text)}" for number, text in enumerate(progress.todo, 1)]
    return "\n".join(lines)


def title_of(work: Unfinished) -> str:
    """What people know unfinished work by, safe to show on one line: what they called it, if so.

    A goal is kept word for word; as a title its secrets are masked.
    """
    by_goal = work.taken and not work.named
    named = work.goal or work.title if by_goal else work.title or work.goal
    return without_secrets(one_line(named)) or f"#{work.node[:4]}"


def _meant(progress: Progress, given: str) -> str:
    number = unicodedata.normalize("NFKC", given).strip("#.")
    if re.fullmatch(r"[0-9]{1,4}", number):
        if 1 <= int(number) <= len(progress.todo):
            return progress.todo[int(number) - 1]
        raise BadTodo("todo.no_number", given=number, n=len(progress.todo))
    wanted = given.casefold()
    found = [text for text in progress.todo if wanted in text.casefold()]
    if len(found) > 1:
        exact = [text for text in found if text.casefold() == wanted]
        found = exact or found
    if len(found) == 1:
        return found[0]
    raise BadTodo("todo.several" if found else "todo.none", given=visible(given))
