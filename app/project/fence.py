"""The project's root and the fence around it: no file tool gets out, whatever it is given."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from app.errors import HaimaError
from app.project.ignore import IgnoreRules, Start, repository, rules_at, walk

STATE = ".haima"
"""Haima's own folder in a project."""

OUTPUTS = "tool-outputs"
"""The folder in it that holds results that were too big for the context (`paths.tool_outputs`)."""

PASTES = "pastes"
"""The folder in it that holds the user's long pastes (`paths.pastes`)."""

_LONGEST = 4096
"""Characters of a path; PATH_MAX of Linux, which no path inside a project comes near."""

_SLUG_NAME_BYTES = 120
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DRIVE = re.compile(r"[A-Za-z]:/")


class ProjectError(HaimaError):
    """A path can't be used."""

    code = "project"


class OutsideProject(ProjectError):  # noqa: N818
    """A path leads out of the project."""

    code = "outside_project"


class BadPath(ProjectError):  # noqa: N818
    """A path that no file can have, or what stands there is not what it has to be."""

    code = "bad_path"


class Project:
    """A folder an agent works in.

    Attributes:
        root: absolute, links resolved: the same project however it is entered.
    """

    __slots__ = ("root",)

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.root.name or "root"

    @property
    def slug(self) -> str:
        """A name for folders of this project elsewhere: its name, `-`, 8 hex of its path's hash."""
        digest = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:8]
        name = os.fsencode(self.name)[:_SLUG_NAME_BYTES].decode("utf-8", "ignore")
        return f"{name}-{digest}"

    def place(self, environ: Mapping[str, str]) -> str:
        """Where it is, as shown: the user's home as `~`."""
        home = environ.get("HOME", "")
        if home and home != "/" and self.root.is_relative_to(home):
            return (Path("~") / self.root.relative_to(home)).as_posix()
        return str(self.root)

    def resolve(self, text: str) -> Path:
        """The place a path given by a model or a user stands for; nothing needs to be there.

        Relative to the root or absolute, with `./`, `..` or backslashes. Links are resolved, also
        those of parent folders; of what doesn't exist yet, the parents are.

        Raises:
            OutsideProject: it leads out, also through a link, `..` or `~`.
            BadPath: empty, too long, or holding what no path can hold.
        """
        if not text.strip():
            raise BadPath("project.path_empty")
        if "\0" in text or _unencodable(text):
            raise BadPath("project.path_characters", path=text)
        if len(text) > _LONGEST:
            raise BadPath("project.path_long", n=len(text), most=_LONGEST)
        path = text.replace("\\", "/")
        if path.startswith("~"):
            raise OutsideProject("project.path_home", path=text, root=self.root)
        if _DRIVE.match(path):
            raise OutsideProject("project.path_outside", path=text, root=self.root)
        try:
            resolved = Path(os.path.realpath(self.root / path))
            resolved.lstat()
        except (FileNotFoundError, NotADirectoryError):
            pass
        except PermissionError:
            pass
        except OSError as error:
            raise BadPath("project.path_refused", path=text, reason=error.strerror) from error
        if not resolved.is_relative_to(self.root):
            raise OutsideProject("project.path_outside", path=text, root=self.root)
        if resolved.is_symlink():
            raise BadPath("project.path_loop", path=text)
        return resolved

    def relative(self, path: Path) -> str:
        """A path of this project as it is shown and sent: from the root, with slashes."""
        return path.relative_to(self.root).as_posix()

    def is_state(self, path: Path) -> bool:
        """Whether a resolved path is Haima's own: no tool writes there, no search looks there."""
        parts = path.relative_to(self.root).parts
        return bool(parts) and parts[0].casefold() == STATE

    def is_kept(self, path: Path) -> bool:
        """Whether a resolved path is a result or a paste that was moved to a file, or above one."""
        parts = [part.casefold() for part in path.relative_to(self.root).parts]
        return len(parts) > 1 and parts[0] == STATE and parts[1] in {OUTPUTS, PASTES}

    def open(self, path: Path) -> BinaryIO:
        """Opens a resolved path for reading; a plain file only.

        A link put there after `resolve` isn't followed, and what was opened is compared with what
        the path leads to now; a pipe isn't waited for.

        Raises:
            BadPath: it is a folder, a pipe or a device.
            OutsideProject: the path was changed meanwhile.
            OSError: as from the system.
        """
        descriptor = os.open(path, _READ)
        try:
            opened = os.fstat(descriptor)
            if not stat.S_ISREG(opened.st_mode):
                raise BadPath("project.not_a_file", path=self.relative(path))
            self.check_unchanged(path)
            if not os.path.samestat(opened, path.stat()):
                raise OutsideProject("project.path_changed", path=self.relative(path))
        except BaseException:
            os.close(descriptor)
            raise
        return os.fdopen(descriptor, "rb")

    def check_unchanged(self, path: Path) -> None:
        """Makes sure that a resolved path still leads to itself (right before it is used).

        Raises:
            OutsideProject: a link stands on the way now.
        """
        if os.path.realpath(path) != str(path):
            raise OutsideProject("project.path_changed", path=self.relative(path))

    def rules_at(self, folder: Path) -> Start:
        """The ignore rules inside a folder of this project."""
        return rules_at(folder, self.root)

    def is_ignored(self, path: Path) -> bool:
        """Whether a resolved path, or a folder it stands in, is kept out of sight."""
        rules = self.rules_at(self.root).rules
        place = self.root
        parts = path.relative_to(self.root).parts
        for number, part in enumerate(parts, start=1):
            place /= part
            folder = number < len(parts) or place.is_dir()
            if rules.ignores(str(place), folder=folder):
                return True
            rules = rules.enter(str(place)) if folder else rules
        return False

    def walk(self, folder: Path | None = None, rules: IgnoreRules | None = None) -> Iterator[Path]:
        """The files below a folder (default: all), by name, without links and what is ignored."""
        start = folder or self.root
        inside = rules or self.rules_at(start).rules
        return (Path(entry.path) for entry in walk(str(start), inside) if not entry.link)

    def files(self, limit: int = 20_000) -> Iterator[str]:
        """The project's files as relative paths, by name, at most `limit`: for `@file`.

        Links to files inside the project are among them. A plain generator that touches the disk:
        drive it in a thread, stop it at any point.
        """
        found = walk(str(self.root), self.rules_at(self.root).rules)
        shown = (Path(entry.path) for entry in found if not entry.link or self._inside(entry.path))
        return islice((self.relative(path) for path in shown), limit)

    def _inside(self, path: str) -> bool:
        """Whether a link ends inside the project."""
        return Path(os.path.realpath(path)).is_relative_to(self.root)


def find_project_root(start: Path) -> Path:
    """The project someone means who starts Haima in `start`: the enclosing git work tree.

    `start` itself where there is none. The home folder and the root of the file system are never
    taken on the way up: who keeps his home in git doesn't mean to open all of it.
    """
    folder = start.resolve()
    top = repository(folder)
    if top is None or top in {Path.home().resolve(), Path(folder.anchor)}:
        return folder
    return top


def _unencodable(text: str) -> bool:
    """Whether a text holds lone surrogates that no file name can hold."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return True
    return False
