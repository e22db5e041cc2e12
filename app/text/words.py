"""Reads the word files and fills in their blanks."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal, cast, get_args

from app.text.keys import Key

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


@cache
def _table(language: Language) -> Mapping[str, str]:
    """All words of a language, flat: `section.name` → words."""
    source = resources.files("app.text").joinpath(f"{language}.toml").read_text(encoding="utf-8")
    flat: dict[str, str] = {}
    for section, names in tomllib.loads(source).items():
        for name, value in cast("dict[str, str]", names).items():
            flat[f"{section}.{name}"] = value
    return flat


class Words:
    """The words of one language: `words("prompt.send")`, `words("turn.count", n=3)`."""

    __slots__ = ("_table", "language")

    def __init__(self, language: Language = "en") -> None:
        self.language: Language = language
        self._table = _table(language)

    def __call__(self, key: Key, /, **values: object) -> str:
        """The words for `key`, its `{blanks}` filled with `values`.

        With `n=1` the twin `<key>_one` is taken where the language has one.

        Raises:
            KeyError: no such key, or a blank without a value; both are faults of the program.
        """
        template = self._table[key]
        if values.get("n") == 1:
            template = self._table.get(f"{key}_one", template)
        return template.format_map(values) if values else template

    def has(self, key: str) -> bool:
        """Whether there are words under `key` (for keys that are put together at run time)."""
        return key in self._table

    def named(self, key: str, default: str = "") -> str:
        """The words under a key put together at run time; `default` where there are none."""
        return self._table.get(key, default)


def preferred_language(environ: Mapping[str, str]) -> Language:
    """The language of the user's locale: Chinese where it says so, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"
