"""What is told of an entity in a word or two: what was last done to it, by code's account."""

from app.conversation.work import Action
from app.conversation.work_state import Entity
from app.text import Key, Words

_ACTIONS: dict[Action, Key] = {
    "created": "work.created",
    "edited": "work.edited",
    "deleted": "work.deleted",
    "renamed": "work.renamed",
    "read": "work.read",
    "ran": "work.ran",
    "searched": "work.searched",
    "named": "work.named",
}


_FAILURES: dict[Action, Key] = {
    "created": "work.create_failed",
    "edited": "work.edit_failed",
    "deleted": "work.delete_failed",
    "renamed": "work.rename_failed",
    "read": "work.read_failed",
    "ran": "work.failed",
    "searched": "work.search_failed",
    "named": "work.failed",
}

_BRIEF = 24
"""Characters of a path from which only its end stands in a brief note."""
_SAVES = 8
"""Characters that this saves at least; else the path stands whole."""


def note(entity: Entity, words: Words, *, brief: bool = False) -> str:
    """`read 1–200`, `failed 3 times, exit 1`, `edited`, `renamed from a.py`; never code.

    A file that was changed and read since says both: it is the change that counts.

    Args:
        entity: what it is about.
        words: the language.
        brief: where a symbol was changed, only the end of its file's path, if that is long: among
            the changed files it stands whole.
    """
    said: list[str] = []
    if entity.changed is not None and (entity.changed != entity.action or not entity.ok):
        said.append(_change(entity, entity.changed, words))
    if not entity.ok:
        said.append(_failed(entity, words, later=bool(said)))
    elif entity.kind == "command":
        said.append(_with_detail(words("work.ran_ok"), entity.detail, exit_code=True))
    elif entity.action in {"renamed", "created", "edited", "deleted"}:
        said.append(_change(entity, entity.action, words))
    elif entity.action == "named":
        said.append(entity.detail or words("work.named"))
    elif entity.action == "searched" and entity.detail:
        said.append(words("work.searched_for", what=entity.detail))
    else:
        said.append(_with_detail(words(_ACTIONS[entity.action]), entity.detail))
    if entity.kind in {"symbol", "table"} and entity.file:
        said.append(_end(entity.file) if brief and entity.changed else entity.file)
    return words("work.between").join(said)


def _change(entity: Entity, action: Action, words: Words) -> str:
    if entity.kind == "file" and action == "renamed" and entity.file:
        return words("work.renamed_from", old=entity.file)
    detail = entity.detail if action == entity.action else ""
    return _with_detail(words(_ACTIONS[action]), detail)


def _failed(entity: Entity, words: Words, *, later: bool) -> str:
    if entity.kind != "command":
        said = words(_FAILURES[entity.action])
        said = words("work.later", what=said) if later else said
    elif entity.failed > 1:
        said = words("work.failed_times", n=entity.failed)
    else:
        said = words("work.failed")
    return words("work.between").join(filter(None, (said, entity.detail)))


def _end(path: str) -> str:
    """A path, or of a long one its last folder and its name."""
    folder, _, name = path.rpartition("/")
    last = folder.rpartition("/")[2]
    short = f"…/{last}/{name}"
    return short if len(path) > _BRIEF and len(short) + _SAVES <= len(path) else path


def _with_detail(said: str, detail: str, *, exit_code: bool = False) -> str:
    # `exit 0` says no more than that it went well.
    return f"{said} {detail}" if detail and not exit_code else said
