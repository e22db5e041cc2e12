"""The documents for agents that go into the system message (DESIGN 3).

`AGENTS.md`, else `CLAUDE.md`, else `PAI.md`: first the project's, then the user's own for all
projects, which lies in Haima's home. Together at most 24,000 characters.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.agent.prompts import Document
from app.boundary import decode
from app.errors import HaimaError
from app.events import Notice
from app.project import Project
from app.text import Words

NAMES = ("AGENTS.md", "CLAUDE.md", "PAI.md")
LIMIT = 24_000
"""Characters of all documents together (DESIGN 3)."""


@dataclass(frozen=True, slots=True)
class Documents:
    """What was found, and what the user should hear about it."""

    documents: tuple[Document, ...] = ()
    notices: tuple[Notice, ...] = ()


def read_documents(project: Project, home: Path, words: Words, limit: int = LIMIT) -> Documents:
    """Reads both documents, the project's first; a cut or unreadable one is told.

    A project's document that is a link out of the project is not read: it could be any file of the
    user's, and it would be sent to the provider.
    """
    documents: list[Document] = []
    notices: list[Notice] = []
    for shown, path in _candidates(project, home, words, notices):
        left = limit - sum(len(document.text) for document in documents)
        if left <= 0:
            notices.append(_notice("document_cut", words("session.document_left_out", path=shown)))
            continue
        document = _read(shown, path, left, words, notices)
        if document is None:
            continue
        documents.append(document)
        if document.kept is not None:
            text = words("session.document_cut", path=shown, n=document.kept)
            notices.append(_notice("document_cut", text))
    return Documents(tuple(documents), tuple(notices))


def _candidates(
    project: Project, home: Path, words: Words, notices: list[Notice]
) -> Iterator[tuple[str, Path]]:
    """The document of the project and the one of the home, as (shown path, path)."""
    for name in NAMES:
        if not (project.root / name).is_file():
            continue
        try:
            path = project.resolve(name)
        except HaimaError as error:
            notices.append(_notice("document_unreadable", error.sentence(words)))
            continue
        if not _blank(path):
            yield name, path
            break
    if home.resolve() == project.root:
        return
    for name in NAMES:
        path = home / name
        if path.is_file() and not _blank(path):
            yield str(path), path
            break


def _blank(path: Path) -> bool:
    try:
        return not path.stat().st_size
    except OSError:
        return False


def _read(
    shown: str, path: Path, limit: int, words: Words, notices: list[Notice]
) -> Document | None:
    try:
        with path.open("rb") as file:
            raw = file.read(4 * limit + 4)  # 4 bytes hold any character of UTF-8
    except OSError as error:
        text = words("session.document_unreadable", path=shown, problem=error.strerror or error)
        notices.append(_notice("document_unreadable", text))
        return None
    text = decode(raw.removeprefix(b"\xef\xbb\xbf"))
    if len(text) <= limit:
        return Document(shown, text)
    kept = text[:limit]
    kept = kept[: kept.rfind("\n") + 1] or kept
    return Document(shown, kept, kept=len(kept))


def _notice(code: str, text: str) -> Notice:
    return Notice(code=code, text=text, severity="warn")
