"""The pointer that stands for a cleared result: what it was, what it named, how to get it back.

Pure. One line that spells its calls out (DESIGN 5, "Pointers, notes, references").
"""

import re
from collections.abc import Sequence
from functools import cache

from app.boundary import safe_name, visible
from app.compaction.note import read_call
from app.conversation.arguments import arguments_of
from app.conversation.messages import ToolCall
from app.conversation.offloaded import Offloaded
from app.conversation.truncate import clip
from app.conversation.window import RULES
from app.memory.name_lists import BETWEEN
from app.text import Key, Words

_ASKED = ("command", "pattern", "query", "url", "path", "ref")
"""The arguments that say what a call was about, the most telling first."""


def asked(call: ToolCall | None, most: int = RULES.asked, root: str = "") -> str:
    """What a call asked for, on one line: a path with its lines, a command, a pattern; or "".

    Args:
        call: as the model made it, perhaps broken; None: it isn't known.
        most: characters; of a longer path the end is told, of anything else the beginning.
        root: the project's folder: what lies below it is told relative to it, and going there
            isn't what a command is about.
    """
    values = {} if call is None else arguments_of(call.arguments)
    named = [values[name] for name in _ASKED if name in values]
    texts = (value for value in [*named, *values.values()] if isinstance(value, str))
    told = next((text for text in texts if text.strip()), "")
    line = visible(" ".join(told.split()))
    if root and root in line:
        line = _below(root).sub("", line.removeprefix(f"cd {root} && "))
    if len(line) > most and "/" in line and " " not in line:
        return _end_of(line, most) + _lines(values)
    return clip(line, most) + _lines(values)


def pointer(
    words: Words,
    *,
    tool: str,
    asked: str,
    characters: int,
    ref: str,
    file: Offloaded | None = None,
    names: Sequence[str] = (),
    of_file: bool = True,
) -> str:
    """The pointer.

    Args:
        words: the language of results.
        tool: the tool's name, perhaps invented by the model.
        asked: what it was asked for (`asked`).
        characters: length of what it gave.
        ref: the message's id, by which `read_history` finds it.
        file: where all of it is, from state.
        names: what it named that stands nowhere else.
        of_file: it may have been a file's content, which may have changed since.
    """
    size = f"{characters:,}"
    name = safe_name(tool)
    if asked:
        text = words("tool_result.pointer", tool=name, asked=asked, characters=size)
    else:
        text = words("tool_result.pointer_unasked", tool=name, characters=size)
    if names:
        text += words("tool_result.pointer_names", names=BETWEEN.join(names))
    if file is not None:
        text += words("tool_result.pointer_file", call=read_call(file.path))
    end: Key = "tool_result.pointer_end_file" if of_file else "tool_result.pointer_end"
    return text + words(end, call=history_call(ref))


def history_call(ref: str, offset: int = 0) -> str:
    """The call that quotes a message's original, from a character on, spelt out."""
    return f'read_history(ref="{ref}", offset={offset})' if offset else f'read_history(ref="{ref}")'


@cache
def _below(root: str) -> re.Pattern[str]:
    """The project's folder where a path below it begins with it."""
    return re.compile(rf"(?<![\w./~-]){re.escape(root)}/")


def _end_of(path: str, most: int) -> str:
    """A path's last parts, as many as fit."""
    end = path[len(path) - most + 1 :]
    return "…" + end[max(0, end.find("/")) :]


def _lines(values: dict[str, object]) -> str:
    """The lines that a file was read at, as its card names them."""
    first, limit = (values.get(name) for name in ("offset", "limit"))
    if not isinstance(first, int) and not isinstance(limit, int):
        return ""
    start = max(1, first) if isinstance(first, int) else 1
    return f":{start}–{start + limit - 1 if isinstance(limit, int) else ''}"
