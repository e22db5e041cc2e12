"""Names in a text: paths, symbols and commands, which code keeps when the text leaves the request.

NAMES 4.1 says what is a name. A *path* see `name_paths`, a *command* see `name_commands`. A
*symbol* is an identifier of several words (camelCase, PascalCase, snake_case, UPPER_SNAKE), or one
that the text defines (`def main(`, `struct Point {`, `CREATE TABLE orders (`); 4 to 60 characters.

What it costs: a few passes over the text, linear however the text is made, about 0.1 s for a
million characters of log; what repeats is looked at once. Of a long text only a sample is read.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from app.memory.name_commands import commands_in
from app.memory.name_paths import LONGEST, RUN, path_of, wide_paths, without_sides, without_urls
from app.memory.name_tables import DEFINING

NameKind = Literal["command", "path", "symbol"]
"""The kinds of names, in the order in which lists show them (NAMES 4.6)."""

KINDS: tuple[NameKind, ...] = get_args(NameKind)

SCANNED = 60_000
"""Characters of one message that are read for names (NAMES 4.1)."""

_WINDOWS = 15
"""Pieces of a long text that are read behind its beginning."""

_FEW = 1_000
"""Characters; of fewer only the beginning is read."""


class Name(NamedTuple):
    """A name; a tuple, as there are thousands of them in dicts.

    Attributes:
        kind: what it names.
        text: in full, as it stands in lists.
    """

    kind: NameKind
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """A name that a text holds.

    Attributes:
        name: the name.
        count: how often; at least 1.
        defined: the text defines it (symbols alone).
    """

    name: Name
    count: int = 1
    defined: bool = False


_RUNS = re.compile(f"[{RUN}]{{3,}}")
_WORDS = re.compile(r"[A-Za-z0-9_]{4,}")
_SYMBOL = re.compile(
    r"_{0,2}(?=[A-Za-z])(?:"
    r"[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+"  # snake_case, UPPER_SNAKE
    r"|[A-Za-z0-9]*(?:[a-z][0-9]*[A-Z]|[A-Z]{2}[a-z]{2})[A-Za-z0-9]*"  # camelCase, HTTPServer
    r")_{0,2}"
)
_CHANGE = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])")
_SHORTEST_SYMBOL, _LONGEST_SYMBOL = 4, 60

_DEFINED = re.compile(
    r"[ \t]+(?:IF NOT EXISTS +|if not exists +|\([^()\n]{0,60}\)[ \t]*)?[\"`]?([A-Za-z_]\w{3,59})\b"
    r"[\"`]?(?:[ \t]*(?P<sure>[(\[<{:=;])|[ \t]+(?P<next>extends|implements|struct|interface|func"
    r"|enum|union|where|for|final|as|AS)\b|[ \t]*(?P<end>\r?$))?",
    re.ASCII | re.MULTILINE,
)
_KEYWORD_END = re.compile(r"\w", re.ASCII)


def names_in(
    text: str, *, root: str = "", programs: Iterable[str] = (), limit: int = SCANNED
) -> tuple[Found, ...]:
    """The names a text holds, each once, in an order that the text alone fixes.

    Never fails, whatever the text is: control characters, lone surrogates and NUL end a name.

    Args:
        text: any text.
        root: the project's folder; paths below it are written relative to it.
        programs: programs run in this session, which make two words a command.
        limit: characters that are read; of a longer text its beginning up to half of them and
            pieces spread evenly over the rest, its end among them, cut between lines, in long lines
            between words (NAMES reads the beginning alone).
    """
    text = without_sides(without_urls(_unescaped(sample(text, limit))))
    counts: Counter[Name] = Counter()
    for run, count in Counter(_RUNS.findall(text)).items():
        if ("/" in run or "." in run) and (path := path_of(run, root)) is not None:
            counts[Name("path", path)] += count
        elif len(run) <= LONGEST and not (run.islower() and "_" not in run):
            for word in _WORDS.findall(run):
                if is_symbol(word):
                    counts[Name("symbol", word)] += count
    if not text.isascii():
        counts.update(Name("path", path) for path in wide_paths(text, root))
        # Keywords and programs are ASCII; a text of one byte a character is searched faster.
        text = text.encode("ascii", "replace").decode()
    definitions = Counter(_definitions(text))
    for word, count in definitions.items():
        if not is_symbol(word):
            counts[Name("symbol", word)] += count
    counts.update(Name("command", command) for command in commands_in(text, programs))
    return tuple(
        Found(name, count, name.kind == "symbol" and name.text in definitions)
        for name, count in counts.items()
    )


def is_symbol(word: str) -> bool:
    """Whether a word is an identifier of several words, and not a piece of random characters."""
    if not _SHORTEST_SYMBOL <= len(word) <= _LONGEST_SYMBOL or not _SYMBOL.fullmatch(word):
        return False
    # Base64 and hashes change between cases and digits all the time, names once a word.
    return len(word) < 12 or len(_CHANGE.findall(word)) * 4 <= len(word)


def sample(text: str, limit: int) -> str:
    """What is read of a text: all of it, or pieces of at most `limit` characters in all."""
    if len(text) <= limit:
        return text
    if limit < _FEW:
        return text[: max(0, limit)]
    head = limit // 2
    step = (len(text) - head) // _WINDOWS
    length = (limit - head) // _WINDOWS - 1
    starts = [head + step * number for number in range(_WINDOWS - 1)]
    starts.append(max(head, len(text) - length))
    return "\n".join([_lines(text, 0, head), *(_lines(text, at, at + length) for at in starts)])


def _unescaped(text: str) -> str:
    r"""The text with `\n` and `\t` as line end and tab: results often hold JSON or source."""
    return text.replace("\\n", "\n").replace("\\t", "\t") if "\\" in text else text


def _lines(text: str, start: int, end: int) -> str:
    """The whole lines between two places; in a long line whole words; else what stands there."""
    if start > 0 and (gap := _first_gap(text, start - 1, end)) >= 0:
        start = gap
    if end < len(text) and (gap := max(_last_gap(text, start, end), start)) > start:
        end = gap
    return text[start:end]


def _first_gap(text: str, start: int, end: int) -> int:
    found = text.find("\n", start, end)
    return found if found >= 0 else text.find(" ", start, end)


def _last_gap(text: str, start: int, end: int) -> int:
    found = text.rfind("\n", start, end)
    return found if found >= 0 else text.rfind(" ", start, end)


def _definitions(text: str) -> Iterable[str]:
    """Words that the text defines, each time."""
    for keyword in DEFINING:
        at = text.find(keyword)
        while at >= 0:
            end = at + len(keyword)
            if text[end : end + 1] in {" ", "\t"} and not (at and _KEYWORD_END.match(text[at - 1])):
                found = _DEFINED.match(text, end)
                if found is not None and _is_defined(found):
                    yield found[1]
            at = text.find(keyword, end)


def _is_defined(found: re.Match[str]) -> bool:
    """Whether a keyword's next word is defined by it; in prose both are just words."""
    if found["sure"] or found["next"]:
        return True
    # `class Foo` may be a line of C#, `a class above` a line of prose.
    return found["end"] is not None and found[1] != found[1].lower()
