"""The system message: one, first, and the same bytes as long as its session lasts (DESIGN 3).

It is put together from words and from what was found at the session's start; nothing in it changes
with the clock, the files or the work, so the provider's prefix cache keeps working.
"""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from app.boundary import neutralise
from app.project import GitState
from app.text import Words


@dataclass(frozen=True, slots=True)
class Document:
    """A document for agents, the project's or the user's own.

    Attributes:
        path: as it is shown to the model: relative in the project, whole elsewhere.
        text: decoded, perhaps cut.
        kept: characters kept when it was cut, else None.
    """

    path: str
    text: str
    kept: int | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the system message says about the place.

    Attributes:
        root: the project's folder.
        today: the local date at the session's start.
        system: the operating system's name.
        shell: what runs commands.
        git: None: no repository, or no git.
        documents: in the order in which they are told.
        attended: whether somebody can answer and interrupt.
    """

    root: Path
    today: date
    system: str
    shell: str
    git: GitState | None = None
    documents: tuple[Document, ...] = ()
    attended: bool = True


def system_parts(words: Words, place: Surroundings) -> tuple[str, ...]:
    """The text of the system message, equal for equal arguments, to be joined without a gap.

    In pieces, for the meter tells them apart: the prompt, then each project document.
    """
    attended = words("system.attended" if place.attended else "system.unattended").strip()
    sections = [
        words("system.role"),
        f"{words('system.work').strip()}\n{attended}",
        words("system.answers"),
        words("system.blocks"),
        words(
            "system.place",
            root=place.root,
            date=place.today.isoformat(),
            system=place.system,
            shell=place.shell,
            git=git_text(words, place.git),
        ),
    ]
    if place.documents:
        sections.append(words("system.documents"))
    prompt = "\n\n".join(section.strip() for section in sections)
    documents = (_document(words, document).strip() for document in place.documents)
    return (prompt, *(f"\n\n{document}" for document in documents))


def git_text(words: Words, git: GitState | None) -> str:
    """The state of the repository in a few words."""
    if git is None:
        return words("system.git_none")
    if not git.changes:
        return words("system.git_clean", branch=git.branch)
    return words("system.git_changes", branch=git.branch, n=git.changes)


def _document(words: Words, document: Document) -> str:
    text = document.text.strip("\n")
    if document.kept is not None:
        cut = words("system.document_cut", n=document.kept, path=document.path)
        text = f"{text}\n{cut}"
    return f"## {document.path}\n\n{neutralise(text)}"
