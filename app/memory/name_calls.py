"""Names in a tool call's arguments, and what kind of work the call does.

What an agent says in arguments is told apart: paths, commands, patterns and other short strings
*name* things, the text of a file that is written merely *holds* names (NAMES 4.1 "argbody").
Works with any tool: Haima's own, those of MCP servers, those of recorded sessions.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from app.memory.name_commands import command_of, program_of
from app.memory.name_paths import path_of
from app.memory.name_tables import (
    BESIDE,
    COMMAND_KEYS,
    EDITS,
    LISTING,
    LISTS,
    PATH_KEYS,
    READING,
    READS,
    RUNS,
    SEARCHES,
    SEARCHING,
)
from app.memory.names import SCANNED, Found, Name, names_in

Work = Literal["list", "grep", "read", "shell", "edit", "other", "body"]
"""What held a name last (NAMES 4.1): the result of a tool that lists, searches, reads, runs, edits
or does something else; `body`: the inside of a long argument."""

SHORT = 400
"""Characters; a longer string holds names, it doesn't name (a judgement: the longest command lines
and questions are shorter, nearly every file is longer)."""

_DEEPEST, _MOST = 8, 200
"""Levels of nesting, strings of a call: more are made by nobody."""

_PATCHED = re.compile(
    r"^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ (?:b/)?)(\S[^\n]{0,299})$",
    re.MULTILINE,
)
_HUMPS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

_BY_TOOL: tuple[tuple[Work, frozenset[str]], ...] = (
    ("other", BESIDE),
    ("edit", EDITS),
    ("shell", RUNS),
    ("list", LISTS),
    ("grep", SEARCHES),
    ("read", READS),
)
_BY_PROGRAM: dict[str, Work] = {
    **dict.fromkeys(LISTING, "list"),
    **dict.fromkeys(SEARCHING, "grep"),
    **dict.fromkeys(READING, "read"),
}


@dataclass(frozen=True, slots=True)
class CallNames:
    """What a call's arguments hold.

    Attributes:
        named: what the agent named.
        held: what stands in long arguments besides.
        work: what the call does, so what its result is.
        program: the program a shell command runs; "" for none.
    """

    named: tuple[Found, ...]
    held: tuple[Found, ...]
    work: Work
    program: str


def names_in_call(
    tool: str, arguments: str, *, root: str = "", programs: Iterable[str] = ()
) -> CallNames:
    """The names in a call's arguments. Never fails: what is no JSON object is read as text.

    Args:
        tool: the tool's name, perhaps invented by the model.
        arguments: as the model sent them; of what they name, and of what they hold, about
            `SCANNED` characters are read.
        root: as for `names_in`.
        programs: as for `names_in`.
    """
    by_tool = _work(tool)
    named, held, program = _Taken(root, programs), _Taken(root, programs), ""
    # Short strings first: a long one may use up what is read, and it only holds names.
    for key, text in sorted(_strings(arguments), key=lambda one: len(one[1]) > SHORT):
        if key in PATH_KEYS:
            named.path(text)
        elif key in COMMAND_KEYS and by_tool != "edit":
            if command := command_of(text):
                named.add(Found(Name("command", command)))
                program = program_of(command)
            line, _, script = text.partition("<<")
            named.text(line)
            held.text(script)
        elif len(text) <= SHORT:
            named.text(text)
        else:
            for head in _PATCHED.findall(text[:SCANNED]):
                named.path(head)
            held.text(text)
    work = _BY_PROGRAM.get(program, "shell") if by_tool == "shell" else by_tool
    return CallNames(
        named.found(), tuple(one for one in held.found() if one.name not in named), work, program
    )


class _Taken:
    """Names out of several strings, of which about `SCANNED` characters are read in all."""

    def __init__(self, root: str, programs: Iterable[str]) -> None:
        self._root, self._programs = root, programs
        self._left = SCANNED
        self._counts: Counter[Name] = Counter()
        self._defined: set[Name] = set()

    def __contains__(self, name: Name) -> bool:
        return name in self._counts

    def add(self, found: Found) -> None:
        self._counts[found.name] += found.count
        if found.defined:
            self._defined.add(found.name)

    def path(self, text: str) -> None:
        """A string that is a path."""
        path = path_of(text.strip(), self._root, given=True)
        if path is not None:
            self.add(Found(Name("path", path)))

    def text(self, text: str) -> None:
        """Any string."""
        if self._left > 0:
            for found in names_in(text, root=self._root, programs=self._programs, limit=self._left):
                self.add(found)
            self._left -= len(text)

    def found(self) -> tuple[Found, ...]:
        return tuple(
            Found(name, count, name in self._defined) for name, count in self._counts.items()
        )


def _work(tool: str) -> Work:
    """What a tool does, by the words of its name."""
    words = {word.lower() for word in _HUMPS.findall(tool[:80])}
    for work, known in _BY_TOOL:
        if words & known:
            return work
    return "other"


def _strings(arguments: str) -> Iterator[tuple[str, str]]:
    """The strings in arguments with the key they stand under, in order."""
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        given = arguments
    if not isinstance(given, dict):
        yield "", arguments
        return
    left = _MOST
    stack: list[tuple[str, object, int]] = [("", given, 0)]
    while stack and left:
        key, value, depth = stack.pop()
        if isinstance(value, str):
            left -= 1
            yield key, value
        elif depth < _DEEPEST:
            if isinstance(value, dict):
                inner = [(str(name).lower(), one, depth + 1) for name, one in value.items()]
                stack.extend(reversed(inner))
            elif isinstance(value, list):
                stack.extend(_listed(key, value, depth + 1))


def _listed(key: str, values: list[object], depth: int) -> list[tuple[str, object, int]]:
    """A list's values, the last first; a command given in words is one string."""
    if key in COMMAND_KEYS and values and all(isinstance(value, str) for value in values):
        words = [str(value) for value in values]
        # `bash -lc "…"`: the last word is the command.
        through_shell = len(words) > 2 and words[1] in {"-c", "-lc"}
        return [(key, words[-1] if through_shell else " ".join(words), depth)]
    return [(key, value, depth) for value in reversed(values[:_MOST])]
