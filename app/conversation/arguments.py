r"""JSON text inside a request: a call's arguments, a provider's own reasoning structure.

A call whose arguments aren't valid JSON poisons the whole session: every later request is refused
(PROVIDERS 1.7, FIELD 38). A lone surrogate can't even be encoded.
"""

import json
import re
from functools import lru_cache

from app.boundary import CONTROL, escape, joined

NO_ARGUMENTS = "{}"

_SHORT = 500
"""Characters; a thousand such calls in memory are half a megabyte."""

_SUSPECT = re.compile(rf"\\u[dD][89a-fA-F]|[{CONTROL}]")
_PIECE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair: a real character
    r"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"  # a lone half
    rf"|\\.|[{CONTROL}]"
)


def sendable_arguments(text: str) -> str:
    """A call's arguments as any provider takes them: the text of one JSON object.

    The model's own text stays as it is, byte for byte, unless it is no JSON object (then `{}`) or
    holds what can't be sent (see `sendable_json`). What is short is looked at once, not for each
    request again.
    """
    return _short_arguments(text) if len(text) <= _SHORT else _arguments(text)


def _arguments(text: str) -> str:
    clean = sendable_json(text)
    return clean if clean is not None and clean.lstrip().startswith("{") else NO_ARGUMENTS


_short_arguments = lru_cache(4_096)(_arguments)


def sendable_json(text: str) -> str | None:
    r"""JSON text without raw control characters and lone surrogates; None if it isn't valid JSON.

    Raw control characters become JSON escapes of the same value; a lone surrogate, escaped or not,
    becomes words (`\\ud83d`), as `boundary.visible` does it. NaN and infinities aren't JSON.
    """
    clean = joined(text)
    try:
        json.loads(clean, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return _PIECE.sub(_harmless, clean) if _SUSPECT.search(clean) else clean


def arguments_of(text: str) -> dict[str, object]:
    """A call's arguments as values; none where the text is no JSON object."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _harmless(piece: re.Match[str]) -> str:
    """A piece of valid JSON text, made fit to be sent."""
    text = piece[0]
    if text.startswith("\\"):
        return f"\\{text}" if len(text) == 6 else text
    if text < " ":
        return " "  # in valid JSON only a carriage return between tokens
    return f"\\{escape(text)}" if "\ud800" <= text <= "\udfff" else f"\\u{ord(text):04x}"


def _refuse(constant: str) -> object:
    raise ValueError(constant)
