"""Where everything lives: under the home folder, and under `<project>/.haima`.

Other programs may read all of it. What a path holds stands in its docstring; the README lists them.
Nothing here touches the disk: whoever writes makes the folder (`storage.private_folder`, 0700).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.errors import HaimaError

_CHAIN = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,63}")


class PathsError(HaimaError):
    """A place Haima needs can't be had."""

    code = "paths"


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders and files of one home.

    Attributes:
        home: `HAIMA_HOME`, `~/.haima` by default; absolute.
    """

    home: Path

    @property
    def config_file(self) -> Path:
        """The user's settings, TOML, 0600: it may hold an API key."""
        return self.home / "config.toml"

    @property
    def ledgers(self) -> Path:
        """The folder of the ledgers."""
        return self.home / "history" / "raw"

    def ledger(self, chain: str) -> Path:
        """One chain's ledger: every message, usage and error of it, append-only JSONL, 0600.

        Raises:
            ValueError: the chain id is not one (a fault of the program: ids are ours).
        """
        if not _CHAIN.fullmatch(chain):
            raise ValueError(f"not a chain id: {chain!r}")
        return self.ledgers / f"{chain}.jsonl"

    @property
    def database(self) -> Path:
        """What lists and look-ups read: SQLite, made of the ledgers, 0600 (`-wal`, `-shm` too)."""
        return self.home / "haima.db"

    @property
    def limits_file(self) -> Path:
        """What endpoints told of their windows when a request was too long (`session.learned`)."""
        return self.home / "limits.json"

    @property
    def memory(self) -> Path:
        """The folder of long-term memory."""
        return self.home / "memory"

    @property
    def facts_file(self) -> Path:
        """The memories of all projects: a JSON array that other programs share, 0600.

        Beside it lie its lock, its journal (`….journal.jsonl`: history, undo) and copies of what
        was found broken (`.corrupt-…`).
        """
        return self.memory / "long_term_memory.json"

    @property
    def inbox_file(self) -> Path:
        """Texts that contradict memories and wait for the user's decision, JSON, 0600."""
        return self.memory / "inbox.json"

    @property
    def recall_index(self) -> Path:
        """What memories are found by: SQLite, made of the memories, 0600."""
        return self.memory / "recall.db"

    @property
    def log_file(self) -> Path:
        """What went wrong, for a report of a fault; without credentials."""
        return self.home / "haima.log"

    def project_folder(self, slug: str) -> Path:
        """What is kept for one project outside it (`project.Project.slug`)."""
        return self.home / "projects" / slug

    @property
    def demo(self) -> Path:
        """Scratch copies of the sample project, in which the demo works."""
        return self.home / "demo"


def haima_home(environ: Mapping[str, str]) -> Path:
    """The home folder: `HAIMA_HOME`, else `~/.haima`; always absolute.

    `~` and `~user` are expanded; a relative value counts from the working folder.

    Raises:
        PathsError: `~` is in it and the system knows no home folder.
    """
    text = environ.get("HAIMA_HOME", "").strip() or "~/.haima"
    name, slash, rest = text.partition("/")
    if name == "~" and (home := environ.get("HOME")):
        return (Path(home) / rest).absolute()
    try:
        return Path(name + slash + rest).expanduser().absolute()
    except RuntimeError as error:
        raise PathsError("paths.no_home", value=text) from error


def project_data(root: Path) -> Path:
    """What Haima keeps in a project: `<project>/.haima`."""
    return root / ".haima"


def project_config(root: Path) -> Path:
    """The project's own settings, TOML; only a few keys of it count (`config.PROJECT_KEYS`)."""
    return project_data(root) / "config.toml"


def tool_outputs(root: Path, chain: str) -> Path:
    """One chain's results that were too big for the context, whole, 0700; files 0600.

    A `.gitignore` above keeps them out of the project's repository.

    Raises:
        ValueError: the chain id is not one (a fault of the program: ids are ours).
    """
    return _of_chain(root, "tool-outputs", chain)


def pastes(root: Path, chain: str) -> Path:
    """One chain's long pastes of the user, as `tool_outputs` keeps results.

    Raises:
        ValueError: the chain id is not one (a fault of the program: ids are ours).
    """
    return _of_chain(root, "pastes", chain)


def _of_chain(root: Path, folder: str, chain: str) -> Path:
    if not _CHAIN.fullmatch(chain):
        raise ValueError(f"not a chain id: {chain!r}")
    return project_data(root) / folder / chain


def styles_folder() -> Path:
    """The folder of the `.tcss` files: beside the package, installed and editable alike.

    Raises:
        PathsError: it isn't there; the installation is broken.
    """
    folder = Path(__file__).resolve().parents[1] / "styles"
    if not folder.is_dir():
        raise PathsError("paths.no_styles", path=folder)
    return folder
