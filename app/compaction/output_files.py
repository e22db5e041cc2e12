"""Files of results that were too big for the context: `.haima/tool-outputs/<chain>/NNN-<tool>.txt`.

Long pastes stand beside them, under `.haima/pastes/` (`session.pastes`).

Everything below the project's root is opened step by step without following links, so nothing is
ever written elsewhere, whatever is put in the way meanwhile. All of it blocks; call it in a thread.
"""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.paths import tool_outputs
from app.storage import StorageError, sync_folder
from app.storage.files import PRIVATE_FILE, PRIVATE_FOLDER, write_all

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_IGNORE = ".gitignore"
_LONGEST_NAME = 60
"""Characters of a tool's name in a file's name (FACTS 1.4)."""

_MOST_DIGITS = 9
_NUMBER = re.compile(rf"([0-9]{{3,{_MOST_DIGITS - 1}}})-")


class LinkedFolder(StorageError):  # noqa: N818 (it says what lies there)
    """A symbolic link stands in the place of one of Haima's folders; nothing is written there."""

    code = "storage_linked"


class OutputFiles:
    """The files of one chain.

    Several of them may write at once, in threads and in processes: each file is new.

    Attributes:
        folder: where they stand, relative to the project's root, with slashes.
    """

    def __init__(
        self, root: Path, chain: str, folder: Callable[[Path, str], Path] = tool_outputs
    ) -> None:
        """Names the folder; nothing is made yet.

        Args:
            root: the project's folder, resolved.
            chain: the chain's id.
            folder: where the files of a chain stand, two levels below Haima's own folder.

        Raises:
            ValueError: it is none (a fault of the program: ids are ours).
        """
        self._root = root
        self._parts = folder(root, chain).relative_to(root).parts
        self.folder = "/".join(self._parts)
        self._last = 0

    def longest_path(self, tool: str) -> str:
        """What `write` gives has at most the length of this."""
        return f"{self.folder}/{'9' * _MOST_DIGITS}-{file_name(tool)}.txt"

    def write(self, tool: str, raw: bytes) -> str:
        """Writes a content to a new file, on the disk before it returns.

        Args:
            tool: the tool's name, perhaps invented by the model.
            raw: the bytes.

        Returns:
            The file, relative to the project's root, with slashes.

        Raises:
            LinkedFolder: a link stands in the way.
            StorageError: it can't be written; no file is left.
        """
        path = self._root.joinpath(*self._parts)
        try:
            with self._opened() as folder:
                name, descriptor = self._new(folder, file_name(tool))
                try:
                    try:
                        write_all(descriptor, raw)
                        os.fsync(descriptor)
                    finally:
                        os.close(descriptor)
                    sync_folder(path)
                except BaseException:
                    with contextlib.suppress(OSError):
                        os.unlink(name, dir_fd=folder)
                    raise
        except OSError as error:
            raise StorageError.from_os(path, error) from error
        return f"{self.folder}/{name}"

    def remove(self, path: str) -> None:
        """Takes a file away again that nothing refers to; it may be gone.

        Args:
            path: as `write` gave it.
        """
        with contextlib.suppress(OSError, StorageError), self._opened() as folder:
            os.unlink(path.rpartition("/")[2], dir_fd=folder)

    def _new(self, folder: int, name: str) -> tuple[str, int]:
        """A file that wasn't there, with the next free number, open for writing."""
        numbers = (_NUMBER.match(entry) for entry in os.listdir(folder))
        number = max([self._last, *(int(found[1]) for found in numbers if found)])
        while True:
            number += 1
            numbered = f"{number:03}-{name}.txt"
            try:
                descriptor = os.open(numbered, _NEW, PRIVATE_FILE, dir_fd=folder)
            except FileExistsError:
                continue
            self._last = max(self._last, number)
            return numbered, descriptor

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The folder's descriptor; what is missing is made."""
        path = self._root
        descriptor = os.open(path, _FOLDER & ~os.O_NOFOLLOW)
        try:
            for depth, part in enumerate(self._parts):
                path /= part
                inner = self._enter(descriptor, path)
                os.close(descriptor)
                descriptor = inner
                if depth == len(self._parts) - 2:
                    _keep_from_git(descriptor)
            yield descriptor
        finally:
            os.close(descriptor)

    def _enter(self, above: int, path: Path) -> int:
        """Opens a folder in an opened one, made if it is missing."""
        try:
            os.mkdir(path.name, PRIVATE_FOLDER, dir_fd=above)
        except FileExistsError:
            pass
        else:
            sync_folder(path.parent)
        try:
            return os.open(path.name, _FOLDER, dir_fd=above)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENOTDIR} and stat.S_ISLNK(
                os.stat(path.name, dir_fd=above, follow_symlinks=False).st_mode
            ):
                raise LinkedFolder("storage.linked", path=path) from error
            raise


def file_name(tool: str) -> str:
    """A tool's name as a part of a file's name: `A-Z a-z 0-9 _ . -`, others as `_` (FACTS 1.4)."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", tool)[:_LONGEST_NAME] or "tool"


def _keep_from_git(folder: int) -> None:
    """Keeps the folder out of the project's repository, unless the user has said something."""
    try:
        descriptor = os.open(_IGNORE, _NEW, PRIVATE_FILE, dir_fd=folder)
    except FileExistsError:
        return
    try:
        try:
            write_all(descriptor, b"*\n")
        finally:
            os.close(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(_IGNORE, dir_fd=folder)
        raise
