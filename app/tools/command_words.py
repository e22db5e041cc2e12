"""Reads a shell command far enough to say what "always" may cover, and which programs it names.

Two readers with opposite duties. `prefix` decides what may run unasked, so it fails closed: a
command it isn't sure of has no prefix. `simple_commands` looks for risks to show, so it is
lenient: it reads what it can and never fails. A shell can hide anything from both; neither is a
fence, the user's look at the command is.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

# `(` and `{` in expansions are beyond the settled list: `$(` hides in both, and `( rm … )` is a
# compound command as well.
_COMPOUND = re.compile(r"[;&|><`\n\r()]|\$['\"({\[]")


def names(text: str) -> tuple[str, ...]:
    """Names of programs, written in one line."""
    return tuple(text.split())


OPEN_ENDED = frozenset(
    names(
        "bash sh zsh dash ksh fish csh tcsh eval exec source . env sudo doas su pkexec xargs nohup "
        "time timeout nice ionice stdbuf setsid watch command builtin coproc trap ssh parallel "
        "find python python3 node deno bun perl ruby php lua ! { [[ if while until for case"
    )
)
"""Programs that run whatever their arguments say, so two words don't tell what is allowed.

Interpreters with a script as second word do (`python build.py`); see `prefix`.
"""

_INTERPRETERS = frozenset(names("python python3 node deno bun perl ruby php lua"))
_OPTIONS_HIDE = frozenset(
    names(
        "git npm pnpm yarn npx docker podman kubectl cargo go make pip pip3 uv poetry mvn gradle "
        "helm terraform gh brew apt apt-get"
    )
)
"""Programs whose second word, where it is an option, hides what they do (`git -C x push`)."""

_REDIRECT = re.compile(r"<<<|<<-?|<\(|>\(|<&|<>|<|&>>?|>>|>\||>&|>")
_DESCRIPTOR = re.compile(r"[\d-]")
_UNSURE = re.compile(r"\$|^#")
_EXPANDED = re.compile(r"[={*?\[~]|^$")
"""In a program's name: an assignment, or something the shell makes another word of."""


def plain_words(command: str) -> tuple[str, ...]:
    """The words of a command that is one program with its arguments; () for any other."""
    if _COMPOUND.search(command):
        return ()
    try:
        words = shlex.split(command)
    except ValueError:
        return ()
    if not words or _EXPANDED.search(words[0]) or any(map(_UNSURE.search, words[:2])):
        return ()
    return tuple(words)


def prefix(command: str) -> tuple[str, ...]:
    """The first two words of a command, by which "always" is remembered; () for none.

    None have compound commands (`; & | > < $( ` backtick newline), what `shlex` can't read,
    commands that begin with an assignment, a variable or a pattern, and programs that run others.
    `python -m pytest` counts with three words.
    """
    words = plain_words(command)
    if not words:
        return ()
    program = words[0].rpartition("/")[2]
    second = words[1] if len(words) > 1 else ""
    if program in _INTERPRETERS:
        if second == "-m" and len(words) > 2:
            return words[:3]
        return words[:2] if second and not second.startswith("-") else ()
    if program in OPEN_ENDED or (program in _OPTIONS_HIDE and second.startswith("-")):
        return ()
    return words[:2]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command: what the program gets, and where it stands."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A program with its arguments, one of perhaps several in a command.

    Attributes:
        words: program and arguments; assignments before it included.
        targets: files that output is redirected to.
        piped: its input comes from the one before it.
    """

    words: tuple[Word, ...]
    targets: tuple[Word, ...]
    piped: bool


def simple_commands(command: str, offset: int = 0, depth: int = 0) -> Iterator[SimpleCommand]:
    """The simple commands of a command, those in substitutions included, as far as can be read.

    Args:
        command: any text.
        offset: where it stands in the whole; added to all places.
        depth: of nesting; beyond 8 nothing is read.
    """
    if depth > 8:
        return
    reader = _Reader(command)
    reader.read()
    for found in reader.commands:
        yield SimpleCommand(
            tuple(_moved(word, offset) for word in found.words),
            tuple(_moved(word, offset) for word in found.targets),
            found.piped,
        )
    for start, end in reader.nested:
        yield from simple_commands(command[start:end], offset + start, depth + 1)


def _moved(word: Word, offset: int) -> Word:
    return replace(word, start=word.start + offset, end=word.end + offset)


@dataclass(slots=True)
class _Reader:
    """One pass over a command."""

    text: str
    place: int = 0
    commands: list[SimpleCommand] = field(default_factory=list)
    nested: list[tuple[int, int]] = field(default_factory=list)
    _words: list[Word] = field(default_factory=list)
    _targets: list[Word] = field(default_factory=list)
    _heredocs: list[str] = field(default_factory=list)
    _piped: bool = False
    _next_is: str = "word"

    def read(self) -> None:
        """Reads all of it."""
        while self.place < len(self.text):
            char = self.text[self.place]
            if char in " \t\r":
                self.place += 1
            elif self.text.startswith("\\\n", self.place):
                self.place += 2
            elif char == "#":
                self._skip_to("\n")
            elif char in "<>" or self.text.startswith("&>", self.place):
                self._redirect()
            elif char in ";&|()\n":
                self._separate(char)
            else:
                self._take(self._word())
        self._end_command(piped=False)

    def _take(self, word: Word) -> None:
        if self._next_is == "target":
            self._targets.append(word)
        elif self._next_is == "heredoc":
            self._heredocs.append(word.text)
        elif self._next_is == "word":
            self._words.append(word)
        self._next_is = "word"

    def _separate(self, char: str) -> None:
        double = self.text[self.place : self.place + 2] in {"||", "&&", ";;"}
        self.place += 2 if double else 1
        self._end_command(piped=char == "|" and not double)
        if char == "\n":
            for delimiter in self._heredocs:
                self._skip_body(delimiter)
            self._heredocs.clear()

    def _end_command(self, *, piped: bool) -> None:
        if self._words or self._targets:
            self.commands.append(
                SimpleCommand(tuple(self._words), tuple(self._targets), self._piped)
            )
        self._words, self._targets = [], []
        self._piped, self._next_is = piped, "word"

    def _redirect(self) -> None:
        match = _REDIRECT.match(self.text, self.place)
        operator = match[0] if match else self.text[self.place]
        if self._words and self._words[-1].text.isdigit() and self._words[-1].end == self.place:
            self._words.pop()  # `2>`
        self.place += len(operator)
        if operator.endswith("("):
            self._nest(self.place, ")")
        elif operator.startswith("<<") and operator != "<<<":
            self._next_is = "heredoc"
        elif operator.startswith("<"):
            self._next_is = "input"
        elif operator == ">&" and _DESCRIPTOR.match(self.text, self.place):
            self.place += 1
        else:
            self._next_is = "target"

    def _word(self) -> Word:
        """A word up to a space or an operator, its quotes taken off."""
        start, read = self.place, []
        while self.place < len(self.text):
            char = self.text[self.place]
            if char in " \t\r\n;&|()<>":
                break
            if char == "\\":
                read.append(self.text[self.place + 1 : self.place + 2].strip("\n"))
                self.place += 2
            elif char == "'":
                read.append(self._quoted("'"))
            elif char == '"':
                read.append(self._quoted('"'))
            elif char == "`":
                read.append(self._nest(self.place + 1, "`"))
            elif self.text.startswith("$(", self.place):
                read.append(self._nest(self.place + 2, ")"))
            elif self.text.startswith("$'", self.place):
                self.place += 1
                read.append(self._quoted("'", escapes=True))
            else:
                read.append(char)
                self.place += 1
        return Word("".join(read), start, min(self.place, len(self.text)))

    def _quoted(self, quote: str, *, escapes: bool = False) -> str:
        """What stands between quotes; substitutions in double quotes are read as well."""
        self.place += 1
        read = []
        while self.place < len(self.text) and self.text[self.place] != quote:
            if self.text[self.place] == "\\" and (quote == '"' or escapes):
                read.append(self.text[self.place + 1 : self.place + 2])
                self.place += 2
            elif quote == '"' and self.text.startswith("$(", self.place):
                read.append(self._nest(self.place + 2, ")"))
            elif quote == '"' and self.text[self.place] == "`":
                read.append(self._nest(self.place + 1, "`"))
            else:
                read.append(self.text[self.place])
                self.place += 1
        self.place += 1
        return "".join(read)

    def _nest(self, start: int, close: str) -> str:
        """Notes a command inside this one, goes on after it; gives its text with brackets."""
        before, self.place, open_ = self.place, start, 1
        while self.place < len(self.text):
            char = self.text[self.place]
            if char == "\\":
                self.place += 1
            elif char in "'\"" and close == ")":
                self._skip_quotes(char)
                continue
            elif char == close:
                open_ -= 1
                if open_ == 0:
                    break
            elif char == "(" and close == ")":
                open_ += 1
            self.place += 1
        self.nested.append((start, min(self.place, len(self.text))))
        self.place += 1
        return self.text[before : self.place]

    def _skip_quotes(self, quote: str) -> None:
        self.place += 1
        while self.place < len(self.text) and self.text[self.place] != quote:
            self.place += 2 if self.text[self.place] == "\\" and quote == '"' else 1
        self.place += 1

    def _skip_to(self, char: str) -> None:
        end = self.text.find(char, self.place)
        self.place = len(self.text) if end < 0 else end

    def _skip_body(self, delimiter: str) -> None:
        """Goes on after the line that ends a heredoc."""
        while self.place < len(self.text):
            end = self.text.find("\n", self.place)
            end = len(self.text) if end < 0 else end
            line = self.text[self.place : end]
            self.place = end + 1
            if line.strip("\t") == delimiter:
                return
