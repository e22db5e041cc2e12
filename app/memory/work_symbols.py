"""Functions and classes that a change stands in or defines, in any common language.

By tables of regular expressions a language (LIBRARIES, "Symbols in code and results"), as what is
given is a piece of a file, half a diff, broken perhaps. Only names are kept, never code.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from app.conversation.work import Action
from app.memory.name_tables import words

READ = 60_000
"""Characters of a text that are read."""

MOST = 30
"""Symbols that one change tells of."""

LONGEST_SYMBOL = 100
"""Characters; a longer one is left out."""

_PYTHON = words("py pyi pyx")
_SCRIPT = words("js mjs cjs jsx ts mts cts tsx vue svelte astro")
_BRACES = words("java kt kts scala cs c h cc cpp cxx hh hpp m mm swift dart php zig groovy proto")
_OTHER = words("go rs rb ex exs erl lua sh bash zsh fish ps1 pl pm r jl hs ml clj sol graphql")
_CODE = _PYTHON | _SCRIPT | _BRACES | _OTHER
_NAME = r"([A-Za-z_$][\w$]*)"

_PY = re.compile(rf"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+{_NAME}", re.MULTILINE)
_JS = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?"
    r"(?:(?:async[ \t]+)?function[ \t]*\*?|class|interface|enum|namespace|const[ \t]+enum)"
    rf"[ \t]+{_NAME}"
    rf"|^[ \t]*(?:export[ \t]+)?type[ \t]+{_NAME}[^=\n]{{0,100}}="
    rf"|^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+{_NAME}[^=\n]{{0,100}}="
    r"[ \t]*(?:async\b[ \t]*)?"
    r"(?:function\b|\([^\n]{0,200}\)[^\n=]{0,60}=>|\w+[ \t]*=>|\($|\([^)\n]{0,200}$|React\.|memo\()"
    r"|^[ \t]+(?:(?:public|private|protected|static|async|override|readonly|get|set)[ \t]+)*\*?"
    rf"#?{_NAME}[ \t]*(?:<[^>\n]{{0,60}}>)?\([^;\n]{{0,200}}\)[^;=\n(]{{0,80}}\{{[ \t]*(?:$|\}})",
    re.MULTILINE,
)
_JAVA = re.compile(
    r"^[ \t]*(?:[a-z]+[ \t]+){0,5}(?:class|interface|enum|record|struct|trait|object|protocol"
    r"|extension|union|namespace|@interface|actor|mixin|message|service)[ \t]+"
    rf"{_NAME}"
    r"|^[ \t]*(?:(?:[a-z]+|@\w+)[ \t]+){0,5}(?:fun|func|def|function|fn)[ \t]+"
    rf"(?:<[^>\n]{{0,60}}>[ \t]*)?(?:[\w.]+\.)?{_NAME}"
    # A type, then a name with brackets, then a body: a method, or a function of C.
    r"|^[ \t]*(?!return\b|else\b|new\b|throw\b|case\b|goto\b|await\b|using\b|delete\b|typedef\b)"
    r"(?:@\w+[ \t]+)?(?:[\w:<>\[\],.?*&~]+[ \t]+){1,6}[*&]*(?:[\w~]+::)*"
    rf"{_NAME}[ \t]*\([^;{{}}\n]{{0,300}}(?:\)[^;{{}}\n=]{{0,100}}(?:\{{|$)|,$)",
    re.MULTILINE,
)
_OTHERS = re.compile(
    # Go, Rust
    r"^[ \t]*(?:pub(?:\([^)\n]{0,40}\))?[ \t]+)?"
    r"(?:(?:async|const|unsafe|default|extern(?:[ \t]+\"C\")?)[ \t]+){0,4}"
    r"(?:fn|struct|enum|trait|union|mod|macro_rules!)[ \t]+"
    rf"{_NAME}"
    rf"|^func[ \t]+(?:\([^)\n]{{0,80}}\)[ \t]*)?{_NAME}"
    rf"|^[ \t]*(?:pub(?:\([^)\n]{{0,40}}\))?[ \t]+)?type[ \t]+{_NAME}"
    rf"|^impl(?:<[^>\n]{{0,60}}>)?[ \t]+(?:[\w:<>, ]{{1,80}}[ \t]for[ \t]+)?{_NAME}"
    # Ruby, Elixir, Lua, shells, Perl, Julia, R, Solidity, GraphQL
    r"|^[ \t]*(?:(?:local|private|export)[ \t]+)?"
    r"(?:defp?|defmodule|defmacro|module|class|function|sub|macro|contract"
    r"|library|input|interface|filter)[ \t]+(?:self\.|[\w.]+[.:])?"
    rf"{_NAME}[?!]?"
    rf"|^[ \t]*{_NAME}[ \t]*\(\)[ \t]*\{{?[ \t]*$"
    rf"|^{_NAME}[ \t]*(?:<-|=)[ \t]*function\b"
    rf"|^\(defn?-?[ \t]+{_NAME}",
    re.MULTILINE,
)
_NO_NAMES = words(
    "if for while switch catch return else do try with function def class match elif except new "
    "sizeof typeof await assert when until unless super this self constructor print main_ foreach "
    "lock using fixed delete throw raise yield in is of as"
)
_DUNDER = re.compile(r"__\w+__")
_INDENT = re.compile(r"[ \t]*")


class SymbolTouch(NamedTuple):
    """A symbol that a change touched."""

    name: str
    action: Action


def is_code(path: str) -> bool:
    """Whether a file of this name holds functions and classes."""
    return _extension(path) in _CODE


def defined_in(text: str, path: str) -> tuple[str, ...]:
    """The functions and classes that a piece of code defines, each once, in order.

    Args:
        text: code; `READ` characters are read.
        path: of the file, whose extension tells the language.
    """
    found = (name for _, name in _definitions(text[:READ], path))
    return tuple(dict.fromkeys(found))


def symbols_changed(
    path: str, *, old: str = "", new: str = "", heads: Iterable[str] = ()
) -> tuple[SymbolTouch, ...]:
    """The functions and classes that an edit defines, removes or stands in; at most `MOST`.

    Args:
        path: of the file.
        old: what was there; "" with a new file's content in `new`.
        new: what is there now; NUL lines in both part passages of a patch.
        heads: what a patch says where its passages stand.
    """
    if not is_code(path):
        return ()
    found: dict[str, Action] = {}
    for head in heads:
        for name in _in_head(head, path):
            found.setdefault(name, "edited")
    olds, news = old[:READ].split("\0"), new[:READ].split("\0")
    for before, after in zip(olds, news, strict=False):
        for touch in _in_passage(path, before, after):
            # Removed here and put there: it was moved.
            if found.get(touch.name, touch.action) != touch.action:
                found[touch.name] = "edited"
            else:
                found[touch.name] = touch.action
    return tuple(SymbolTouch(name, action) for name, action in [*found.items()][:MOST])


def _in_head(head: str, path: str) -> Iterator[str]:
    line = head.strip()
    names = [name for _, name in _definitions(line, path)]
    # A method's head may be cut off behind its arguments.
    yield from names or [name for _, name in _definitions(f"{line} {{", path)]


def _in_passage(path: str, old: str, new: str) -> Iterator[SymbolTouch]:
    before, after = old.splitlines(), new.splitlines()
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    end = 0
    most = min(len(before), len(after)) - same
    while end < most and before[-1 - end] == after[-1 - end]:
        end += 1
    if len(before) == len(after) == same:
        return
    gone = _names("\n".join(before[same : len(before) - end]), path)
    come = _names("\n".join(after[same : len(after) - end]), path)
    for name in _around(after, same, path) or _around(before, same, path):
        if name not in gone and name not in come:
            yield SymbolTouch(name, "edited")
    for name in come:
        yield SymbolTouch(name, "edited" if name in gone else "created")
    for name in gone:
        if name not in come:
            yield SymbolTouch(name, "deleted")


def _names(text: str, path: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for _, name in _definitions(text, path)))


def _around(lines: list[str], at: int, path: str) -> list[str]:
    """The definitions above a line that it stands in: each less indented than what follows."""
    text = "\n".join(lines[:at])
    if not text:
        return []
    here = next((line for line in lines[at:] if line.strip()), "")
    indent = _indent(here) if here else 1 << 20
    around: list[str] = []
    for start, name in reversed(_definitions(text, path)):
        found = _INDENT.match(text, start)
        width = len(found[0].expandtabs(4)) if found else 0
        if width < indent:
            indent = width
            around.append(name)
    return around[::-1]


def _indent(line: str) -> int:
    found = _INDENT.match(line)
    return len(found[0].expandtabs(4)) if found else 0


def _definitions(text: str, path: str) -> list[tuple[int, str]]:
    """Where each definition begins, and its name."""
    extension = _extension(path)
    if extension in _PYTHON:
        rule = _PY
    elif extension in _SCRIPT:
        rule = _JS
    elif extension in _BRACES:
        rule = _JAVA
    elif extension in _OTHER:
        rule = _OTHERS
    else:
        return []
    found: list[tuple[int, str]] = []
    for one in rule.finditer(text):
        name = one[one.lastindex or 0]
        if (
            (rule is _PY or name not in _NO_NAMES)
            and not _DUNDER.fullmatch(name)
            and len(name) <= LONGEST_SYMBOL
        ):
            found.append((one.start(), name))
    return found


def _extension(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()
