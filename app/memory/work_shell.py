"""Reads a shell command far enough to say what it did to files: only what stands there plainly.

A reader for the record, not a fence (`tools.command_words` is for approvals): a word with a
variable, a substitution or a pattern isn't `plain`, and nobody takes it for a path. It never fails:
of what it can't read nothing is told.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from app.memory.work_quotes import behind, body_end

READ = 60_000
"""Characters of a command that are read."""

MOST_COMMANDS = 300
"""Simple commands that are read."""

Link = Literal["", "&&", "||", "|", ";"]
"""What stands before a simple command."""

_TOKEN = re.compile(
    r"(?P<space>(?:[ \t\r]|\\\r?\n)+)"
    r"|(?P<comment>#[^\n]*)"
    r"|(?P<heredoc>\d*<<-?(?!<))"
    r"|(?P<redirect>\d*(?:<<<|<>|<&|<\(|<|>>|>\||>&|>\(|>)|&>>?)"
    r"|(?P<operator>&&|\|\||\|&|;;|[;&|()\n])"
)
_PIECE = re.compile(
    r"'(?P<single>[^']*)'"
    r'|"(?P<double>(?:\\[\s\S]|[^"\\])*)"'
    r"|\\(?P<escaped>[\s\S])"
    r"|(?P<nested>\$\(|<\()"
    r"|(?P<tick>`[^`]*`)"
    r"|(?P<bare>[^\s;&|()<>'\"\\`$]+)"
    r"|(?P<other>[$'\"\\`])"
)
_EXPANDED = re.compile(r"[*?\[\]{}]")
_UNQUOTED = re.compile(r"\\([\\\"$`])")
_OPENING: dict[str, str] = {
    "if": "fi",
    "while": "done",
    "until": "done",
    "for": "done",
    "select": "done",
    "case": "esac",
}
_INSIDE = frozenset({"then", "do", "else", "elif", "!", "time"})
_SURE = frozenset({"for", "select", "{"})
"""Blocks that surely run; the body of a `function` does when it is called."""
_CLOSING = frozenset(_OPENING.values())
_TESTS = frozenset({"[", "[[", "test", "grep", "rg", "command", "which"})
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
_DEFINED = re.compile(r"[ \t]*\)\s*\{")


@dataclass(frozen=True, slots=True)
class ShellWord:
    """A word as the program gets it.

    Attributes:
        text: without its quotes.
        start: where it begins in the command.
        end: where it ends.
        plain: nothing in it is made by the shell.
    """

    text: str
    start: int
    end: int
    plain: bool = True


@dataclass(frozen=True, slots=True)
class Simple:
    """A program with its arguments.

    Attributes:
        words: program and arguments, without assignments before them.
        assigned: those assignments.
        writes: files that output goes to, each with whether it is added to.
        heredoc: the text it is given, "" for none.
        link: what stands before it.
        unsure: whether it ran depends on something else.
        folder: where it runs, from the folder of the whole; None: nobody knows.
        last: no command follows it.
        delimiter_end: where the mark of its heredoc ends; 0 for none.
    """

    words: tuple[ShellWord, ...]
    assigned: tuple[ShellWord, ...] = ()
    writes: tuple[tuple[ShellWord, bool], ...] = ()
    heredoc: str = ""
    link: Link = ""
    unsure: bool = False
    folder: str | None = ""
    last: bool = False
    delimiter_end: int = 0

    @property
    def program(self) -> str:
        """The program's name, without its folder; "" for none."""
        return self.words[0].text.rpartition("/")[2] if self.words else ""

    @property
    def arguments(self) -> tuple[ShellWord, ...]:
        """Its words behind the program."""
        return self.words[1:]


@dataclass(frozen=True, slots=True)
class Script:
    """A whole command.

    Attributes:
        commands: its simple commands, in order.
        bodies: where the texts of heredocs stand, their last lines included.
        comments: where remarks stand.
    """

    commands: tuple[Simple, ...]
    bodies: tuple[tuple[int, int], ...] = ()
    comments: tuple[tuple[int, int], ...] = ()


def read_script(command: str) -> Script:
    """Reads a command's first `READ` characters."""
    reader = _Reader(command[:READ])
    reader.read()
    done = [
        replace(one, last=number == len(reader.done))
        for number, one in enumerate(reader.done, start=1)
    ]
    return Script(tuple(_judged(done)), tuple(reader.bodies), tuple(reader.comments))


def _judged(commands: list[Simple]) -> Iterator[Simple]:
    """With what hangs on a test marked: only as the last of all it tells whether it ran."""
    # The chain of `&&` that ends the whole began here: it went well, if the whole did.
    chain = len(commands)
    while chain > 1 and commands[chain - 1].link == "&&":
        chain -= 1
    tested = False
    for number, one in enumerate(commands, start=1):
        if one.link not in {"&&", "|"}:
            tested = False
        unsure = one.unsure or one.link == "||" or (tested and number < chain)
        if one.program in _TESTS:
            tested = True
        yield replace(one, unsure=unsure)


@dataclass(slots=True)
class _Reader:
    """One pass over a command."""

    text: str
    place: int = 0
    done: list[Simple] = field(default_factory=list)
    bodies: list[tuple[int, int]] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    _words: list[ShellWord] = field(default_factory=list)
    _assigned: list[ShellWord] = field(default_factory=list)
    _writes: list[tuple[ShellWord, bool]] = field(default_factory=list)
    _delimiters: list[tuple[str, bool, int]] = field(default_factory=list)
    _link: Link = ""
    _next: str = ""
    _delimiter_end: int = 0
    _folder: str | None = ""
    _folders: list[str | None] = field(default_factory=list)
    _blocks: list[str] = field(default_factory=list)
    _unclosed: bool = False

    def read(self) -> None:
        """Reads all of it."""
        while self.place < len(self.text) and len(self.done) < MOST_COMMANDS:
            found = _TOKEN.match(self.text, self.place)
            if found is None:
                self._take(self._word())
                continue
            self.place = found.end()
            match found.lastgroup:
                case "comment":
                    self.comments.append(found.span())
                case "heredoc":
                    self._next = "tabbed" if found[0].endswith("-") else "heredoc"
                case "redirect":
                    self._redirect(found[0])
                case "operator":
                    self._operator(found[0])
                case _:
                    pass
        self._end()

    def _redirect(self, operator: str) -> None:
        sign = operator.lstrip("0123456789")
        if sign in {"<(", ">("}:
            self._skip_nested()
        elif sign == "<>":
            self._next = "input"
        elif sign == ">&" and self.text[self.place : self.place + 1] in {*"0123456789-"}:
            self.place += 1
        elif operator.startswith("2"):
            self._next = "input"  # what a program complains isn't what it makes
        elif ">" in sign:
            self._next = "add" if ">>" in sign else "write"
        else:
            self._next = "input"

    def _take(self, word: ShellWord) -> None:
        taken, self._next = self._next, ""
        if taken in {"heredoc", "tabbed"}:
            # Of which command it is: the one that is being read.
            self._delimiters.append((word.text, taken == "tabbed", len(self.done)))
            self._delimiter_end = word.end
        elif taken in {"add", "write"}:
            self._writes.append((word, taken == "add"))
        elif taken == "input":
            pass
        elif not self._words and _ASSIGNED.match(self.text, word.start):
            self._assigned.append(word)
        elif not self._words and word.text in _INSIDE:
            pass
        elif not self._words and word.text in _CLOSING:
            if self._blocks:
                self._blocks.pop()
        elif not self._words and word.text == "{":
            self._blocks.append("{")
        elif not self._words and word.text == "}":
            if self._blocks and self._blocks[-1] in {"{", "function"}:
                self._blocks.pop()
        elif not self._words and word.text in _OPENING:
            self._blocks.append(word.text)
            if word.text in {"for", "select", "case"}:
                self._words.append(word)
        else:
            self._words.append(word)

    def _operator(self, sign: str) -> None:
        if sign == "(" and (found := _DEFINED.match(self.text, self.place)) and self._words:
            # `name() {`: its body doesn't run here.
            self.place = found.end()
            self._words.clear()
            self._blocks.append("function")
            return
        self._end()
        if sign == "(":
            self._folders.append(self._folder)
        elif sign == ")" and self._folders:
            self._folder = self._folders.pop()
        if sign in {"&&", "||"}:
            self._link = "&&" if sign == "&&" else "||"
        elif sign in {"|", "|&"}:
            self._link = "|"
        elif sign not in {"(", ")"}:
            self._link = ";"
        if sign == "\n" and self._delimiters:
            self._read_bodies()

    def _end(self) -> None:
        self._next = ""
        if self._words or self._writes or self._assigned:
            unsure = any(block not in _SURE for block in self._blocks)
            one = Simple(
                tuple(self._words),
                tuple(self._assigned),
                tuple(self._writes),
                link=self._link,
                unsure=unsure,
                folder=self._folder,
                delimiter_end=self._delimiter_end,
            )
            self.done.append(one)
            self._move(one)
            self._link = ";"
        elif self._delimiters and self._delimiters[-1][2] == len(self.done):
            self._delimiters[-1] = (*self._delimiters[-1][:2], -1)
        self._words, self._assigned, self._writes = [], [], []
        self._delimiter_end = 0

    def _move(self, one: Simple) -> None:
        """Goes where `cd` goes."""
        if one.program not in {"cd", "pushd", "popd", "Set-Location"}:
            return
        targets = [word for word in one.arguments if word.text != "--"]
        if len(targets) == 1 and targets[0].plain and targets[0].text not in {"-", ""}:
            target = targets[0].text
            # From an unknown folder only an absolute path leads to a known one.
            if self._folder is not None or target.startswith(("/", "~")):
                self._folder = posixpath.join(self._folder or "", target)
        else:
            self._folder = None

    def _read_bodies(self) -> None:
        for delimiter, tabbed, number in self._delimiters:
            start = self.place
            end, self.place = body_end(self.text, start, delimiter, tabbed=tabbed)
            body = self.text[start:end]
            self.bodies.append((start, self.place))
            if 0 <= number < len(self.done):
                self.done[number] = replace(self.done[number], heredoc=body)
        self._delimiters.clear()

    def _word(self) -> ShellWord:
        start, plain = self.place, True
        read: list[str] = []
        while (found := _PIECE.match(self.text, self.place)) is not None:
            self.place = found.end()
            match found.lastgroup:
                case "single":
                    read.append(found["single"])
                case "double" if "$(" in found[0] and (end := self._behind('"', found.start() + 1)):
                    # Made by the shell, with quotes of its own: `"$(cat <<'EOF' …)"`.
                    read.append(self.text[found.start() + 1 : end - 1])
                    self.place, plain = end, False
                case "double":
                    inner = found["double"]
                    plain = plain and "$" not in inner.replace("\\$", "") and "`" not in inner
                    read.append(_UNQUOTED.sub(r"\1", inner))
                case "escaped":
                    read.append(found["escaped"])
                case "bare":
                    plain = plain and not _EXPANDED.search(found[0])
                    read.append(found[0])
                case "nested":
                    self._skip_nested()
                    plain = False
                    read.append(self.text[found.start() : self.place])
                case _:
                    plain = False
                    read.append(found[0])
        if self.place == start:  # what nothing reads
            self.place += 1
            plain = False
        return ShellWord("".join(read), start, self.place, plain)

    def _skip_nested(self) -> None:
        """Goes on behind the bracket that closes the one just read."""
        if end := self._behind(")", self.place):
            self.place = end
            return
        depth = 1
        while self.place < len(self.text) and depth:
            char = self.text[self.place]
            depth += (char == "(") - (char == ")")
            self.place += 1

    def _behind(self, closing: str, at: int) -> int:
        """The place behind what closes a quote or a bracket; 0: nothing does, or not surely."""
        if self._unclosed:  # looked for once: each search may go to the end
            return 0
        end = behind(self.text, at, closing)
        self._unclosed = not end
        return end
