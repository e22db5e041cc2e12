"""Commands that only look at the project: "always" covers such a program with any arguments.

Like `command_words.prefix` this decides what may run unasked, so it fails closed: what might write,
run something, leave the project, or become another word in the shell is asked about as before.
"""

import os.path
import re
from pathlib import Path, PurePosixPath

from app.tools.command_words import Word, names, plain_words, simple_commands

READERS = frozenset(names("ls cat head tail wc file stat tree rg grep find"))
"""Programs that neither write nor run anything, but for `_BEYOND`."""

_BEYOND = {
    # What writes, runs a program, or takes the files' names from elsewhere; GNU programs take the
    # beginning of a long option for the whole.
    "find": re.compile(r"-(exec|ok|delete|fprint|fls|files0)"),
    "rg": re.compile(r"--(pre|hostname|search-z)|-[a-zA-Z]*z"),
    "tree": re.compile(r"--?o|-[a-zA-Z]*[oR]|--fromf|--fromt"),
    "file": re.compile(r"--(c|u|f)|-[a-zA-Z]*[CfzZ]"),
    "wc": re.compile(r"--f"),
}
_QUOTED = re.compile(r"'[^']*'|\"[^\"\\]*\"")
_WILD = re.compile(r"[*?\[]")


def reader_of(command: str, root: Path) -> str:
    """The program of a command that only reads within the project; "" for any other command.

    Args:
        command: one that would run in the root.
        root: the project's.
    """
    words = plain_words(command)
    if not words or words[0] not in READERS:  # not `./cat`, which may be anything
        return ""
    found = list(simple_commands(command))
    if len(found) != 1 or tuple(word.text for word in found[0].words) != words:
        return ""
    program, *arguments = found[0].words
    beyond = _BEYOND.get(program.text)
    for word in arguments:
        if beyond is not None and beyond.match(word.text):
            return ""
        if _expands(word, command[word.start : word.end]) or not _is_inside(word.text, root):
            return ""
    return program.text


def _expands(word: Word, written: str) -> bool:
    """Whether the shell may make an option of a word that is none, or a place elsewhere."""
    if "$" in word.text or "\\" in written:
        return True
    bare = _QUOTED.sub("", written)
    if "{" in bare or written.startswith("~"):
        return True
    if not _WILD.search(bare):
        return False
    return not (word.text[0].isalnum() or word.text[0] in "./_")


def _is_inside(text: str, root: Path) -> bool:
    """Whether a word names nothing outside the project, links followed, whatever else it means."""
    if text.startswith("-"):
        option, _, text = text.partition("=")
        if "/" in option:  # a file right behind its letter
            return False
        if not text:
            return True
    if text.startswith("~"):
        return False
    place = os.path.realpath(f"{root}/{text}" if not text.startswith("/") else text)
    return PurePosixPath(place).is_relative_to(os.path.realpath(root))
