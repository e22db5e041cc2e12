"""Writes `app/text/keys_….py` from the English words: `python -m tests.text.write_keys`."""

import tomllib
from pathlib import Path

TEXT = Path(__file__).parents[2] / "app" / "text"


def flat(language: str) -> dict[str, str]:
    """All words of a language, `section.name` → words."""
    table = tomllib.loads((TEXT / f"{language}.toml").read_text(encoding="utf-8"))
    return {
        f"{section}.{name}": value
        for section, names in table.items()
        for name, value in names.items()
    }


def halves() -> tuple[list[str], list[str]]:
    """Every key but the `_one` twins, in order, parted between two sections near the middle."""
    words = flat("en")
    keys = sorted(key for key in words if not (key.endswith("_one") and key[:-4] in words))
    middle = keys[len(keys) // 2].split(".")[0]
    first = [key for key in keys if key.split(".")[0] < middle]
    return first, keys[len(first) :]


def sources() -> dict[Path, str]:
    """What each file must hold, in lines of 100 columns."""
    first, second = halves()
    return {
        TEXT / "keys_first.py": _source("FirstKey", first),
        TEXT / "keys_second.py": _source("SecondKey", second),
    }


def _source(name: str, keys: list[str]) -> str:
    lines, line = [], "   "
    for key in keys:
        piece = f' "{key}",'
        if len(line) + len(piece) > 100:
            lines.append(line)
            line = "   "
        line += piece
    lines.append(line)
    head = '"""Written by tests/text/write_keys.py; do not edit."""\n\n# fmt: off\n'
    return f"{head}from typing import Literal\n\n{name} = Literal[\n" + "\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    for path, source in sources().items():
        path.write_text(source, encoding="utf-8")
