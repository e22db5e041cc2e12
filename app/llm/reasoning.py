"""Reads reasoning out of deltas, whatever the field is called (PROVIDERS 1.6). Pure."""

import json
from collections.abc import Mapping

DETAILS_FIELD = "reasoning_details"
"""OpenRouter's and MiniMax's structure: a list of entries, which can't go back as text."""

_PLAIN = ("reasoning_content", "reasoning")
_LAST = "reasoning_text"
PLAIN_FIELDS = (*_PLAIN, _LAST)
"""Fields that hold reasoning as a text."""
_GROWING = ("text", "summary", "data")


def reasoning_of(delta: Mapping[str, object]) -> tuple[str, str]:
    """The field that has reasoning, and the piece; ("", "") where there is none.

    The first of four that holds something: several may carry the same text.
    """
    for field in _PLAIN:
        if (piece := delta.get(field)) and isinstance(piece, str):
            return field, piece
    if piece := "".join(_text(detail) for detail in _details(delta)):
        return DETAILS_FIELD, piece
    if (piece := delta.get(_LAST)) and isinstance(piece, str):
        return _LAST, piece
    return "", ""


class ReasoningDetails:
    """`reasoning_details` of a stream, put together again so that they can go back untouched.

    Pieces with the same index and type are one entry: its text grows, other fields are taken from
    whichever piece has them (a signature comes last).
    """

    def __init__(self) -> None:
        self._entries: list[dict[str, object]] = []

    def feed(self, delta: Mapping[str, object]) -> None:
        """Takes the details of a delta."""
        for detail in _details(delta):
            entry = self._entry_of(detail)
            for name, value in detail.items():
                before = entry.get(name)
                if name in _GROWING and isinstance(before, str) and isinstance(value, str):
                    entry[name] = before + value
                elif value is not None or name not in entry:
                    entry[name] = value

    def _entry_of(self, detail: Mapping[str, object]) -> dict[str, object]:
        """The entry this piece goes on with: the last, if index and type are the same."""
        if self._entries:
            last = self._entries[-1]
            alike = all(last.get(name) == detail.get(name) for name in ("index", "type"))
            ids = {last.get("id"), detail.get("id")} - {None}
            if alike and len(ids) < 2:
                return last
        self._entries.append({})
        return self._entries[-1]

    @property
    def text(self) -> str:
        """All entries as JSON text, "" when there are none."""
        return json.dumps(self._entries, ensure_ascii=True) if self._entries else ""


def _details(delta: Mapping[str, object]) -> list[Mapping[str, object]]:
    details = delta.get(DETAILS_FIELD)
    if not isinstance(details, list):
        return []
    return [detail for detail in details if isinstance(detail, Mapping)]


def _text(detail: Mapping[str, object]) -> str:
    """What of an entry can be shown; encrypted data can't."""
    for name in ("text", "summary"):
        if isinstance(value := detail.get(name), str):
            return value
    return ""
