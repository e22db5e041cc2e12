"""Which git branch the project is on, read from `HEAD` itself: cheap enough for every message."""

from pathlib import Path

from app.conversation.history import History
from app.conversation.messages import CorrectionPart
from app.text import Words


def current_branch(root: Path) -> str:
    """The branch, the first 8 digits of a detached head, or "" outside a repository."""
    for folder in (root, *root.parents):
        if head := _head(folder / ".git"):
            name = head.removeprefix("ref: refs/heads/")
            return head[:8] if name == head else name
    return ""


def branch_told(
    branch: str, before: str, history: History, words: Words
) -> tuple[CorrectionPart, ...]:
    """What the user's message tells of a changed branch (DESIGN 3); nothing of the same one.

    Args:
        branch: as it is now; "" outside a repository.
        before: what the model was told last.
        history: before that message.
        words: the language.
    """
    if branch == before:
        return ()
    told = CorrectionPart(
        words("system.branch_changed", branch=branch or "—", before=before or "—")
    )
    asked = (one for one in reversed(history.messages) if one.role == "user")
    # The newest message tells it already where a crash came before it was written down.
    return () if told in next((one.parts for one in asked), ()) else (told,)


def _head(git: Path) -> str:
    """What `HEAD` holds; `git` is the folder, or a worktree's file that names it."""
    try:
        if git.is_file():
            target = git.read_text(encoding="utf-8", errors="replace").strip()
            git = git.parent / target.removeprefix("gitdir:").strip()
        return (git / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
