"""The git state of the header, from real repositories."""

import asyncio
import os
import stat
import subprocess
from pathlib import Path

import pytest

from app.project import GitState, git_state


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "r"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a").write_text("a\n")
    git(root, "add", "a")
    git(root, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "a")
    return root


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


async def test_branch_and_changes(repository: Path) -> None:
    assert await git_state(repository, os.environ) == GitState("main", 0)
    (repository / "a").write_text("b\n")
    (repository / "new\nname").write_text("")
    assert await git_state(repository, os.environ) == GitState("main", 2)
    git(repository, "mv", "a", "b")
    git(repository, "checkout", "-q", "-b", "功能")
    assert await git_state(repository, os.environ) == GitState("功能", 2)


async def test_a_detached_head_shows_its_commit(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD").strip()
    git(repository, "checkout", "-q", "--detach")
    assert await git_state(repository, os.environ) == GitState(commit[:8], 0)


async def test_a_repository_without_commits(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "start")
    state = await git_state(tmp_path, os.environ)
    assert state is not None
    assert state.branch == "start"


async def test_nothing_outside_a_repository(tmp_path: Path) -> None:
    assert await git_state(tmp_path, os.environ) is None


async def test_git_is_started_inside_of_repositories_alone(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noting = tmp_path / "bin" / "git"
    noting.parent.mkdir()
    noting.write_text(f"#!/bin/sh\necho x >> {tmp_path}/started\nexit 1\n")
    noting.chmod(noting.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{noting.parent}:{os.environ['PATH']}")
    inside, outside = repository / "deep" / "er", tmp_path / "plain"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
    (tmp_path / "link").symlink_to(inside)
    assert await git_state(outside, os.environ) is None
    assert not (tmp_path / "started").exists()
    for folder in (repository, inside, tmp_path / "link"):
        assert await git_state(folder, os.environ) is None
    assert (tmp_path / "started").read_text().split() == ["x"] * 3


async def test_a_work_tree_beside_the_repository_is_known(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert await git_state(tmp_path / "side", os.environ) == GitState("side", 0)


async def test_the_environment_cannot_name_another_repository(
    repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "plain").mkdir()
    environ = {**os.environ, "GIT_DIR": str(repository / ".git")}
    assert await git_state(tmp_path / "plain", environ) is None


async def test_nothing_without_git(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await git_state(repository, os.environ) is None


async def test_a_git_that_hangs_is_given_up(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 1000\n")
    slow.chmod(slow.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    async with asyncio.timeout(60):  # far more than any machine takes: else it waits for git
        assert await git_state(repository, os.environ, limit=0.2) is None


async def test_no_program_of_the_repository_is_run(repository: Path) -> None:
    hook = repository / "monitor.sh"
    hook.write_text(f"#!/bin/sh\ntouch {repository}/ran\n")
    hook.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(hook))
    assert await git_state(repository, os.environ) == GitState("main", 1)
    assert not (repository / "ran").exists()
