"""One name for a file, however a call spells it (FACTS 4: paths are normalised before writing).

Of a file in the project its path from the root with `/`; of another one its absolute path. Nothing
is read here: symlinks are followed by the `resolve` that is given, and without it only the letters
are looked at. Names keep their case. Windows paths become `C:/…`.
"""

import posixpath
import re
from collections.abc import Callable
from urllib.parse import unquote

from app.memory.name_paths import LINES

LONGEST_PATH = 1_000
"""Characters of a name; a longer one is nothing a tool took, and is left out."""

_QUOTES = "'\"`"
_UNFIT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DRIVE = re.compile(r"([A-Za-z]):(?=/|$)")
_DRIVE_FOLDER = re.compile(r"/([A-Za-z])(?=/|$)")
_HOME = re.compile(r"(?:/(?:home|Users)/[^/]+|/root|[A-Z]:/Users/[^/]+)(?=/|$)")
_TRIES = 6

Resolve = Callable[[str], str]
"""The absolute path without symlinks of an absolute path, whether it is there or not."""


def without_side(path: str) -> str:
    """A path of a diff's head without its `a/` or `b/`."""
    return path[2:] if path.startswith(("a/", "b/")) and len(path) > 2 else path


class WorkPaths:
    """The names of files of one project."""

    def __init__(self, root: str, resolve: Resolve | None = None) -> None:
        """Names files from a root.

        Args:
            root: the project's folder; "": relative paths stay as they are.
            resolve: follows symlinks; what it raises (OSError, ValueError) counts as none.
        """
        self._resolve = resolve
        cleaned = _drive(_slashes(root.strip()))
        plain = posixpath.normpath(cleaned) if cleaned else ""
        self._windows = _DRIVE.match(plain) is not None
        roots = dict.fromkeys([self._followed(plain), plain]) if plain else {}
        self._roots = tuple(roots)
        home = _HOME.match(plain)
        self._home = home[0] if home else ""

    def name(self, given: str, folder: str = "") -> str | None:
        """The name of a file; None where the text can't be one.

        Naming a name again changes nothing.

        Args:
            given: as a call spells it.
            folder: the folder that it is relative to, from the root; "" for the root.
        """
        for _ in range(_TRIES):
            named = self._named(given, folder)
            if named is None or self._cleaned(named) == named:
                return named
            given, folder = named, ""
        return None

    def is_inside(self, name: str) -> bool:
        """Whether a name is that of a file in the project."""
        return not (name.startswith(("/", "~")) or _DRIVE.match(name))

    def is_around(self, name: str) -> bool:
        """Whether a name is that of the project's folder, or of one that it lies in."""
        folder = name if name.endswith("/") else f"{name}/"
        return name == "." or any(self._same(root[: len(folder)], folder) for root in self._roots)

    def _named(self, given: str, folder: str) -> str | None:
        text = self._cleaned(given)
        if not text or len(text) > LONGEST_PATH or _UNFIT.search(text) or _SCHEME.match(text):
            return None
        if text == "~" or text.startswith("~"):
            # Another user's home, or one that nobody knows: kept as it is spelt.
            return posixpath.normpath(text)
        if not self._is_absolute(text):
            text = posixpath.join(folder, text) if folder else text
            if not self._is_absolute(text):
                if not self._roots:
                    return posixpath.normpath(text)
                text = posixpath.join(self._roots[0], text)
        return self._relative(self._followed(text))

    def _cleaned(self, text: str) -> str:
        r"""Without what isn't the path's own: quotes, `file://`, `\\`, `~` of this user."""
        if not text.isprintable():
            text = text.strip()
        while True:
            before = text
            text = text.strip()
            if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES:
                text = text[1:-1]
            if text.startswith("file://"):
                text = unquote(text[7:].removeprefix("localhost"))
                if _DRIVE.match(text[1:]):
                    text = text[1:]
            if text == before:
                break
        text = _slashes(LINES.sub("", text))
        if self._home and (text == "~" or text.startswith("~/")):
            text = self._home + text[1:]
        text = _drive(text)
        if self._windows and (found := _DRIVE_FOLDER.match(text)):  # Git Bash
            text = f"{found[1].upper()}:{text[2:]}"
        while text.endswith("/") and len(text) > 1:
            text = text[:-1].rstrip()
        return text

    def _is_absolute(self, text: str) -> bool:
        return text.startswith("/") or _DRIVE.match(text) is not None

    def _followed(self, path: str) -> str:
        """An absolute path without symlinks and `..`."""
        if self._resolve is not None:
            try:
                return _drive(_slashes(self._resolve(path)))
            except (OSError, ValueError):
                pass
        return posixpath.normpath(path)

    def _relative(self, path: str) -> str:
        for root in self._roots:
            if self._same(path, root):
                return "."
            folder = root if root.endswith("/") else f"{root}/"
            if self._same(path[: len(folder)], folder):
                return path[len(folder) :]
        return path

    def _same(self, one: str, other: str) -> bool:
        return one == other or (self._windows and one.casefold() == other.casefold())


def _slashes(text: str) -> str:
    r"""With `/` for `\\`; a UNC path keeps its two at the beginning."""
    return text.replace("\\", "/") if "\\" in text else text


def _drive(text: str) -> str:
    """With the drive in upper case, and a drive alone as its root."""
    if len(text) > 1 and text[1] == ":" and (found := _DRIVE.match(text)):
        return f"{found[1].upper()}:{text[2:] or '/'}"
    return text
