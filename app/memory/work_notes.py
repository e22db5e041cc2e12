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


def note(entity: Entity, words: Words) -> str:
    """`read 1–200`, `failed 3 times, exit 1`, `edited`, `renamed from a.py`; never code.

    A file that was changed and read since says both: it is the change that counts.
    """
    said: list[str] = []
    if entity.changed is not None and (entity.changed != entity.action or not entity.ok):
        said.append(_change(entity, entity.changed, words))
    if not entity.ok:
        said.append(_failed(entity, words))
    elif entity.kind == "command":
        said.append(_with_detail(words("work.ran_ok"), entity.detail, exit_code=True))
    elif entity.action in {"renamed", "created", "edited", "deleted"}:
        said.append(_change(entity, entity.action, words))
    elif entity.action == "named":
        said.append(entity.detail or words("work.named"))
    else:
        said.append(_with_detail(words(_ACTIONS[entity.action]), entity.detail))
    if entity.kind in {"symbol", "table"} and entity.file:
        said.append(entity.file)
    return words("work.between").join(said)


def _change(entity: Entity, action: Action, words: Words) -> str:
    if entity.kind == "file" and action == "renamed" and entity.file:
        return words("work.renamed_from", old=entity.file)
    detail = entity.detail if action == entity.action else ""
    return _with_detail(words(_ACTIONS[action]), detail)


def _failed(entity: Entity, words: Words) -> str:
    if entity.failed > 1:
        said = words("work.failed_times", n=entity.failed)
    else:
        said = words("work.failed")
    if entity.kind != "command":
        said = words("work.but_failed", action=words(_ACTIONS[entity.action]), failed=said)
    return words("work.between").join(filter(None, (said, entity.detail)))


def _with_detail(said: str, detail: str, *, exit_code: bool = False) -> str:
    # `exit 0` says no more than that it went well.
    return f"{said} {detail}" if detail and not exit_code else said
