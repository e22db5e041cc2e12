"""What must not leave in an export, taken out of every string before it is written."""

import json
import re
from collections.abc import Callable
from typing import Final

from app.conversation.secret_words import MASKED, without_secrets

_ENDING: Final = re.compile(r"[\s\"'\\,;，。；]")
"""What ends a secret in a text; in the value of a field it is part of it."""

_LOOKED_AT: Final = 64
"""Characters of a value that tell whether its field's name makes it a secret."""


def for_export(mask: Callable[[str], str]) -> Callable[[str], str]:
    """Masks Haima's own credentials and every secret that is found in a text (DESIGN 4, Trust).

    Args:
        mask: takes the credentials out (`Settings.mask`).
    """
    return lambda text: without_secrets(mask(text))


def masked(value: object, mask: Callable[[str], str]) -> object:
    """The same value with `mask` applied to each string in it, names of fields apart.

    It is applied before the value is written as JSON: escapes would hide some. A call's
    `arguments` are JSON already: they are masked inside too, and stay JSON if they were.
    """
    match value:
        case str():
            return mask(value)
        case dict():
            return {
                name: masked_arguments(inner, mask)
                if name == "arguments" and isinstance(inner, str)
                else masked(inner, mask)
                for name, inner in value.items()
            }
        case list() | tuple():
            return [masked(inner, mask) for inner in value]
        case _:
            return value


def masked_arguments(text: str, mask: Callable[[str], str]) -> str:
    """The arguments of a call, masked; still JSON if they were."""
    try:
        value: object = json.loads(text)
        inside = _named(masked(value, mask), mask)
        if inside != value:
            text = json.dumps(inside, ensure_ascii=False)
    except (ValueError, RecursionError):
        return mask(text)
    whole = mask(text)
    try:
        json.loads(whole)
    except ValueError:  # what was taken out held a quote or a brace
        return text
    return whole


def _named(value: object, mask: Callable[[str], str]) -> object:
    """The same value without the strings that only the names of their fields make secrets."""
    match value:
        case dict():
            return {
                name: MASKED
                if isinstance(inner, str) and _is_secret(name, inner, mask)
                else _named(inner, mask)
                for name, inner in value.items()
            }
        case list():
            return [_named(inner, mask) for inner in value]
        case _:
            return value


def _is_secret(name: str, value: str, mask: Callable[[str], str]) -> bool:
    pair = f'"{name}": "{_ENDING.sub("x", value[:_LOOKED_AT])}"'
    return mask(pair) != pair
