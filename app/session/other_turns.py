"""What the agent is told of files that turns outside its conversation changed (DESIGN 4).

After a branch, or a fork from an earlier message, the files lie there as the newer turns left them,
and the agent believes what it read before. It is told once, with the user's next message.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from app.boundary import visible
from app.conversation.messages import Message
from app.conversation.work_state import Elsewhere
from app.session.stamps import MOST, stamp_of
from app.text import Words

_SHOWN = 12
"""Files that are named."""

_SLACK = 2
"""Seconds by which a file system may round the time of a change."""

_ASKED = 'read_history(query="work: changed")'


def other_turns_text(
    root: Path, changed: Sequence[Elsewhere], messages: Iterable[Message], words: Words
) -> str:
    """What is told; "" where all those files are as the conversation knows them. Blocks.

    Args:
        root: the project's folder.
        changed: files that other turns changed, newest change first.
        messages: of the conversation: a file that is gone, and that none mentions, needs no word.
        words: the language of what the model reads.
    """
    said = tuple(messages)
    found = [line for one in changed[:MOST] if (line := _line(root, one, said, words))]
    if not found:
        return ""
    lines = [f"- {line}" for line in found]
    older = len(lines) - _SHOWN + len(changed[MOST:])
    if older > 1:
        lines[_SHOWN:] = [words("front.changed_more", n=f"{older:,}", call=_ASKED)]
    return "\n".join([words("other_turns.head"), *lines])


def _line(root: Path, one: Elsewhere, said: Sequence[Message], words: Words) -> str:
    """What is told of a file; "" where nothing is."""
    entity, now = one.entity, stamp_of(root, one.entity.name)
    name = visible(entity.name)
    if now is not None and now.size < 0:
        return words("other_turns.gone", name=name) if _mentioned(entity.name, said) else ""
    if now is not None and now != entity.stamp and now.mtime < _nanoseconds(one.since):
        return ""  # put back as it was before
    if entity.changed == "created":
        return words("other_turns.created", name=name)
    return name


def _mentioned(file: str, said: Sequence[Message]) -> bool:
    """Whether a message, or the arguments of a call, names the file."""
    name = file.rpartition("/")[2]
    spelt = json.dumps(name)[1:-1]
    return any(
        name in message.text
        or any(name in call.arguments or spelt in call.arguments for call in message.calls)
        for message in said
    )


def _nanoseconds(at: str) -> int:
    """A row's time since 1970; 0 where it is none."""
    try:
        return int((datetime.fromisoformat(at).timestamp() - _SLACK) * 1_000_000_000)
    except ValueError:
        return 0
