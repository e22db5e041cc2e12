"""Puts tool calls together from deltas, with every quirk of PROVIDERS 1.8. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.ports import RequestedCall


@dataclass(slots=True)
class _Slot:
    """One call while it grows."""

    index: int | None
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)

    @property
    def empty(self) -> bool:
        return not self.name and not self.arguments.strip()

    @property
    def complete(self) -> bool:
        """Whether the arguments are a whole JSON value already."""
        text = self.arguments.strip()
        return bool(text) and text != "null" and not is_cut(text)


class CallAssembler:
    """Collects the calls of one answer, in the order in which they began.

    Which call a delta belongs to is told by index, id or position, as the server likes. Id and name
    are set once and never joined: some servers repeat both in every delta.
    """

    def __init__(self) -> None:
        self._slots: list[_Slot] = []
        self._legacy = _Slot(None)

    def feed(self, delta: Mapping[str, object]) -> None:
        """Takes the `tool_calls` of a delta, or the `function_call` of old servers."""
        calls = delta.get("tool_calls")
        if isinstance(calls, Mapping):
            calls = [calls]
        if isinstance(calls, list):
            for call in calls:
                if isinstance(call, Mapping):
                    self._feed_call(call)
        legacy = delta.get("function_call")
        if isinstance(legacy, Mapping):
            self._fill(self._legacy, legacy, "")

    @property
    def any(self) -> bool:
        """Whether a call began."""
        return bool(self._begun())

    def finish(self) -> tuple[RequestedCall, ...]:
        """The calls as they stand; absent arguments are an empty object."""
        return tuple(RequestedCall(slot.name, _or_object(slot.arguments)) for slot in self._begun())

    def cut(self, *, at_limit: bool) -> bool:
        """Whether a call isn't whole: without a name, or with arguments that stop in the middle.

        Args:
            at_limit: the answer ended at its token limit. Then arguments must be valid JSON, and a
                last call without any hasn't got to them.
        """
        begun = self._begun()
        if any(not slot.name or is_cut(slot.arguments) for slot in begun):
            return True
        if not at_limit or not begun:
            return False
        return not begun[-1].arguments.strip() or any(
            not _parses(_or_object(slot.arguments)) for slot in begun
        )

    def _begun(self) -> list[_Slot]:
        """Slots that hold something; the legacy one only if there is no other (both may come)."""
        slots = [slot for slot in self._slots if not slot.empty]
        return slots or [slot for slot in (self._legacy,) if not slot.empty]

    def _feed_call(self, call: Mapping[str, object]) -> None:
        function = call.get("function")
        if not isinstance(function, Mapping):
            function = call  # a few proxies leave the inner object out
        identity, name = _text(call.get("id")), _text(function.get("name"))
        index = _index(call.get("index"))
        fragment = _fragment(function.get("arguments"))
        slot = (
            self._by_position(identity, name, fragment)
            if index is None
            else self._by_index(index, identity, name, fragment)
        )
        self._fill(slot, function, identity)

    def _by_index(self, index: int, identity: str, name: str, fragment: str) -> _Slot:
        """The slot with this index, or a new one where the index is used again."""
        slot = next((s for s in reversed(self._slots) if s.index == index), None)
        if slot is None:
            return self._open(index)
        other_id = bool(identity and slot.id and identity != slot.id and name)
        return self._open(index) if other_id or _begins(slot, identity, name, fragment) else slot

    def _by_position(self, identity: str, name: str, fragment: str) -> _Slot:
        """Without an index: the slot with this id, a new one for a new id or name, or the last."""
        known = next((s for s in reversed(self._slots) if identity and s.id == identity), None)
        if known is not None:
            return self._open(None) if _repeats(known, name, fragment) else known
        last = self._slots[-1] if self._slots else None
        if last is None:
            return self._open(None)
        other_id = bool(identity and last.id)
        other_name = bool(name and last.name and name != last.name)
        if other_id or other_name or _begins(last, identity, name, fragment):
            return self._open(None)
        return last

    def _open(self, index: int | None) -> _Slot:
        slot = _Slot(index)
        self._slots.append(slot)
        return slot

    def _fill(self, slot: _Slot, function: Mapping[str, object], identity: str) -> None:
        slot.id = slot.id or identity
        slot.name = slot.name or _text(function.get("name"))
        if fragment := _fragment(function.get("arguments")):
            slot.pieces.append(fragment)


def _begins(slot: _Slot, identity: str, name: str, fragment: str) -> bool:
    """Whether a delta with a name but no id begins another call: the last one is whole already."""
    return bool(not identity and name and fragment.lstrip().startswith("{") and slot.complete)


def _repeats(slot: _Slot, name: str, fragment: str) -> bool:
    """Whether a whole call comes under an id that another whole call has (Kimi's `read:0`)."""
    return bool(name and fragment.lstrip().startswith("{") and slot.complete)


def is_cut(text: str) -> bool:
    """Whether JSON text stops in the middle: inside a string, or with a bracket open.

    Text that is wrong but whole (a trailing comma, a single quote) isn't cut: the model is told
    what is wrong with it. Text that isn't there at all isn't cut either.
    """
    if _parses(text):
        return False
    depth, in_string, escaped = 0, False, False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
    return in_string or depth > 0


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _fragment(arguments: object) -> str:
    """A piece of arguments; objects (Ollama's own API, some proxies) become JSON."""
    if isinstance(arguments, str):
        return arguments
    if arguments is None:
        return ""
    return json.dumps(arguments, ensure_ascii=False)


def _or_object(arguments: str) -> str:
    return "{}" if arguments.strip() in {"", "null"} else arguments


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _index(value: object) -> int | None:
    """An index, which may come as text; None where it is missing."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return None
