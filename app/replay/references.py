"""What the agent's next calls need of what stood before: paths, symbols, commands (REPLAY).

A reference is an identifier in a recorded call's arguments that stood somewhere earlier. A path
counts as there as it is written, or by its tail of two or more components; below the project's root
also as it is written from there. In arguments it may be escaped as JSON is.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

from app.conversation.arguments import arguments_of
from app.conversation.messages import Message, ToolCall
from app.conversation.wire import to_wire
from app.memory.name_calls import names_in_call
from app.memory.name_commands import command_of
from app.memory.name_paths import path_of
from app.memory.name_tables import COMMAND_KEYS, PATH_KEYS
from app.memory.names import names_in
from app.replay.counting import said_by

RefKind = Literal["path", "symbol", "command"]

FAR = 30
"""Messages since it was last named, over which a reference is far (REPLAY)."""

_PATHS = PATH_KEYS - {"cwd", "root", "workdir"}
"""Arguments that name a file or folder; where a command runs is said with every call."""

_PATTERNS = frozenset({"pattern", "query", "search_term", "regex", "symbol", "search"})
_PATCHES = frozenset({"input", "patch", "diff"})
_REPLACED = frozenset({"old_string", "oldtext", "old_str", "to_replace", "old"})
"""Arguments, in lower case, that hold what a search, a patch or an edit names."""

_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.M)
_HUNK = re.compile(r"^@@ .*", re.M)
_DEFINED = re.compile(
    r"\b(?:def|class|func|function|fn|interface|type|struct|enum|trait|record)[ \t]+"
    r"(?:\([^)\n]{0,60}\)[ \t]*)?([A-Za-z_]\w{3,59})"
)
_SEARCHED = re.compile(r"\b(?:grep|rg|ag)\b[^|;&\n]{0,200}")
_WORKPLACE = re.compile(
    r"^(?:~|/(?:Users|home)/[^/]+|/workspace|/testbed|/private/tmp|/tmp)(?:/|$)"
)
"""What stands before a path on every machine in another way."""

_DRIVE = re.compile(r"^[A-Za-z]:(?=[\\/])")

_LINE = 1_500
"""Characters of a command that are read; what a script holds isn't named."""

_REPLACED_READ = 6_000
_SHORTEST, _SHORTEST_PATH, _LONGEST = 3, 4, 300
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Identifier:
    """A path, symbol or command.

    Attributes:
        kind: which.
        forms: texts by any of which it counts as there; the first is how it was written.
    """

    kind: RefKind
    forms: tuple[str, ...]
    _least: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Looks only for what is part of no other form: where a longer one stands, it stands."""
        spelt = (*self.forms, *(one for form in self.forms for one in _escaped(form)))
        object.__setattr__(self, "_least", least(spelt))

    def stands_in(self, text: str) -> bool:
        """Whether a text names it."""
        return any(form in text for form in self._least)

    def places(self, text: str, starts: Sequence[int]) -> list[int]:
        """In which of the pieces of a text it stands.

        Args:
            text: all of it, a line end behind each piece.
            starts: where each piece begins.
        """
        found: set[int] = set()
        for form in self._least:
            at = text.find(form)
            while at >= 0:
                piece = bisect_right(starts, at) - 1
                end = starts[piece + 1] if piece + 1 < len(starts) else len(text)
                inside = at + len(form) < end
                if inside:
                    found.add(piece)
                at = text.find(form, end if inside else at + 1)
        return sorted(found)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a step needs.

    Attributes:
        identifier: what.
        far: it was last named long ago.
        touched: the agent or the user had named it, not merely a result.
    """

    identifier: Identifier
    far: bool
    touched: bool


def identifiers(call: ToolCall, root: str = "") -> tuple[Identifier, ...]:
    """What a call's arguments name, each once.

    Args:
        call: the call.
        root: the project's folder; "" where it isn't known.
    """
    found: dict[Identifier, None] = {}
    edits = names_in_call(call.name, "{}").work == "edit"
    for key, text in _strings("", arguments_of(call.arguments), 0):
        kept: Iterable[Identifier]
        if key in _PATHS:
            kept = _paths([text.strip()], root)
        elif key in COMMAND_KEYS:
            kept = () if edits else _of_command(text, root)
        elif key in _PATTERNS:
            kept = _symbols(text)
        elif key in _PATCHES:
            hunks = "\n".join(_HUNK.findall(text))
            kept = (*_paths(_patched(text), root), *_defined(hunks))
        elif key in _REPLACED:
            kept = _defined(text[:_REPLACED_READ])
        else:
            kept = ()
        found.update(dict.fromkeys(kept))
    return tuple(found)


def references(messages: Sequence[Message], root: str = "") -> tuple[tuple[Reference, ...], ...]:
    """For each message of the agent what its calls need that stood before it, in order.

    It reads the whole session once for each identifier: half a second for a megabyte, four for
    five.

    Args:
        messages: a recording's.
        root: the project's folder.
    """
    texts = [f"{said_by(to_wire((message,))[0])}\n" for message in messages]
    text, starts = "".join(texts), [0, *accumulate(map(len, texts))][:-1]
    steps = [
        (at, tuple(dict.fromkeys(one for call in m.calls for one in identifiers(call, root))))
        for at, m in enumerate(messages)
        if m.role == "assistant"
    ]
    places: dict[Identifier, list[int]] = {}
    own: dict[Identifier, int] = {}
    for identifier in {one for _, found in steps for one in found}:
        there = places[identifier] = identifier.places(text, starts)
        named = (at for at in there if messages[at].role in {"assistant", "user"})
        own[identifier] = next(named, len(messages))
    needed = []
    for at, found in steps:
        kept = []
        for identifier in found:
            last = bisect_left(places[identifier], at) - 1
            if last >= 0:
                far = at - places[identifier][last] > FAR
                kept.append(Reference(identifier, far, own[identifier] < at))
        needed.append(tuple(kept))
    return tuple(needed)


def forms_of(path: str, root: str = "") -> tuple[str, ...]:
    """The texts by which a path counts as there."""
    plain = path.removeprefix("./")
    forms = [path, plain]
    windows = "\\" in plain or _DRIVE.match(plain) or _DRIVE.match(root)
    if windows:
        plain, root = plain.replace("\\", "/"), root.replace("\\", "/")
        forms.append(plain)
    if plain.startswith(("/", "~")) or _DRIVE.match(plain):
        if root and plain.startswith(f"{root}/"):
            forms.append(plain.removeprefix(f"{root}/"))
        parts = [part for part in _WORKPLACE.sub("", _DRIVE.sub("", plain)).split("/") if part]
        forms += ["/".join(parts[at:]) for at in range(1, len(parts) - 1)]
        if len(parts) >= 2:
            forms.append("/".join(parts[-2:]))
    if windows:
        forms += [form.replace("/", "\\") for form in forms]
    return tuple(dict.fromkeys(form for form in forms if len(form) >= _SHORTEST_PATH))


def _escaped(text: str) -> Iterator[str]:
    """How a text may stand in JSON, where that is another way."""
    if not text.isascii() or "\\" in text or '"' in text:
        yield json.dumps(text)[1:-1]
        yield json.dumps(text, ensure_ascii=False)[1:-1]


def least(forms: Iterable[str]) -> tuple[str, ...]:
    """Those of some texts that hold no other of them: a text has one of all if one of these."""
    kept: list[str] = []
    for form in sorted(dict.fromkeys(forms), key=len):
        if not any(shorter in form for shorter in kept):
            kept.append(form)
    return tuple(kept)


def _of_command(text: str, root: str) -> tuple[Identifier, ...]:
    """What a shell command names: itself, paths, and symbols that it searches for."""
    line = text.partition("<<")[0][:_LINE]
    named = command_of(text)
    command = () if named is None or len(named) < _SHORTEST else (named,)
    paths = [one.name.text for one in names_in(line) if one.name.kind == "path"]
    return (
        *(Identifier("command", (one,)) for one in command),
        *_paths([*paths, *_patched(text)], root),
        *_symbols("\n".join(_SEARCHED.findall(line))),
    )


def _paths(texts: Sequence[str], root: str) -> Iterator[Identifier]:
    for text in texts:
        path = path_of(text.strip("\"'`"), "", given=True)
        named = path is not None and len(path) <= _LONGEST and ("/" in path or "." in path)
        forms = forms_of(path, root) if path is not None and named else ()
        if forms:
            yield Identifier("path", forms)


def _symbols(text: str) -> Iterator[Identifier]:
    """The symbols of a text."""
    for found in names_in(text):
        if found.name.kind == "symbol":
            yield Identifier("symbol", (found.name.text,))


def _defined(text: str) -> Iterator[Identifier]:
    """The functions and classes that a text defines."""
    for name in dict.fromkeys(_DEFINED.findall(text)):
        yield Identifier("symbol", (name,))


def _patched(text: str) -> list[str]:
    return [(first or second).strip() for first, second in _PATCHED.findall(text)]


def _strings(key: str, value: object, depth: int) -> Iterator[tuple[str, str]]:
    """The strings of arguments, with the key they stand under in lower case."""
    if isinstance(value, str):
        if value:
            yield key, value
    elif isinstance(value, dict) and depth < _DEEPEST:
        for name, inner in value.items():
            yield from _strings(str(name).lower(), inner, depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        if key in COMMAND_KEYS and value and all(isinstance(one, str) for one in value):
            through_shell = len(value) > 2 and value[1] in {"-c", "-lc"}
            yield key, value[-1] if through_shell else " ".join(value)
            return
        for inner in value[:20]:
            yield from _strings(key, inner, depth + 1)
