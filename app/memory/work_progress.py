"""How far the work is, from what the agent says of it and what its commands showed.

The agent's list is merged, never just taken over: what was done stays done unless the agent takes
it up again, so a shorter list loses nothing (FACTS 4: idempotent).
"""

import re
import unicodedata
from collections.abc import Iterable

from app.conversation.work import Done, Progress
from app.memory.name_tables import LISTING, READING, SEARCHING, words

_MOVES = words(
    "cd pwd echo printf which type env export set mkdir rmdir touch cp mv rm ln chmod kill sleep"
    " date whoami uname true clear history wc sort uniq diff stat file jq"
)
_LOOKS = LISTING | SEARCHING | READING | _MOVES
"""Programs that only look, or move things about."""

_GIT = re.compile(r"git\s+(?!push\b|merge\b|rebase\b|apply\b|bisect\b)")

MOST = 200
"""Entries of each list that are kept; the newest of what is done."""

LONGEST = 300
"""Characters of an entry: a line, not a report."""


def updated(progress: Progress, todo: Iterable[str], done: Iterable[str], *, by: str) -> Progress:
    """The progress after the agent told its list.

    Args:
        progress: as it was.
        todo: what is left, in order.
        done: what is done; earlier ones needn't be said again.
        by: the command that showed what is newly done; "" for none.
    """
    said_done = dict.fromkeys(filter(None, map(_entry, done)))
    left = dict.fromkeys(filter(None, map(_entry, todo)))
    finished = {_key(text) for text in said_done}
    open_again = {_key(text) for text in left} - finished
    known = {_key(one.text): one for one in progress.done}
    kept = [one for one in progress.done if _key(one.text) not in open_again]
    new = [Done(text, by) for text in said_done if _key(text) not in known]
    return Progress(
        todo=tuple(text for text in left if _key(text) not in finished)[:MOST],
        done=(*kept, *new)[-MOST:],
    )


def shows(command: str) -> bool:
    """Whether that a command went well shows that something works: it does more than look."""
    program = command.split(maxsplit=1)[0].rpartition("/")[2] if command.strip() else ""
    return bool(program) and program not in _LOOKS and not _GIT.match(command)


def _entry(text: str) -> str:
    """One line, without a bullet or a box that was ticked."""
    line = " ".join(text.split())
    line = re.sub(r"^(?:[-*•·]|\d{1,3}[.)、])\s*(?=\S)", "", line)
    line = re.sub(r"^\[[ xX✓]\]\s*", "", line)
    return line[:LONGEST].rstrip()


def _key(text: str) -> str:
    """Entries that only differ in width, case or a full stop are the same."""
    return unicodedata.normalize("NFKC", text).casefold().rstrip(" .。!！")
