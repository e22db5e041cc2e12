"""Which words of a command are options, values of options, and the rest.

Of each program only the options with a value of its own are known: what stands behind another one
is taken for what it seems.
"""

import re
from collections.abc import Sequence

from app.memory.name_tables import words
from app.memory.work_shell import ShellWord

_CLUSTER = re.compile(r"-[A-Za-z]{2,6}")
_WITH_VALUE = {
    "head": words("-n -c"),
    "tail": words("-n -c"),
    "bat": words("-r --line-range -l --language --style"),
    "rg": words(
        "-g -t -T -A -B -C -m -e -f -M -j -d --glob --iglob --type --type-not --max-count "
        "--max-depth --context --after-context --before-context --max-columns --threads --sort "
        "--regexp"
    ),
    "grep": words("-A -B -C -m -e -f --include --exclude --exclude-dir --regexp"),
    "fd": words("-e -t -d -E --extension --type --max-depth --exclude"),
    "tree": words("-L -I -P -o"),
    "install": words("-m -o -g -t"),
    "sed": words("-e -f"),
    "cp": words("-t"),
    "mv": words("-t"),
    "git": words("-m -s --source"),
    "perl": words("-e -i"),
}


def names_a_file(word: ShellWord) -> bool:
    """Whether a word may be a file's name: plain, no option, no device."""
    text = word.text
    return word.plain and bool(text) and not text.startswith(("-", "&", "/dev/"))


def paths_in(program: str, arguments: Sequence[ShellWord]) -> list[str]:
    """The plain words that are no options, nor options' values."""
    paths: list[str] = []
    valued = _WITH_VALUE.get(program, frozenset[str]())
    only_paths = skip = False
    for word in arguments:
        if skip:
            skip = False
        elif only_paths:
            if word.plain and word.text:
                paths.append(word.text)
        elif word.text == "--":
            only_paths = True
        elif word.text.startswith("-"):
            skip = _wants_value(word.text, valued)
        elif names_a_file(word):
            paths.append(word.text)
    return paths


def bare_words(program: str, arguments: Sequence[ShellWord]) -> list[ShellWord]:
    """The words that are no options, nor options' values, plain or not."""
    valued = _WITH_VALUE.get(program, frozenset[str]())
    kept: list[ShellWord] = []
    skip = False
    for word in arguments:
        if skip:
            skip = False
        elif word.text.startswith("-"):
            skip = _wants_value(word.text, valued)
        else:
            kept.append(word)
    return kept


def _wants_value(option: str, valued: frozenset[str]) -> bool:
    """Whether the next word is an option's value; of `-nA 3` it is the last letter's."""
    return option in valued or (
        _CLUSTER.fullmatch(option) is not None and f"-{option[-1]}" in valued
    )
