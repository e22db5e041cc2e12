"""File name patterns of `search_files`: `*.py`, `src/**/*.{ts,tsx}`, `!*.test.ts`.

Our own reading of them, so that the packaged search and the fallback agree. A pattern is compared
with files; without a slash with their names, else with their paths from the project's root or from
the folder that is searched.
"""

import re
from dataclasses import dataclass
from itertools import product

_MOST_ALTERNATIVES = 64
_SIMPLE_NAME = re.compile(r"[\w.*?+ -]+")


class BadGlob(ValueError):  # noqa: N818
    """A pattern that can't be read."""


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern made ready.

    Attributes:
        inverted: it began with `!`: files that match are left out.
        whole: matches a path, or a name where `by_name`.
        by_name: the pattern has no slash.
        names: patterns for names alone that any match fulfils, to look at fewer files; () where
            none can be given.
    """

    inverted: bool
    whole: re.Pattern[str]
    by_name: bool
    names: tuple[str, ...]

    def matches(self, path: str, folder: str) -> bool:
        """Whether a file is wanted.

        Args:
            path: from the project's root, with slashes.
            folder: the searched folder, likewise, "" for the root.
        """
        if self.by_name:
            found = self.whole.fullmatch(path.rpartition("/")[2])
        else:
            below = path.removeprefix(f"{folder}/") if folder else path
            found = self.whole.fullmatch(path) or self.whole.fullmatch(below)
        return (found is None) == self.inverted


def read_glob(text: str) -> Glob:
    """Reads a pattern.

    Raises:
        BadGlob: brackets or braces that aren't closed, or too many alternatives.
    """
    pattern = text.strip().replace("\\", "/")
    inverted = pattern.startswith("!")
    pattern = pattern.removeprefix("!").removeprefix("./").removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    alternatives = _alternatives(pattern)
    names = tuple(one.rpartition("/")[2] for one in alternatives)
    usable = not inverted and all(
        _SIMPLE_NAME.fullmatch(name) and "**" not in name for name in names
    )
    try:
        whole = re.compile("|".join(_expression(one) for one in alternatives))
    except re.error as error:
        raise BadGlob(text) from error
    return Glob(inverted, whole, "/" not in pattern, names if usable else ())


def _alternatives(pattern: str) -> list[str]:
    """The pattern with its braces written out."""
    pieces = re.split(r"(\{[^{}]*\})", pattern)
    choices = [
        piece[1:-1].split(",") if piece.startswith("{") and piece.endswith("}") else [piece]
        for piece in pieces
    ]
    if any(set("{}") & set(piece) for choice in choices for piece in choice):
        raise BadGlob(pattern)
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > _MOST_ALTERNATIVES:
        raise BadGlob(pattern)
    return ["".join(chosen) for chosen in product(*choices)]


def _expression(pattern: str) -> str:
    """One alternative as a regular expression."""
    written, place = "", 0
    while place < len(pattern):
        rest = pattern[place:]
        if rest.startswith("**/"):
            written, place = written + "(?:.*/)?", place + 3
        elif rest.startswith("**"):
            written, place = written + ".*", place + 2
        elif rest[0] == "*":
            written, place = written + "[^/]*", place + 1
        elif rest[0] == "?":
            written, place = written + "[^/]", place + 1
        elif rest[0] == "[":
            end = rest.find("]", 2 if rest[1:2] in {"!", "^"} else 1)
            if end < 0:
                raise BadGlob(pattern)
            inside = rest[1:end].replace("/", "")
            negated = inside[:1] in {"!", "^"}
            inside = re.sub(r"([\\\[\]&~|^])", r"\\\1", inside[1:] if negated else inside)
            written += f"[{'^/' if negated else ''}{inside}]"
            place += end + 1
        else:
            written, place = written + re.escape(rest[0]), place + 1
    return f"(?:{written})"
