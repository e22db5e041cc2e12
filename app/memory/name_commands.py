"""Commands as names: the program and what it is told to do (`npm test`, `python -m pytest`).

NAMES 4.1. A command is two words whose first is a program that was run in this session or is one
of those that every project has; where it surely stands as a command (after a backtick, `$ ` or four
spaces), the program alone is one too. After a backtick or `$ ` it may be any program, unless the
backtick opens a text of a program or the words are classes of a style sheet.
"""

import re
from collections.abc import Iterable, Iterator

from app.memory.name_paths import RUN
from app.memory.name_tables import BEFORE, DOES, NO_PROGRAMS, PROGRAMS, RUN_SCRIPTS, STOP, words

_SECOND = re.compile(r"[A-Za-z][A-Za-z0-9_:.-]{0,39}(?![A-Za-z0-9_/=(])")
_QUOTED = re.compile(r"`([a-z][a-z0-9_.-]{1,30}) ([a-z][A-Za-z0-9_:.-]{1,39})(?=[` ])")
_PROMPTED = re.compile(r"\$ ([a-z][a-z0-9_.-]{1,30}) ([a-z][A-Za-z0-9_:.-]{1,39})(?=[` \n]|\Z)")
_TEMPLATE = re.compile(r"(?:[={+\w]|[=?+>]\s+|\breturn\s+)\(?\Z|\w\(\Z")
"""What stands before a backtick that opens a text in a program, not a command in prose."""
_CLASSES = (
    r"(?:[a-z]{1,10}:)*-?(?:bg|text|font|border|rounded|flex|grid|items|justify|gap|space|leading"
    r"|tracking|[wh]|[pm][xytrbl]?)-[a-z0-9\[][a-z0-9.\[\]/-]*"
)
_STYLED = re.compile(
    rf"{_CLASSES} .*|[a-z-]+ {_CLASSES}"
    r"|(?:flex|grid|block|inline-flex|inline-block|hidden|relative|absolute|fixed|sticky|border"
    r"|rounded|truncate) (?:[a-z]+-.*|flex|grid|block|hidden|relative|absolute)"
)
"""Classes of a style sheet: `w-4 h-4`, `flex items-center`, `btn-primary text-xs`."""
_CODE = words(
    "const let var from import package static public private async await def fn func type class "
    "interface nil null none no not or and bad unknown switch new throw"
)
"""Words that begin a line of a program, or a remark, rather than a command."""
_PROGRAM = re.compile(r"(?:\./)?[A-Za-z0-9_][A-Za-z0-9_.+-]{1,39}")
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_BREAK = re.compile(r"&&|\|\||[;\n]")
_NAME_CHARACTER = re.compile(f"[{RUN}]")
_SHORTEST = 3
"""Characters of a program that alone is a name: `go` would stand everywhere."""
_CALL = 2_000
"""Characters of a command that are looked at for its program; a script may follow."""


def command_of(command: str) -> str | None:
    """What a shell command runs, in one to three words; None if nothing tells.

    Changes of folder, assignments and programs that run another are passed over.
    """
    for piece in _BREAK.split(command[:_CALL]):
        words = piece.replace("(", " ").split()
        while words and (
            _ASSIGNED.match(words[0])
            or words[0] in BEFORE
            or words[0].startswith("-")
            or words[0].isdigit()
        ):
            words.pop(0)
        if not words or words[0] in NO_PROGRAMS or not _PROGRAM.fullmatch(words[0]):
            continue
        return _named(words[0], words[1:3], prose=False)
    return None


def program_of(command: str) -> str:
    """The first word of what `command_of` gave."""
    return command.partition(" ")[0]


def commands_in(text: str, programs: Iterable[str]) -> Iterator[str]:
    """Commands that a text names, each occurrence; linear in text and programs.

    Args:
        text: any text.
        programs: those that were run in this session; `PROGRAMS` are looked for besides.
    """
    known = PROGRAMS.union(programs)
    for shown in (_QUOTED, _PROMPTED):
        for found in shown.finditer(text):
            program, second = found.groups()
            if program in known or program in NO_PROGRAMS or program in _CODE or second in STOP:
                continue
            if shown is _QUOTED and _is_text(text, found.start(), f"{program} {second}"):
                continue
            yield f"{program} {second.rstrip('.:-')}"
    for program in sorted(known):
        at = text.find(program)
        while at >= 0:
            end = at + len(program)
            apart = not (at and _NAME_CHARACTER.match(text[at - 1]))
            # `python -m pytest` is one command.
            if apart and text[max(0, at - 3) : at] != "-m ":
                command = _at(text, program, at, end)
                if command is not None:
                    yield command
            at = text.find(program, end)


def _is_text(text: str, start: int, words: str) -> bool:
    """Whether two words behind a backtick are a program's text, or style classes."""
    before = text[max(0, start - 12) : start].rpartition("\n")[2]
    return _TEMPLATE.search(before) is not None or _STYLED.fullmatch(words) is not None


def _at(text: str, program: str, start: int, end: int) -> str | None:
    """The command whose program stands in the text from `start` to `end`."""
    follows = text[end : end + 1]
    before = text[max(0, start - 2) : start]
    # Two backticks and more open a block; its first word is a language.
    surely = before == "$ " or (before[-1:] == "`" and before != "``")
    if not surely and text[max(0, start - 4) : start] == "    ":
        surely = start == 4 or text[start - 5 : start - 4] == "\n"
    if follows == " ":
        words = text[end + 1 : end + 90].partition("\n")[0].split(" ", 2)[:2]
        command = _named(program, words)
        if " " in command:
            return command if surely or _plausible(program, command.split(" ")[1]) else None
        # A program alone, then prose: nothing was named.
        surely = surely and words[0][:1] in {"-", ".", "/", "~"}
        return program if surely and len(program) >= _SHORTEST else None
    surely = surely and follows in {"`", "\n", ""}
    return program if surely and len(program) >= _SHORTEST else None


def _plausible(program: str, word: str) -> bool:
    """Whether a program and the word behind it are a command where prose may stand too."""
    if program in RUN_SCRIPTS:
        return word == "-m" or "." in word
    return program not in DOES or word in DOES[program]


def _named(program: str, words: list[str], *, prose: bool = True) -> str:
    """The program with the word that says what it does, if there is one.

    Args:
        program: its name.
        words: the next two.
        prose: it may be a sentence (`go to`); what was run is none (`bd where`, `make all`).
    """
    if words[:1] == ["-m"] and len(words) > 1 and (module := _SECOND.match(words[1])):
        return f"{program} -m {module[0].rstrip('.:')}"
    second = _SECOND.match(words[0]) if words else None
    if second is None or (prose and second[0].lower() in STOP):
        return program
    return f"{program} {second[0].rstrip('.:-')}"
