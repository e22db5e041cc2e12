"""What the recorder tells of messages: the `data` of its rows (`rows`)."""

from collections.abc import Sequence

from app.archive.rows import encode_bytes
from app.conversation.encoding import message_to_json
from app.conversation.messages import Message
from app.conversation.offloaded import Offloaded
from app.conversation.outcome import ToolOutcome
from app.conversation.standing import MessageState
from app.conversation.work import Work


def message_data(
    message: Message,
    raw: bytes | None,
    outcome: ToolOutcome | None,
    file: Offloaded | None,
    work: Work,
) -> dict[str, object]:
    """Of a `message` row; what there is none of is left out."""
    data: dict[str, object] = {"message": message_to_json(message)}
    if raw is not None:
        data["raw"] = encode_bytes(raw)
    if outcome is not None:
        data["outcome"] = outcome.to_data()
    if file is not None:
        data["offloaded"] = file.to_data()
    if work:
        data["work"] = work.to_data()
    return data


def replace_data(
    changed: Message, state: MessageState, file: Offloaded | None
) -> dict[str, object]:
    """Of a `replace` row."""
    data: dict[str, object] = {
        "id": changed.id,
        "message": message_to_json(changed),
        "state": state,
    }
    if file is not None:
        data["offloaded"] = file.to_data()
    return data


def splice_data(
    start: int,
    end: int,
    removed: Sequence[Message],
    before: str | None,
    messages: Sequence[Message],
) -> dict[str, object]:
    """Of a `splice` row."""
    return {
        "start": start,
        "end": end,
        "first": removed[0].id if removed else None,
        "last": removed[-1].id if removed else None,
        "removed": [message.id for message in removed],
        "before": before,
        "messages": [message_to_json(message) for message in messages],
    }
