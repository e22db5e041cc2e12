"""Messages as JSON-able dicts and back, for the ledger and the archive.

Small: what has its default is left out. Lone surrogates pass, if the writer dumps with
`ensure_ascii`; halves of a pair come back joined, as JSON has it. Fields that are not known are
ignored, a kind of part that is not known is an error: a message must not come back with less in it.
"""

from typing import cast, get_args

from app.conversation.messages import (
    CorrectionPart,
    ImagePart,
    MemoryPart,
    Message,
    Part,
    Reasoning,
    RestoredPart,
    Role,
    Said,
    SummaryPart,
    TextPart,
    ToolCall,
    WordsPart,
    WorkPart,
)
from app.errors import HaimaError

_Row = dict[str, object]
_ROLES: tuple[Role, ...] = get_args(Role)
_PLAIN = Reasoning("")


class EncodingError(HaimaError):
    """A stored message can't be read; the sentence names the field or the kind of part."""

    code = "encoding"


def message_to_json(message: Message) -> dict[str, object]:
    """A message as a dict of JSON types."""
    row: _Row = {"id": message.id, "role": message.role}
    row["parts"] = [_part_to_json(part) for part in message.parts]
    if message.calls:
        row["calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments}
            for call in message.calls
        ]
    if message.call_id is not None:
        row["call_id"] = message.call_id
    if message.reasoning is not None:
        row["reasoning"] = _reasoning_to_json(message.reasoning)
    if message.tool is not None:
        row["tool"] = message.tool
    if message.discarded:
        row["discarded"] = True
    return row


def message_from_json(row: dict[str, object]) -> Message:
    """The message a dict stands for.

    Raises:
        EncodingError: a field is missing or of the wrong type, or a part of an unknown kind.
    """
    reader = _Reader(row)
    role = reader.text("role")
    if role not in _ROLES:
        raise reader.wrong("role")
    return Message(
        id=reader.text("id"),
        role=role,
        parts=tuple(_part_from_json(part) for part in reader.rows("parts")),
        calls=tuple(
            ToolCall(call.text("id"), call.text("name"), call.text("arguments"))
            for call in reader.rows("calls", [])
        ),
        call_id=reader.optional_text("call_id"),
        reasoning=_reasoning_from_json(reader),
        tool=reader.optional_text("tool"),
        discarded=reader.flag("discarded"),
    )


def _part_to_json(part: Part) -> _Row:
    match part:
        case TextPart(text=text):
            return {"kind": "text", "text": text}
        case ImagePart(url=url, characters=characters, name=name):
            row: _Row = {"kind": "image", "url": url}
            row |= {"characters": characters} if characters else {}
            return row | ({"name": name} if name else {})
        case MemoryPart(text=text, facts=facts):
            return {"kind": "memory", "text": text} | ({"facts": list(facts)} if facts else {})
        case CorrectionPart(text=text, facts=facts):
            return {"kind": "correction", "text": text} | ({"facts": list(facts)} if facts else {})
        case RestoredPart(ref=ref, text=text):
            return {"kind": "restored", "ref": ref, "text": text}
        case WorkPart(text=text):
            return {"kind": "work", "text": text}
        case SummaryPart():
            return _summary_to_json(part)
        case WordsPart(said=said, left_out=left_out):
            row = {"kind": "words", "said": [{"id": one.id, "text": one.text} for one in said]}
            return row | ({"left_out": list(left_out)} if left_out else {})


def _summary_to_json(part: SummaryPart) -> _Row:
    row: _Row = {"kind": "summary", "text": part.text}
    if part.references:
        row["references"] = list(part.references)
    if part.generation != 1:
        row["generation"] = part.generation
    if part.request is not None:
        row["request"] = part.request
    return row


def _part_from_json(part: "_Reader") -> Part:
    match part.text("kind"):
        case "text":
            return TextPart(part.text("text"))
        case "image":
            url, characters = part.text("url"), part.whole("characters")
            return ImagePart(url, characters, part.text("name", ""))
        case "memory":
            return MemoryPart(part.text("text"), part.texts("facts"))
        case "correction":
            return CorrectionPart(part.text("text"), part.texts("facts"))
        case "restored":
            return RestoredPart(part.text("ref"), part.text("text"))
        case "work":
            return WorkPart(part.text("text"))
        case "summary":
            references, generation = part.texts("references"), part.whole("generation", 1)
            request = part.optional_text("request")
            return SummaryPart(part.text("text"), references, generation, request)
        case "words":
            said = tuple(Said(one.text("id"), one.text("text")) for one in part.rows("said"))
            return WordsPart(said, part.texts("left_out"))
        case kind:
            raise EncodingError("history.unknown_part", id=part.owner, kind=kind)


def _reasoning_to_json(reasoning: Reasoning) -> _Row:
    row: _Row = {"text": reasoning.text}
    if reasoning.field != _PLAIN.field:
        row["field"] = reasoning.field
    if reasoning.send:
        row["send"] = True
    if reasoning.details:
        row["details"] = reasoning.details
    return row


def _reasoning_from_json(message: "_Reader") -> Reasoning | None:
    row = message.row("reasoning")
    if row is None:
        return None
    return Reasoning(
        text=row.text("text"),
        field=row.text("field", _PLAIN.field),
        send=row.flag("send"),
        details=row.text("details", ""),
    )


class _Reader:
    """Reads the fields of one JSON object, each of the type it must have."""

    def __init__(self, row: object, owner: str | None = None, path: str = "") -> None:
        """Takes a JSON value.

        Args:
            row: must be an object.
            owner: id of the message it belongs to, for errors; None: it is the message.
            path: where in the message it stands, for errors.
        """
        self._path = path
        self.owner = owner or ""
        if not isinstance(row, dict):
            raise self.wrong("")
        self._row = cast("_Row", row)
        if owner is None:
            self.owner = str(self._row.get("id", "?"))

    def wrong(self, field: str) -> EncodingError:
        """The error that names a field."""
        path = ".".join(filter(None, (self._path, field))) or "message"
        return EncodingError("history.unreadable", id=self.owner or "?", field=path)

    def text(self, field: str, default: str | None = None) -> str:
        value = self._row.get(field, default)
        if not isinstance(value, str):
            raise self.wrong(field)
        return value

    def optional_text(self, field: str) -> str | None:
        return None if self._row.get(field) is None else self.text(field)

    def texts(self, field: str) -> tuple[str, ...]:
        values = self._row.get(field, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise self.wrong(field)
        return tuple(values)

    def whole(self, field: str, default: int = 0) -> int:
        value = self._row.get(field, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(field)
        return value

    def flag(self, field: str) -> bool:
        value = self._row.get(field, False)
        if not isinstance(value, bool):
            raise self.wrong(field)
        return value

    def row(self, field: str) -> "_Reader | None":
        value = self._row.get(field)
        return None if value is None else _Reader(value, self.owner, self._at(field))

    def rows(self, field: str, default: list[object] | None = None) -> list["_Reader"]:
        values = self._row.get(field, default)
        if not isinstance(values, list):
            raise self.wrong(field)
        return [
            _Reader(value, self.owner, self._at(f"{field}[{index}]"))
            for index, value in enumerate(values)
        ]

    def _at(self, field: str) -> str:
        return f"{self._path}.{field}" if self._path else field
