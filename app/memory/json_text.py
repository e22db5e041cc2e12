"""JSON edited as text: what isn't meant keeps its bytes, its order, its numbers as written."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_INT = 4_000
"""Digits; Python refuses to read much more, and the text of the file is what is kept anyway."""


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INT else float(digits)


_DECODER: Final = json.JSONDecoder(parse_int=_integer, strict=False)


def skip(text: str, at: int) -> int:
    """The first place from `at` on that isn't white space."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def decode_at(text: str, at: int) -> tuple[object, int]:
    """The value that begins at `at`, and where it ends.

    Raises:
        ValueError: there is none, or it is nested too deeply to be read.
    """
    try:
        value: tuple[object, int] = _DECODER.raw_decode(text, at)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: where its name begins and ends, and its value."""

    name: str
    start: int
    named: int
    value: int
    end: int


def members(text: str) -> list[Member]:
    """The members of the object that `text` is, in order.

    Raises:
        ValueError: it isn't an object.
    """
    if not text.startswith("{"):
        raise ValueError("not an object")
    found: list[Member] = []
    at = skip(text, 1)
    while text[at : at + 1] != "}":
        name, named = decode_at(text, at)
        value = skip(text, skip(text, named) + 1)
        _, end = decode_at(text, value)
        found.append(Member(str(name), at, named, value, end))
        at = skip(text, end)
        if text[at : at + 1] == ",":
            at = skip(text, at + 1)
    return found


def member(text: str, name: str) -> str | None:
    """The value of a member as it is written; of several of one name the last counts."""
    found = [one for one in members(text) if one.name == name]
    return text[found[-1].value : found[-1].end] if found else None


def with_member(text: str, name: str, value: str) -> str:
    """The object with that member's value (JSON text) in the place of the old one, or added."""
    every = members(text)
    named = [one for one in every if one.name == name]
    if named:
        return text[: named[-1].value] + value + text[named[-1].end :]
    if not every:
        return "{" + f"{dump(name)}: {value}" + "}"
    first, last = every[0], every[-1]
    comma = text[first.end : every[1].start] if len(every) > 1 else "," + text[1 : first.start]
    colon = text[first.named : first.value]
    return text[: last.end] + comma + dump(name) + colon + value + text[last.end :]


def without_member(text: str, name: str) -> str:
    """The object without the members of that name."""
    while True:
        every = members(text)
        at = next((at for at, one in enumerate(every) if one.name == name), None)
        if at is None:
            return text
        if at:
            text = text[: every[at - 1].end] + text[every[at].end :]
        elif len(every) > 1:
            text = text[: every[0].start] + text[every[1].start :]
        else:
            return "{}"


@dataclass(frozen=True, slots=True)
class Style:
    """How objects are laid out in a file.

    Attributes:
        lead: white space before an object's first member.
        comma: what stands between two members.
        tail: white space after the last.
        colon: what stands between name and value.
        unit: by how much an inner object is indented more.
    """

    lead: str = "\n    "
    comma: str = ",\n    "
    tail: str = "\n  "
    colon: str = ": "
    unit: str = "  "

    @classmethod
    def of(cls, text: str) -> "Style":
        """The style of an object that has members; the usual one otherwise."""
        every = members(text)
        if not every:
            return cls()
        first, last = every[0], every[-1]
        lead, tail = text[1 : first.start], text[last.end : -1]
        comma = text[first.end : every[1].start] if len(every) > 1 else "," + lead
        unit = lead[len(tail) :] if lead.startswith(tail) and "\n" in lead else ""
        return cls(lead, comma, tail, text[first.named : first.value], unit)

    def object(self, fields: Mapping[str, object], level: int = 0) -> str:
        """An object as text in this style; lists stand on one line."""
        more = self.unit * level
        written = (self.comma + more).join(
            dump(name)
            + self.colon
            + (self.object(value, level + 1) if isinstance(value, Mapping) else dump(value))
            for name, value in fields.items()
        )
        return "{" + self.lead + more + written + self.tail + more + "}" if fields else "{}"


def dump(value: object) -> str:
    r"""A value on one line; only lone surrogates are escaped (`\ud83d`)."""
    text = json.dumps(value, ensure_ascii=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
