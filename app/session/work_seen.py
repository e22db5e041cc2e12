"""What is known of the work, put into the words of the screen."""

from collections.abc import Mapping
from dataclasses import replace

from app.boundary import escape, visible
from app.compaction.known import Known, Told
from app.conversation.work import EntityKind
from app.conversation.work_state import Entity
from app.memory.names import NameKind
from app.memory.work_notes import note
from app.memory.worklog import Worklog
from app.text import Words
from app.view.work_shown import EntityShown, NameShown, ToldAs, WorkShown

_NEW = 2
"""A rule is new in the turn that brought it and in the next."""

_KINDS: Mapping[NameKind, EntityKind] = {"command": "command", "path": "file", "symbol": "symbol"}


def work_seen(log: Worklog, known: Known, told: Told, words: Words, *, slot: str) -> WorkShown:
    """What would be told now, and what stands beside it.

    Args:
        log: the worklog.
        known: what of it is known for telling.
        told: what of that would be told.
        words: the language of the screen.
        slot: the block that stands in the request; "" for none.
    """
    entities = log.entities()
    full, named = set(told.changed), set(told.changed_names)
    told_rules = {rule.id for rule in told.rules}

    def how(one: Entity) -> ToldAs:
        return "full" if one in full else "name" if one in named else "not"

    changed = tuple(
        _shown(one, words, how(one), outside=one.name in known.outside) for one in known.changed
    )
    names = tuple(NameShown(_KINDS[one.kind], _line(one.text)) for one in told.names)
    keys = {(one.kind, one.name) for one in (*known.changed, *told.nearest)}
    more = sum(not one.forgotten and (one.kind, one.name) not in keys for one in entities)
    return WorkShown(
        goal=known.goal,
        first=known.first,
        rules=known.rules,
        revoked=log.revoked_rules,
        new_rules=frozenset(
            rule.id for rule in known.rules if rule.turn and rule.turn > log.turn - _NEW
        ),
        untold_rules=frozenset(rule.id for rule in known.rules if rule.id not in told_rules),
        changed=changed,
        nearest=tuple(_shown(one, words, "full") for one in told.nearest),
        names=names,
        more=max(0, more - len({name.text for name in names})),
        progress=known.progress,
        told_progress=told.progress,
        written=max((one.at for one in entities), default=""),
        slot=slot,
    )


def _shown(one: Entity, words: Words, told: ToldAs, *, outside: bool = False) -> EntityShown:
    return EntityShown(
        kind=one.kind,
        name=_line(one.name),
        note=visible(note(one, words)),
        short=visible(_short(one, words)),
        at=one.changed_at or one.at,
        ok=one.ok,
        changed=one.changed if one.kind == "file" else None,
        outside=outside,
        told=told,
        kept=one.name if _line(one.name) != one.name else "",
    )


def _line(name: str) -> str:
    """A name as it is shown: in one line, its blanks as they are."""
    return visible(name).replace("\n", escape("\n")).replace("\t", escape("\t"))


def _short(one: Entity, words: Words) -> str:
    """What was last done to it; of a command the exit code, of a file no lines, no old path."""
    if one.kind == "command" and one.detail.startswith("exit "):
        code = one.detail.removeprefix("exit ")
        if one.failed > 1:
            return words("work_view.exit_times", code=code, n=one.failed)
        return words("work_view.exit", code=code)
    detail = one.detail if one.kind == "command" else ""
    if one.kind == "file" and one.changed is not None:
        one = replace(one, action=one.changed, ok=True)
    return note(replace(one, file="", detail=detail), words)
