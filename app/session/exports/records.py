"""The past as JSON, a record a line: messages, the marks between nodes, failures.

A message: `type` `message`, `id`, `role`, `node`, `at`, `text`; `parts` where there is more than
one text; `calls` (`id`, `name`, `arguments`), `call_id`, `tool`, `outcome`, `reasoning`,
`discarded` where it has them; `state`, `pinned`, `in_context`: how it stands in the node exported.
A mark: `type` `mark`, `kind`, `node`, `parent`, `at`, `count`, `turn`; `summary` where that is
known (`SummaryMark`). A failure: `type` `failure`, `code`, `text`, `node`, `at`. The lines are
ASCII, so nothing in them moves a terminal.
"""

import json
from collections.abc import Callable, Iterable, Iterator

from app.conversation.encoding import message_to_json
from app.conversation.messages import Message, TextPart
from app.conversation.past import Past, PastFailure, PastMark, PastMessage
from app.session.exports.masking import masked


def record_lines(past: Iterable[Past], *, mask: Callable[[str], str]) -> Iterator[str]:
    """One line an entry, its line end included.

    Args:
        past: oldest first.
        mask: applied to every string.
    """
    for item in past:
        yield json.dumps(masked(_record(item), mask), separators=(",", ":")) + "\n"


def _record(item: Past) -> dict[str, object]:
    match item:
        case PastMessage():
            return _message(item)
        case PastMark(kind, node, parent, at, count, turn, summary):
            record: dict[str, object] = {"type": "mark", "kind": kind, "node": node}
            record |= {"parent": parent, "at": at, "count": count}
            record |= {} if turn is None else {"turn": turn}
            return record if summary is None else record | {"summary": summary.to_data()}
        case PastFailure(code, text, at, node):
            return {"type": "failure", "code": code, "text": text, "node": node, "at": at}


def _message(item: PastMessage) -> dict[str, object]:
    message = item.message
    record: dict[str, object] = {"type": "message", "id": message.id, "role": message.role}
    record |= {"node": item.node, "at": item.at, "text": message.text}
    record |= _more(message)
    if item.outcome is not None:
        record["outcome"] = item.outcome.to_data()
    return record | {
        "state": item.standing.state,
        "pinned": item.standing.pinned,
        "in_context": item.present,
    }


def _more(message: Message) -> dict[str, object]:
    """What only some messages have."""
    more: dict[str, object] = {}
    stored = message_to_json(message)
    if len(message.parts) > 1 or not all(isinstance(part, TextPart) for part in message.parts):
        more["parts"] = stored["parts"]
    for name in ("calls", "call_id", "tool", "discarded"):
        if name in stored:
            more[name] = stored[name]
    if message.reasoning is not None and message.reasoning.text:
        more["reasoning"] = message.reasoning.text
    return more
