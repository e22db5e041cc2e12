"""The branch, as `HEAD` has it."""

import subprocess
from pathlib import Path

import pytest

from app.session.branch import current_branch


def test_outside_a_repository(tmp_path: Path) -> None:
    assert current_branch(tmp_path) == ""


@pytest.mark.parametrize(
    ("head", "branch"),
    [
        ("ref: refs/heads/main\n", "main"),
        ("ref: refs/heads/feature/a-b\n", "feature/a-b"),
        ("0123456789abcdef0123456789abcdef01234567\n", "01234567"),
        ("", ""),
    ],
)
def test_as_head_says(tmp_path: Path, head: str, branch: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head)
    (tmp_path / "src").mkdir()
    assert current_branch(tmp_path) == branch
    assert current_branch(tmp_path / "src") == branch


def test_in_a_work_tree_of_its_own(tmp_path: Path) -> None:
    main = tmp_path / "main"
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run([*git, "init", "-q", "-b", "trunk", main], check=True)
    subprocess.run([*git, "-C", main, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    subprocess.run(
        [*git, "-C", main, "worktree", "add", "-q", "-b", "topic", tmp_path / "other"], check=True
    )
    assert current_branch(main) == "trunk"
    assert current_branch(tmp_path / "other") == "topic"
