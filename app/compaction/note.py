"""The note that stands for a content in a file: where it is, its beginning, its end, its names.

Pure. The note comes first, on a line of its own, then the beginning, a line about what is left out,
and the end. It has at most half the characters of what it stands for.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.boundary import safe_name, visible
from app.conversation.content import Content
from app.conversation.offloaded import Offloaded
from app.conversation.truncate import Cut
from app.conversation.window import RULES, Rules, share
from app.text import Key, Words

READ_LINES = 200
"""Lines that a note proposes to read at once (DESIGN 4, tier 1)."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a note shows of a content.

    Attributes:
        head: its beginning, control characters visible.
        tail: its end, likewise.
        middle: what is left out, or a sample of it.
        cut: where it was cut.
    """

    head: str
    tail: str
    middle: str
    cut: Cut


def preview(content: Content, room: int, *, sampled: int, rules: Rules = RULES) -> Preview:
    """Head and tail of a content. May take milliseconds.

    Args:
        content: a content longer than that.
        room: characters for both; they never have more than a note shows.
        sampled: characters of the middle to take with it; 0 for none.
        rules: the numbers.

    Raises:
        ValueError: all of it would fit (a fault of the program).
    """
    both = rules.note_head + rules.note_tail
    room = limit = min(room, both)
    while True:
        piece = content.cut(limit, rules.note_head * limit // both)
        if piece is None:
            raise ValueError("a content that fits needs no note")
        head, tail = visible(piece.head), visible(piece.tail)
        shown = len(head) + len(tail)
        if shown <= room or limit <= 1:
            break
        # Escapes are longer than what they stand for.
        limit = max(1, min(limit - 1, limit * room // shown))
    edges = {"after": len(piece.head), "before": len(piece.tail)}
    middle = content.sample(sampled, **edges) if sampled else ""
    return Preview(head, tail, middle, piece)


def head_line(words: Words, tool: str, file: Offloaded) -> str:
    """The note itself, without what it shows."""
    return words(
        "tool_result.note",
        tool=safe_name(tool),
        characters=f"{file.characters:,}",
        n=file.lines,
        lines=f"{file.lines:,}",
        call=read_call(file.path),
    )


def names_room(size: int, rules: Rules = RULES) -> int:
    """Characters of names in the note of a content of this size."""
    return share(size, rules.note_names)


def preview_room(words: Words, tool: str, file: Offloaded, rules: Rules = RULES) -> int:
    """Characters for head, tail and names together; not positive where a note isn't worth it."""
    size = file.characters
    whole = left_out(
        words, "tool_result.cut_named", Cut("", "", size, file.lines, file.lines, size)
    )
    frame = len(head_line(words, tool, file)) + len(whole) + len("\n\n\n")
    return size // rules.half - frame


def note(
    words: Words,
    tool: str,
    file: Offloaded,
    shown: Preview,
    names: Sequence[str] = (),
    rules: Rules = RULES,
) -> str:
    """The note.

    Args:
        words: the language of results.
        tool: the tool's name.
        file: where the content is.
        shown: what is shown of it, made with at most `preview_room`.
        names: those that only the middle held, best first; as many as fit are listed.
        rules: the numbers.
    """
    spare = preview_room(words, tool, file, rules) - len(shown.head) - len(shown.tail)
    room = min(names_room(file.characters, rules), spare)
    listed = ""
    for name in names:
        longer = f"{listed}, {name}" if listed else name
        if len(longer) <= room:
            listed = longer
    key: Key = "tool_result.cut_named" if listed else "tool_result.cut"
    middle = left_out(words, key, shown.cut, names=visible(listed))
    return f"{head_line(words, tool, file)}\n{shown.head}\n{middle}\n{shown.tail}"


def not_kept(
    words: Words,
    content: Content,
    limit: int,
    reason: str,
    rest: Callable[[int], str] | None = None,
) -> str:
    """What stands for a content that could not be written to a file: cut, and said so.

    Args:
        words: the language of results.
        content: the content.
        limit: characters of it that are shown; all of them where it is shorter.
        reason: why, a sentence.
        rest: the call that gives the content from a character on; None: nothing does.
    """
    piece = content.cut(limit)
    if piece is None:
        return visible(content.text())
    more = ""
    if rest is not None:
        more = words("tool_result.not_kept_rest", call=rest(len(piece.head)))
    middle = left_out(words, "tool_result.not_kept", piece, reason=reason, more=more)
    return f"{visible(piece.head)}\n{middle}\n{visible(piece.tail)}"


def left_out(words: Words, key: Key, piece: Cut, **values: object) -> str:
    """The line in the place of what was left out."""
    values = {"names": "", **values}
    return words(
        key,
        characters=f"{piece.characters:,}",
        total=f"{piece.total:,}",
        first=piece.first,
        last=piece.last,
        **values,
    )


def read_call(path: str) -> str:
    """The call that reads a file, spelt out (DESIGN 5, "Pointers, notes, references")."""
    quoted = json.dumps(path, ensure_ascii=False)
    return f"read_file(path={quoted}, offset=1, limit={READ_LINES})"
