"""Ignore rules: as git reads them, checked against git itself."""

import os
import subprocess
from pathlib import Path

import pytest

from app.project import Project


def tree(root: Path, files: dict[str, str]) -> Project:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Project(root)


SAMPLE = {
    ".gitignore": "*.log\n!keep.log\nbuild/\n/only-top\n中文/\nsub/*.tmp\n#not\n\\#hash\n"
    "space \\ \nall/**\n!all/kept\nlater/*\n!later/x\n",
    "a.log": "",
    "all/kept": "",
    "all/gone": "",
    "later/x/y": "",
    "later/z": "",
    "keep.log": "",
    "build/x.py": "",
    "only-top": "",
    "deep/only-top": "",
    "deep/build": "a file, not a folder",
    "中文/文件.txt": "",
    "资料/说明.md": "",
    "sub/a.tmp": "",
    "sub/deep/b.tmp": "",
    "sub/.gitignore": "!a.tmp\nlocal.txt\n",
    "sub/local.txt": "",
    "local.txt": "",
    "#hash": "",
    "#not": "",
    ".env": "",
    ".github/workflows/ci.yml": "",
    "sub/inner/.gitignore": "*\n!.gitignore\n!wanted\n",
    "sub/inner/wanted": "",
    "sub/inner/other": "",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "p"
    root.mkdir()
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_text("excluded.txt\nlocal.txt\n")
    (root / "excluded.txt").write_text("")
    return tree(root, SAMPLE)


def git_files(root: Path) -> list[str]:
    command = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    output = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout
    return sorted(output.decode().strip("\0").split("\0"))


def test_the_files_are_those_git_sees(project: Project) -> None:
    assert sorted(project.files()) == git_files(project.root)


def test_is_ignored_agrees_with_git(project: Project) -> None:
    seen = set(git_files(project.root))
    for path in project.root.rglob("*"):
        if path.is_file() and ".git/" not in str(path):
            assert project.is_ignored(path) == (project.relative(path) not in seen), path


def test_git_and_our_own_state_are_always_out_of_sight(tmp_path: Path) -> None:
    project = tree(
        tmp_path / "p",
        {".haima/tool-outputs/x/1.txt": "", "lib/.git": "gitdir: x\n", "lib/.haima/x": "", "a": ""},
    )
    (project.root / ".gitignore").write_text("!.haima\n!.haima/**\n!.git\n")
    assert list(project.files()) == [".gitignore", "a"]
    assert project.is_ignored(project.root / ".haima" / "tool-outputs" / "x" / "1.txt")


def test_rules_hold_without_git(tmp_path: Path) -> None:
    project = tree(tmp_path / "p", {".gitignore": "x\n", "x": "", "y": "", "d/x": ""})
    assert list(project.files()) == [".gitignore", "y"]


def test_rules_above_a_project_inside_a_repository_count(tmp_path: Path) -> None:
    tree(tmp_path / "mono", {".gitignore": "node_modules/\n/packages/a/gen\n", ".git/HEAD": ""})
    project = tree(
        tmp_path / "mono" / "packages" / "a", {"node_modules/x": "", "gen/y": "", "src/z": ""}
    )
    assert list(project.files()) == ["src/z"]


def test_rules_above_stop_at_a_repository_inside(tmp_path: Path) -> None:
    project = tree(
        tmp_path / "p",
        {
            ".git/HEAD": "",
            ".gitignore": "*.gen\n",
            "a.gen": "",
            "lib/.git/HEAD": "",
            "lib/b.gen": "",
        },
    )
    assert list(project.files()) == [".gitignore", "lib/b.gen"]


def test_an_ignored_project_folder_is_still_a_project(tmp_path: Path) -> None:
    tree(tmp_path / "mono", {".gitignore": "scratch/\n*.o\n", ".git/HEAD": ""})
    project = tree(tmp_path / "mono" / "scratch", {"a.c": "", ".gitignore": "b.c\n", "b.c": ""})
    assert list(project.files()) == [".gitignore", "a.c"]


def test_a_worktree_reads_the_exclude_file_of_its_repository(tmp_path: Path) -> None:
    git = tmp_path / "main" / ".git"
    (git / "info").mkdir(parents=True)
    (git / "info" / "exclude").write_text("hidden\n")
    (git / "worktrees" / "w").mkdir(parents=True)
    (git / "worktrees" / "w" / "commondir").write_text("../..\n")
    project = tree(
        tmp_path / "w", {".git": f"gitdir: {git}/worktrees/w\n", "hidden": "", "seen": ""}
    )
    assert list(project.files()) == ["seen"]


def test_files_are_by_name_and_limited(tmp_path: Path) -> None:
    project = tree(tmp_path / "p", {f"{letter}.txt": "" for letter in "cab"} | {"b/z": "", "B": ""})
    assert list(project.files()) == ["B", "a.txt", "b/z", "b.txt", "c.txt"]
    assert list(project.files(limit=2)) == ["B", "a.txt"]


def test_links_cannot_catch_the_walk(tmp_path: Path) -> None:
    project = tree(tmp_path / "p", {"d/a": "", "real.txt": ""})
    (tmp_path / "out.txt").write_text("")
    (project.root / "d" / "loop").symlink_to("..")
    (project.root / "d" / "self").symlink_to("self")
    (project.root / "link.txt").symlink_to("real.txt")
    (project.root / "out.txt").symlink_to(tmp_path / "out.txt")
    (project.root / "dangling").symlink_to("nothing")
    assert list(project.files()) == ["d/a", "link.txt", "real.txt"]
    assert [project.relative(path) for path in project.walk()] == ["d/a", "real.txt"]


def test_bad_patterns_and_odd_ignore_files_do_no_harm(tmp_path: Path) -> None:
    project = tree(tmp_path / "p", {"a": "", "b": "", "d/c": "", "e/x": ""})
    (project.root / ".gitignore").write_bytes(b"\xef\xbb\xbfa\r\n!\n\xff\xfe\n\\\n")
    (project.root / "d" / ".gitignore").mkdir()
    os.mkfifo(project.root / "e" / ".gitignore")
    assert "a" not in list(project.files())
    assert {"b", "d/c", "e/x"} <= set(project.files())


def test_a_folder_deeper_than_recursion_allows(tmp_path: Path) -> None:
    root = tmp_path / "p"
    root.mkdir()
    place = os.open(root, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=place)
        deeper = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = deeper
    os.close(place)
    (root / "x").write_text("")
    assert "x" in list(Project(root).files())
    subprocess.run(["rm", "-rf", str(root)], check=True)
