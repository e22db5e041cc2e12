"""The `/commands`: which there are, and what a typed line means.

`parse` decides whether a line is a prompt for the model or a command for Haima. A `/word` that is
no command never reaches the model (DESIGN 3.1); a path such as `/usr/bin` at the start is text.
"""

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from app.conversation.truncate import clip
from app.text import Key, Words

_OPENERS = "/／"
_IDEOGRAPHIC_COMMA = "、"
"""What an idle Chinese input method gives for the `/` key (STYLE 8, IME rule 3)."""


_LONGEST_WORD = 24
"""Characters of what is no command that a message about it repeats."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        name: without the slash.
        help: the key of its help line.
        aliases: other names.
        hint: the key of what its argument is, in brackets; None: it takes none.
        choices: what its argument may be, in any case of letters; empty: anything.
    """

    name: str
    help: Key
    aliases: tuple[str, ...] = ()
    hint: Key | None = None
    choices: tuple[str, ...] = ()


COMMANDS: tuple[Command, ...] = (
    Command("help", "command.help"),
    Command("clear", "command.clear"),
    Command("undo", "command.undo"),
    Command("pin", "command.pin"),
    Command("save", "command.save", hint="command.save_hint"),
    Command("memory", "command.memory", aliases=("mem",), hint="command.memory_hint"),
    Command("todo", "command.todo", hint="command.todo_hint"),
    Command("history", "command.history"),
    Command("resume", "command.resume", hint="command.resume_hint"),
    Command("fork", "command.fork"),
    Command("model", "command.model", hint="command.model_hint"),
    Command("compact", "command.compact", hint="command.compact_hint"),
    Command("preview", "command.preview", hint="command.compact_hint"),
    Command("context", "command.context", aliases=("ctx",)),
    Command("window", "command.window", hint="command.window_hint"),
    Command("usage", "command.usage", aliases=("cost",)),
    Command(
        "theme",
        "command.theme",
        hint="command.theme_hint",
        choices=("auto", "dark", "light"),
    ),
    Command("export", "command.export"),
    Command("quit", "command.quit", aliases=("exit",)),
)
"""Every command that works, in the order the completion lists them."""

_BY_NAME = {name: command for command in COMMANDS for name in (command.name, *command.aliases)}


@dataclass(frozen=True, slots=True)
class Prompt:
    """Text for the model, as it was typed."""

    text: str


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command to run; `argument` is "" where none was given."""

    command: Command
    argument: str = ""


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """A line that looks like a command and can't be run; it isn't sent.

    Attributes:
        word: what was typed, with its slash.
        problem: no such command, an argument it doesn't take, or one it doesn't know.
        command: the command, where that much was right.
        suggestions: names that may have been meant, without the slash, best first.
    """

    word: str
    problem: Literal["unknown", "argument", "choice"]
    command: Command | None = None
    suggestions: tuple[str, ...] = ()

    def sentence(self, words: Words) -> str:
        """What is wrong and what to do, in one or two sentences.

        Chinese has no spaces, so the first word may be all that was typed: its end is cut.
        """
        word = clip(self.word, _LONGEST_WORD)
        if self.command is not None and self.problem == "argument":
            return words("command.no_argument", command=f"/{self.command.name}", given=word)
        if self.command is not None and self.problem == "choice":
            choices = ", ".join(self.command.choices)
            return words("command.bad_choice", command=f"/{self.command.name}", choices=choices)
        if self.suggestions:
            names = words("command.or").join(f"/{name}" for name in self.suggestions)
            return words("command.unknown_near", word=word, names=names)
        return words("command.unknown", word=word)


def parse(line: str) -> Prompt | CommandLine | UnknownCommand:
    """What a typed line is; names are found in any case and in full width.

    A first word with a second slash, a dot or a backslash in it is a path, one that doesn't begin
    with a letter (`/*`, `/5`) is text. After `、` only Latin letters make a command.
    """
    stripped = line.strip()
    if not stripped or stripped[0] not in _OPENERS + _IDEOGRAPHIC_COMMA:
        return Prompt(line)
    first, argument = _split(stripped)
    name = unicodedata.normalize("NFKC", first[1:]).casefold()
    if stripped[0] == _IDEOGRAPHIC_COMMA and not re.match(r"[a-z]|\Z", name):
        return Prompt(line)
    if name and (not name[0].isalpha() or re.search(r"[/\\.]", name)):
        return Prompt(line)
    command = _BY_NAME.get(name)
    if command is None:
        return UnknownCommand(first, "unknown", suggestions=_near(name))
    if argument and command.hint is None:
        return UnknownCommand(argument, "argument", command)
    if argument and command.choices:
        argument = unicodedata.normalize("NFKC", argument).casefold()
        if argument not in command.choices:
            return UnknownCommand(argument, "choice", command)
    return CommandLine(command, argument)


def compact_focus(line: str) -> str | None:
    """What `/compact` is to dwell on, "" for nothing; None: the line is something else."""
    match parse(line):
        case CommandLine(command=command, argument=argument) if command.name == "compact":
            return argument
        case _:
            return None


def completions(text: str) -> tuple[Command, ...]:
    """The commands a half-typed first word may become; empty when it isn't one.

    Names that begin with it come first, then those that merely hold it.
    """
    if not text or text[0] not in _OPENERS + _IDEOGRAPHIC_COMMA or text != text.rstrip():
        return ()
    first, rest = _split(text)
    if rest:
        return ()
    name = unicodedata.normalize("NFKC", first[1:]).casefold()
    begins = [c for c in COMMANDS if any(n.startswith(name) for n in (c.name, *c.aliases))]
    return (*begins, *(c for c in COMMANDS if c not in begins and name in c.name))


def _split(line: str) -> tuple[str, str]:
    first, _, rest = line.partition(next((c for c in line if c.isspace()), "\n"))
    return first, rest.strip()


def _near(name: str) -> tuple[str, ...]:
    if not name:
        return ()
    begins = [known for known in _BY_NAME if known.startswith(name)]
    close = get_close_matches(name, _BY_NAME, n=3, cutoff=0.6)
    names = dict.fromkeys(_BY_NAME[known].name for known in (*begins, *close))
    return tuple(names)[:3]
