"""Masks every string of a JSON value, before it is written as JSON: escapes would hide some."""

from collections.abc import Callable


def masked(value: object, mask: Callable[[str], str]) -> object:
    """The same value with `mask` applied to each string in it, names of fields apart."""
    match value:
        case str():
            return mask(value)
        case dict():
            return {name: masked(inner, mask) for name, inner in value.items()}
        case list() | tuple():
            return [masked(inner, mask) for inner in value]
        case _:
            return value
