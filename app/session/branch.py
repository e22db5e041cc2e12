"""Which git branch the project is on, read from `HEAD` itself: cheap enough for every message."""

from pathlib import Path


def current_branch(root: Path) -> str:
    """The branch, the first 8 digits of a detached head, or "" outside a repository."""
    for folder in (root, *root.parents):
        if head := _head(folder / ".git"):
            name = head.removeprefix("ref: refs/heads/")
            return head[:8] if name == head else name
    return ""


def _head(git: Path) -> str:
    """What `HEAD` holds; `git` is the folder, or a worktree's file that names it."""
    try:
        if git.is_file():
            target = git.read_text(encoding="utf-8", errors="replace").strip()
            git = git.parent / target.removeprefix("gitdir:").strip()
        return (git / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
