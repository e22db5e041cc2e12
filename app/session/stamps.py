"""What tells whether somebody else changed a file since the agent did."""

from collections.abc import Iterable
from pathlib import Path

from app.conversation.work import Stamp
from app.conversation.work_state import Entity

MOST = 500
"""Changed files that are looked at, the newest: a few milliseconds."""


def stamp_of(root: Path, name: str) -> Stamp | None:
    """A file as it lies there now; None where that can't be told.

    Args:
        root: the project's folder.
        name: the path from there, or a whole one.
    """
    try:
        found = (root / name).stat()
    except (FileNotFoundError, NotADirectoryError):
        return Stamp(0, -1)
    except (OSError, ValueError):
        return None
    return Stamp(found.st_mtime_ns, found.st_size)


def changed_outside(root: Path, changed: Iterable[Entity]) -> frozenset[str]:
    """Names of changed files that lie there otherwise than the agent left them; blocks.

    Args:
        root: the project's folder.
        changed: the files the agent changed, newest first; those without a stamp aren't judged.
    """
    outside = set()
    for number, entity in enumerate(changed):
        if number >= MOST:
            break
        if entity.stamp is None:
            continue
        now = stamp_of(root, entity.name)
        if now is not None and now != entity.stamp:
            outside.add(entity.name)
    return frozenset(outside)
