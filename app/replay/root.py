"""The project's folder of a recording that doesn't tell it. Never looks at the disk."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

from app.conversation.messages import Message

_ABSOLUTE = re.compile(r"(?<![\w.@+/~-])(/[\w.@+-]+(?:/[\w.@+-]+)+)")
_TENTHS = 7
"""Tenths of all absolute paths that lie below it (NAMES 4.1)."""


def guess_root(messages: Iterable[Message]) -> str:
    """The deepest folder that holds most of the absolute paths in arguments; "" for none."""
    folders: Counter[str] = Counter()
    total = 0
    for message in messages:
        for call in message.calls:
            for path in _ABSOLUTE.findall(call.arguments):
                total += 1
                folders.update(str(one) for one in PurePosixPath(path).parents if one.name)
    kept = (folder for folder, count in folders.items() if 10 * count >= _TENTHS * total)
    return max(kept, key=lambda folder: (len(folder), folder), default="")
