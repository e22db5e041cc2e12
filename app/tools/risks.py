"""What is risky about a command, as far as it can be read: rules in a table, and their use.

The table names what people want to look at twice; it doesn't claim to be complete, and no finding
doesn't mean harmless. A command with a finding of weight is never covered by an "always".
"""

import os.path
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from app.events import Severity
from app.text import Key
from app.tools.command_words import SimpleCommand, Word, names, simple_commands
from app.tools.risk_rules import RULES, Rule

_WEIGHT: dict[Severity, int] = {"danger": 0, "warn": 1, "info": 2, "ok": 3}
_MOST_FOUND = 6

LONGEST_READ = 20_000
"""Characters of a command that are looked through; what is longer is never covered."""

_RESERVED = frozenset(names("if then else elif while until do ! { time coproc case in function"))
_WRAPPERS = frozenset(
    names(
        "sudo doas pkexec env command builtin exec nohup nice ionice time timeout stdbuf setsid "
        "xargs watch parallel busybox"
    )
)
_SHELLS = frozenset(names("bash sh zsh dash ksh fish"))
_INTERPRETERS = _SHELLS | frozenset(names("python python3 perl ruby node php"))
_FETCHERS = frozenset({"curl", "wget"})
_VALUE_OPTIONS = frozenset(names("-C -c --git-dir --work-tree --namespace -n --context"))
"""Options before a subcommand that take the next word (`git -C`, `kubectl -n`)."""

_COPIERS = frozenset(names("cp mv ln install tee touch mkdir rsync scp"))
_HARMLESS = re.compile(r"/dev/(null|stdout|stderr|tty|fd/\d+)")
_TEMPORARY = re.compile(r"/(tmp|var/tmp)(/|$)|\$\{?TMPDIR")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")


@dataclass(frozen=True, slots=True)
class Risk:
    """One thing to look at.

    Attributes:
        label: what it is, a key of the words.
        severity: `warn`: of weight; `info`: good to know.
        text: the part of the command.
        marked: dangerous stretches of the whole command.
    """

    label: Key
    severity: Severity
    text: str
    marked: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Risks:
    """All that was found in a command, worst first."""

    found: tuple[Risk, ...]

    @property
    def dangerous(self) -> bool:
        """Whether an "always" must not cover this command."""
        return any(risk.severity in {"warn", "danger"} for risk in self.found)

    @property
    def marked(self) -> tuple[tuple[int, int], ...]:
        """Dangerous stretches of the command, in order, none touching another."""
        joined: list[tuple[int, int]] = []
        for start, end in sorted({span for risk in self.found for span in risk.marked}):
            if joined and start <= joined[-1][1] + 1:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        return tuple(joined)


def risks_of(command: str, root: Path) -> Risks:
    """Looks through a command.

    Args:
        command: as it would run.
        root: the project's, to tell what lies outside.
    """
    found: dict[tuple[Key, str], Risk] = {}
    read = command[:LONGEST_READ]
    for risk in _risks(read, 0, str(root), read, 0):
        found.setdefault((risk.label, risk.text), risk)
    ordered = sorted(found.values(), key=lambda risk: _WEIGHT[risk.severity])
    return Risks(tuple(ordered[:_MOST_FOUND]))


def _risks(text: str, offset: int, root: str, whole: str, depth: int) -> Iterator[Risk]:
    fetched = False
    for simple in simple_commands(text, offset):
        for word in simple.targets:
            yield from _outside(word, root, whole[word.start : word.end])
        for program in _programs(simple):
            yield from _program_risks(program, root, whole)
            yield from _inner(program, root, whole, depth)
            if simple.piped and fetched and program[0].text in _INTERPRETERS and len(program) == 1:
                yield Risk("risk.runs_download", "warn", program[0].text, (_span(program[0]),))
            fetched = _name(program[0]) in _FETCHERS or (fetched and simple.piped)


def _inner(program: tuple[Word, ...], root: str, whole: str, depth: int) -> Iterator[Risk]:
    """Commands given as text: `bash -c "…"`, `eval …`."""
    name, arguments = _name(program[0]), program[1:]
    inner: tuple[Word, ...] = ()
    if name in _SHELLS:
        places = [n for n, word in enumerate(arguments) if re.fullmatch(r"-[a-z]*c", word.text)]
        inner = arguments[places[0] + 1 : places[0] + 2] if places else ()
    elif name in {"eval", "trap"}:
        inner = arguments
    for word in inner if depth < 4 else ():
        source = whole[word.start : word.end]
        at = source.find(word.text)
        for risk in _risks(word.text, 0, root, word.text, depth + 1):
            moved = tuple((s + word.start + at, e + word.start + at) for s, e in risk.marked)
            marked = moved if at >= 0 else (_span(word),) if risk.marked else ()
            yield Risk(risk.label, risk.severity, risk.text, marked)


def _programs(simple: SimpleCommand) -> Iterator[tuple[Word, ...]]:
    """The programs a simple command runs: the one it names, and those that one runs in turn."""
    words = simple.words
    while words and (words[0].text in _RESERVED or _ASSIGNMENT.match(words[0].text)):
        words = words[1:]
    while words:
        yield words
        name = _name(words[0])
        if name in _WRAPPERS:
            words = _wrapped(words[1:])
        elif name in {"python", "python3"} and len(words) > 2 and words[1].text == "-m":
            words = words[2:]
        elif name == "find":
            starts = [
                n for n, word in enumerate(words) if re.fullmatch("-(exec|ok)(dir)?", word.text)
            ]
            words = words[starts[0] + 1 :] if starts else ()
        else:
            return


def _wrapped(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """What a wrapper runs: the first program we know, else the first word that is no option."""
    for number, word in enumerate(words):
        if _name(word) in _KNOWN:
            return words[number:]
    for number, word in enumerate(words):
        if not word.text.startswith("-") and not _ASSIGNMENT.match(word.text):
            return words[number:]
    return ()


def _program_risks(program: tuple[Word, ...], root: str, whole: str) -> Iterator[Risk]:
    name = _name(program[0])
    text = whole[program[0].start : program[-1].end]
    for rule in _KNOWN.get(name, ()):
        spans = _matches(rule, program)
        if spans:
            marked = spans if rule.severity == "warn" else ()
            yield Risk(rule.label, rule.severity, text, marked)
    if name in _COPIERS:
        places = [word for word in program[1:] if not word.text.startswith("-")]
        for word in places if name in {"tee", "touch", "mkdir"} else places[-1:]:
            yield from _outside(word, root, text)


def _matches(rule: Rule, program: tuple[Word, ...]) -> tuple[tuple[int, int], ...]:
    """The stretches that make the rule apply; none where it doesn't."""
    arguments = program[1:]
    last = program[0]
    if rule.subcommands:
        positional = _positional(arguments)
        pairs = {one.text: one for one in positional[:1]}
        if len(positional) > 1:
            pairs[f"{positional[0].text} {positional[1].text}"] = positional[1]
        hit = next((pairs[name] for name in rule.subcommands if name in pairs), None)
        if hit is None:
            return ()
        last = hit
    if rule.unless and any(_is_flag(word.text, rule.unless) for word in arguments):
        return ()
    if rule.flags:
        flags = [word for word in arguments if _is_flag(word.text, rule.flags)]
        return ((program[0].start, last.end), *map(_span, flags)) if flags else ()
    if not rule.subcommands:
        for word in arguments:
            if not word.text.startswith("-"):
                break
            last = word
    return ((program[0].start, last.end),)


def _positional(arguments: tuple[Word, ...]) -> list[Word]:
    """The words that are no options, nor values of those that stand before a subcommand."""
    found: list[Word] = []
    skip = False
    for word in arguments:
        if skip:
            skip = False
        elif word.text.startswith("-"):
            skip = not found and word.text in _VALUE_OPTIONS
        else:
            found.append(word)
    return found


def _is_flag(text: str, flags: tuple[str, ...]) -> bool:
    """Whether a word is one of the flags: alone, with a value, or among short ones (`-rf`)."""
    for flag in flags:
        if text == flag or (flag.startswith("--") and text.startswith(f"{flag}=")):
            return True
        if flag.endswith("…") and text.startswith(flag[:-1]) and len(text) >= len(flag):
            return True
        if re.fullmatch("-[A-Za-z]", flag) and re.fullmatch(f"-[A-Za-z]*{flag[1]}[A-Za-z]*", text):
            return True
    return False


def _outside(word: Word, root: str, text: str) -> Iterator[Risk]:
    """Whether a file that is written lies outside the project."""
    path = word.text
    if _HARMLESS.fullmatch(path) or not path:
        return
    if _TEMPORARY.match(path):
        yield Risk("risk.outside", "info", text)
    elif path.startswith(("~", "$HOME", "${HOME")) or not _is_inside(path, root):
        yield Risk("risk.outside", "warn", text, (_span(word),))


def _is_inside(path: str, root: str) -> bool:
    return PurePosixPath(
        os.path.normpath(f"{root}/{path}" if path[0] != "/" else path)
    ).is_relative_to(root)


def _name(word: Word) -> str:
    """A program's name without its folder."""
    return word.text.rpartition("/")[2]


def _span(word: Word) -> tuple[int, int]:
    return (word.start, word.end)


def _by_program() -> dict[str, tuple[Rule, ...]]:
    known: dict[str, tuple[Rule, ...]] = {}
    for rule in RULES:
        for program in rule.programs:
            known[program] = (*known.get(program, ()), rule)
    return known


_KNOWN = _by_program()
