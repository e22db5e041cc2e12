"""Checks one layer of settings; what is wrong is named with its place and key."""

import difflib
from collections.abc import Callable, Iterator, Mapping

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from app.config.errors import ConfigError
from app.config.model import Section, Settings
from app.text import Key

Values = Mapping[str, object]
"""Settings laid flat: `model.name` → value."""

Place = Callable[[str], str]
"""Where a key of this layer stands: the file, the variable, the option."""

_HIDDEN = frozenset(
    f"{section}.{name}"
    for section in ("model", "model.auxiliary")
    for name in ("api_key", "api_key_env", "base_url")
)
"""Keys whose value is never repeated in a message: it is, or could hold, a secret."""

_EXPECTED: Mapping[str, Key] = {
    "bool_type": "config.expect_bool",
    "finite_number": "config.expect_number",
    "float_type": "config.expect_number",
    "greater_than": "config.expect_above",
    "greater_than_equal": "config.expect_least",
    "int_type": "config.expect_whole",
    "less_than_equal": "config.expect_most",
    "literal_error": "config.expect_choice",
    "model_type": "config.expect_section",
    "tuple_type": "config.expect_list",
}
_EXPECTED_AT: Mapping[str, Key] = {
    "model.api_key": "config.expect_key",
    "model.api_key_env": "config.expect_variable",
    "model.base_url": "config.expect_address",
    "model.auxiliary.api_key": "config.expect_key",
    "model.auxiliary.api_key_env": "config.expect_variable",
    "model.auxiliary.base_url": "config.expect_address",
    "model.window": "config.expect_window",
    "compaction.clear_at": "config.expect_window",
    "compaction.min_gain": "config.expect_window",
}


def _leaves(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from _leaves(field.annotation, f"{prefix}{name}.")
        else:
            yield prefix + name, field.annotation


KEYS: Mapping[str, object] = dict(_leaves(Settings))
"""Every key there is, with its type: `model.name`, str."""


def nested(values: Values) -> dict[str, object]:
    """`{"ui.theme": "dark"}` → `{"ui": {"theme": "dark"}}`."""
    table: dict[str, object] = {}
    for key, value in values.items():
        *sections, name = key.split(".")
        inner = table
        for section in sections:
            below = inner.setdefault(section, {})
            assert isinstance(below, dict)  # noqa: S101  keys are KEYS: no value where a section is
            inner = below
        inner[name] = value
    return table


def flat(table: Values, prefix: str = "") -> Iterator[tuple[str, object]]:
    """The other way round, for whatever stands in a table, known or not."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def checked(table: Values, place: Place) -> dict[str, object]:
    """The layer's values, flat, after every one of them was found good.

    Raises:
        ConfigError: the first that isn't, in the order of the table.
    """
    try:
        Settings.model_validate(table)
    except ValidationError as error:
        raise _explained(error.errors(include_url=False)[0], place) from None
    return dict(flat(table))


def _explained(error: ErrorDetails, place: Place) -> ConfigError:
    """One finding of pydantic as our own sentence."""
    parts = [str(part) for part in error["loc"]]
    if error["type"] == "extra_forbidden":
        return unknown(".".join(parts), place)
    key = _key_of(parts)
    values: dict[str, object] = {"place": place(key), "key": key}
    limits = error.get("ctx", {})
    values["limit"] = next((limits[name] for name in ("gt", "ge", "le") if name in limits), "")
    values["choices"] = str(limits.get("expected", "")).replace("'", "").replace(" or ", ", ")
    expected = _EXPECTED_AT.get(key) or _EXPECTED.get(error["type"], "config.expect_text")
    if key in _HIDDEN or error["type"] == "model_type":
        return ConfigError("config.wrong_hidden", expected=expected, **values)
    values["value"] = _shown(error["input"])
    return ConfigError("config.wrong", expected=expected, **values)


def _key_of(parts: list[str]) -> str:
    """The key that a place in the settings belongs to, without what lies inside its value."""
    starts = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((start for start in starts if start in KEYS), ".".join(parts))


def unknown(key: str, place: Place) -> ConfigError:
    """A key that doesn't exist, with the nearest one that does."""
    if similar := _similar(key):
        return ConfigError("config.unknown_similar", place=place(key), key=key, similar=similar)
    return ConfigError("config.unknown", place=place(key), key=key)


def _similar(key: str) -> str:
    """The key that was probably meant: alike as a whole, or the same name in a section."""
    # Of two keys with the same name the one that stands less deep.
    names = {name.rpartition(".")[2]: name for name in sorted(KEYS, key=_depth, reverse=True)}
    candidates = [*KEYS, *{name.partition(".")[0] for name in KEYS}]
    found = difflib.get_close_matches(key.lower().replace("-", "_"), candidates, 1, 0.75)
    if found:
        return found[0]
    last = difflib.get_close_matches(key.lower().rpartition(".")[2], names, 1, 0.8)
    return names[last[0]] if last else ""


def _depth(key: str) -> int:
    return key.count(".")


def _shown(value: object) -> str:
    """A wrong value as its file spells it, cut where it is long."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
