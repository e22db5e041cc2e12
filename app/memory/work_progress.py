"""How far the work is, from what the agent says of it and what its commands showed.

The agent's list is merged, never just taken over: what was done stays done unless the agent takes
it up again, so a shorter list loses nothing (FACTS 4: idempotent).
"""

import re
import unicodedata
from collections.abc import Iterable

from app.conversation.by_hand import EntryState
from app.conversation.work import Done, Progress
from app.memory.name_tables import LISTING, NO_PROGRAMS, READING, SEARCHING, words

_MOVES = words(
    "cd pwd echo printf which type env export set mkdir rmdir touch cp mv rm ln chmod kill sleep"
    " date whoami uname true clear history wc sort uniq diff stat file jq"
)
_LOOKS = LISTING | SEARCHING | READING | NO_PROGRAMS | _MOVES
"""Programs that only look, or move things about; words of the shell say neither."""

_BULLET = re.compile(
    r"^(?:(?:[-*•·]|\d{1,3}[.)])(?:\s+|(?=[^\x00-\u2fff]))|\d{1,3}、\s*|[•·]\s*)(?=\S)"
)
"""Of a list: `- x`, `2) x`, `3.修复`; not `3.11 …`, nor `-O2 …` or `*args …`."""

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


def place_of(progress: Progress, text: str) -> EntryState:
    """Where an entry stands in it, however it is written."""
    key = _key(text)
    if any(_key(one) == key for one in progress.todo):
        return "todo"
    return "done" if any(_key(one.text) == key for one in progress.done) else ""


def heeding(progress: Progress, before: Progress, changed: Iterable[str]) -> Progress:
    """The agent's progress with what the user did to the list, of which it doesn't know yet.

    What they put on it stays, behind the agent's own, unless the agent has done it; what they took
    off or finished doesn't come back. What the agent says is done counts in any case.

    Args:
        progress: as the agent tells it.
        before: as it was, with the user's changes in it.
        changed: the entries that these are about.
    """
    places = {_key(text): place_of(before, text) for text in changed}
    done = {_key(one.text): one for one in (*before.done, *progress.done)}
    finished = {_key(one.text) for one in progress.done}
    finished |= {key for key, place in places.items() if place == "done"}
    todo = {_key(text): text for text in progress.todo if places.get(_key(text), "todo") == "todo"}
    more = {
        key: text
        for text in before.todo
        if (key := _key(text)) in places and key not in todo and key not in finished
    }
    return Progress(
        todo=(*list(todo.values())[: MOST - len(more)], *more.values()),
        done=tuple(one for key, one in done.items() if key in finished)[-MOST:],
    )


def with_list(progress: Progress, other: Progress) -> Progress:
    """Another list with this one behind it; what is left on either is left.

    Of too many it is the other one's last that go.
    """
    todo = {_key(text): text for text in (*progress.todo, *other.todo)}
    own = dict.fromkeys(map(_key, progress.todo))
    others = [key for key in dict.fromkeys(map(_key, other.todo)) if key not in own]
    order = dict.fromkeys(map(_key, (*other.todo, *progress.todo)))
    kept = {*own, *others[: max(0, MOST - len(own))]}
    done = {_key(one.text): one for one in (*progress.done, *other.done)}
    return Progress(
        todo=tuple(todo[key] for key in order if key in kept),
        done=tuple(one for key, one in done.items() if key not in todo)[-MOST:],
    )


def shows(command: str) -> bool:
    """Whether that a command went well shows that something works: it does more than look."""
    program = command.split(maxsplit=1)[0].rpartition("/")[2] if command.strip() else ""
    return bool(program) and program not in _LOOKS and not _GIT.match(command)


def _entry(text: str) -> str:
    """One line, without a bullet or a box that was ticked."""
    line = " ".join(text.split())
    line = _BULLET.sub("", line)
    line = re.sub(r"^\[[ xX✓]\]\s*", "", line)
    return line[:LONGEST].rstrip()


def _key(text: str) -> str:
    """Entries that only differ in width, case or a full stop are the same."""
    return unicodedata.normalize("NFKC", text).casefold().rstrip(" .。!！")
