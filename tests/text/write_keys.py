"""Writes `app/text/keys.py` from the English words: `python -m tests.text.write_keys`."""

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


def source() -> str:
    """What `keys.py` must hold: every key but the `_one` twins, in lines of 100 columns."""
    words = flat("en")
    keys = sorted(key for key in words if not (key.endswith("_one") and key[:-4] in words))
    lines, line = [], "   "
    for key in keys:
        piece = f' "{key}",'
        if len(line) + len(piece) > 100:
            lines.append(line)
            line = "   "
        line += piece
    lines.append(line)
    head = '"""Written by tests/text/write_keys.py; do not edit."""\n\n# fmt: off\n'
    return f"{head}from typing import Literal\n\nKey = Literal[\n" + "\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    (TEXT / "keys.py").write_text(source(), encoding="utf-8")
