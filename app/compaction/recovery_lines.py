"""How the recovery block says what is known: a line for an entity, lists of names."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from app.boundary import visible
from app.conversation.work import Rule
from app.conversation.work_state import Entity
from app.memory.name_lists import in_line
from app.memory.names import KINDS, Name, NameKind
from app.memory.work_commands import shortened
from app.memory.work_notes import note
from app.text import Key, Words

_LISTS: Mapping[NameKind, Key] = {
    "command": "recovery.commands",
    "path": "recovery.paths",
    "symbol": "recovery.symbols",
}


def rule_line(rule: Rule) -> str:
    """A rule as it stands in a list."""
    return f"- {visible(rule.text)}"


def entity_line(entity: Entity, words: Words, *, now: str, outside: bool = False) -> str:
    """A line of a list: the name, what was last done to it, when.

    A long command stands with its beginning; ids and paths in one that failed are entities.

    Args:
        entity: the entity.
        words: the language of what the model reads.
        now: ISO 8601, with the user's zone; "" leaves the time out.
        outside: somebody else changed it since.
    """
    command = entity.kind == "command"
    name = f"`{visible(shortened(entity.name))}`" if command else visible(entity.name)
    notes = [visible(note(entity, words, brief=True)), clock(entity.changed_at or entity.at, now)]
    if outside:
        notes.append(words("recovery.outside"))
    return f"- {name} ({words('recovery.between').join(filter(None, notes))})"


def clock(at: str, now: str) -> str:
    """When it was, in the user's zone: `14:05`, on another day with the date; "" if not known."""
    if not now:
        return ""
    try:
        present = datetime.fromisoformat(now)
        then = datetime.fromisoformat(at).astimezone(present.tzinfo)
    except ValueError:
        return ""
    return f"{then:%H:%M}" if then.date() == present.date() else f"{then:%m-%d %H:%M}"


def name_lines(names: Iterable[Name], words: Words) -> list[str]:
    """The lines that name what else was there: commands, paths, symbols."""
    found = list(names)
    by_kind = {kind: [name for name in found if name.kind == kind] for kind in KINDS}
    return [
        words(_LISTS[kind], names=visible(in_line(some))) for kind, some in by_kind.items() if some
    ]
