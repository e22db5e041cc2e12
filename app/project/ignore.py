"""Which files a project keeps out of sight: `.gitignore` rules as git reads them, and a walker.

One spec a folder (LIBRARIES, "Ignore rules"): the rules of a folder and of all above it up to the
repository's top apply, the nearest with an opinion wins, `.git/info/exclude` comes last. Outside a
repository the `.gitignore` files from the project's root downwards count just as well. Rules of
the user's whole machine (`core.excludesFile`) do not count: what the agent sees depends on the
project alone.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

ALWAYS = frozenset({".git", ".haima"})
"""Names that are out of sight everywhere: git's own files and Haima's."""

_MOST_BYTES = 1_000_000
"""Of an ignore file; what is longer is no list of patterns."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """The patterns of one file, last first, and the folder they are relative to (with a slash)."""

    base: str
    patterns: tuple[GitIgnoreSpecPattern, ...]


class IgnoreRules:
    """The rules that hold inside one folder; those of a subfolder are made by `enter`.

    Outside a repository only `.gitignore` files count, and repositories further down are folders
    like others: so does ripgrep where it is told to do without a repository.
    """

    __slots__ = ("_in_repository", "_rules")

    def __init__(self, rules: tuple[_Rules, ...] = (), *, in_repository: bool) -> None:
        self._rules = rules
        self._in_repository = in_repository

    def enter(self, folder: str) -> "IgnoreRules":
        """The rules inside `folder` (absolute); a repository of its own starts afresh."""
        rules = self._rules
        git = Path(folder, ".git")
        if self._in_repository and os.path.lexists(git):
            rules = _read(_common_folder(git) / "info" / "exclude", folder)
        rules += _read(Path(folder, ".gitignore"), folder)
        if rules is self._rules:
            return self
        return IgnoreRules(rules, in_repository=self._in_repository)

    def ignores(self, path: str, *, folder: bool) -> bool:
        """Whether `path` (absolute, right inside the folder these rules hold in) is ignored."""
        if path.rpartition("/")[2] in ALWAYS:
            return True
        for rules in reversed(self._rules):
            relative = path[len(rules.base) :]
            for pattern in rules.patterns:
                if _names(pattern, relative, folder=folder):
                    return bool(pattern.include)
        return False


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in a folder.

    Attributes:
        path: absolute.
        folder: a real folder; a link to one is not.
        link: a symbolic link.
        ignored: by the rules.
    """

    path: str
    folder: bool
    link: bool
    ignored: bool


@dataclass(frozen=True, slots=True)
class Start:
    """Where a walk begins.

    Attributes:
        rules: those inside the folder.
        ignored: the folder is itself ignored, so that only rules at or below it count: who asks
            for `node_modules/x` by name wants to see it.
    """

    rules: IgnoreRules
    ignored: bool


def rules_at(folder: Path, root: Path) -> Start:
    """The rules inside `folder`, which stands in the project `root` (both resolved)."""
    top = repository(folder)
    nothing = rules = IgnoreRules(in_repository=top is not None)
    top = top or root
    chain = [parent for parent in (folder, *folder.parents) if parent.is_relative_to(top)]
    for step in reversed(chain):
        if step != top and rules.ignores(str(step), folder=True):
            return Start(nothing.enter(str(folder)), ignored=True)
        rules = rules.enter(str(step))
    return Start(rules, ignored=False)


def repository(folder: Path) -> Path | None:
    """The top of the repository that `folder` stands in, if any."""
    for candidate in (folder, *folder.parents):
        if os.path.lexists(candidate / ".git"):
            return candidate
    return None


def entries(folder: str, rules: IgnoreRules) -> list[Entry]:
    """What stands in `folder`, by name.

    Raises:
        OSError: it can't be read.
    """
    found: list[Entry] = []
    with os.scandir(folder) as scan:
        for entry in scan:
            is_folder = entry.is_dir(follow_symlinks=False)
            found.append(
                Entry(
                    path=entry.path,
                    folder=is_folder,
                    link=entry.is_symlink(),
                    ignored=rules.ignores(entry.path, folder=is_folder),
                )
            )
    found.sort(key=lambda entry: os.fsencode(entry.path))
    return found


def walk(folder: str, rules: IgnoreRules) -> Iterator[Entry]:
    """All files below `folder` that aren't ignored, links among them, depth first and by name.

    Links to folders are neither followed nor given, so a loop can't catch it; what can't be read
    is skipped. `rules` are those inside `folder`. A plain generator: a thread can drive it and
    stop at any entry.
    """
    levels = [_level(folder, rules)]
    while levels:
        entry = next(levels[-1], None)
        if entry is None:
            levels.pop()
        elif isinstance(entry, Entry):
            yield entry
        else:
            levels.append(_level(*entry))


def _level(folder: str, rules: IgnoreRules) -> Iterator[Entry | tuple[str, IgnoreRules]]:
    """One folder's files, and where to descend."""
    try:
        found = entries(folder, rules)
    except OSError:
        return
    for entry in found:
        if entry.ignored:
            continue
        if entry.folder:
            yield entry.path, rules.enter(entry.path)
        elif entry.link:
            if Path(entry.path).is_file():
                yield entry
        else:
            yield entry


def _read(path: Path, folder: str) -> tuple[_Rules, ...]:
    """The patterns of one file; none where there is no such file or nothing in it."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return ()
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8-sig", "surrogateescape")
    except OSError:
        return ()
    patterns: list[GitIgnoreSpecPattern] = []
    for line in text.split("\n"):
        with suppress(GitIgnorePatternError):  # git skips what can't be read
            patterns.append(GitIgnoreSpecPattern(line.removesuffix("\r")))
    told = [pattern for pattern in reversed(patterns) if pattern.include is not None]
    return (_Rules(f"{folder.rstrip('/')}/", tuple(told)),)


def _names(pattern: GitIgnoreSpecPattern, path: str, *, folder: bool) -> bool:
    """Whether a pattern names this very path, as git compares them.

    pathspec's answer for a whole path also counts patterns that name a folder on the way, and lets
    `a/**` name `a` itself. A walk asks for each folder by itself, so that would be wrong twice over
    where a later pattern takes something back. Its expressions mark the slash after what they name.
    """
    found = pattern.match_file(f"{path}/" if folder else path)
    if found is None:
        return False
    mark = found.match.groupdict().get("ps_d")
    if mark is None:
        return not folder or pattern.match_file(path) is not None
    return bool(found.match.end("ps_d") == len(path) + 1)


def _common_folder(git: Path) -> Path:
    """The folder of a repository's own files; in a worktree `.git` is a file that names it."""
    if git.is_file():
        with suppress(OSError, ValueError):
            own = git.parent / git.read_text("utf-8").removeprefix("gitdir:").strip()
            common = own / "commondir"
            return own / common.read_text("utf-8").strip() if common.is_file() else own
    return git
