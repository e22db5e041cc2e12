"""One name for a file, however it is spelt (FACTS line 456)."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.memory.work_paths import LONGEST_PATH, WorkPaths, without_side
from tests.memory.work_desk import ROOT


@pytest.mark.parametrize(
    "spelt",
    [
        "src/a.py",
        "./src/a.py",
        "././src//a.py",
        f"{ROOT}/src/a.py",
        f"{ROOT}/../proj/src/a.py",
        "src/../src/a.py",
        "src/sub/../a.py",
        "src\\a.py",
        ".\\src\\a.py",
        "'src/a.py'",
        '"src/a.py"',
        "`src/a.py`",
        " src/a.py\n",
        f"file://{ROOT}/src/a.py",
        "~/proj/src/a.py",
        "src/a.py/",
        "src/a.py (lines 325-345)",
    ],
)
def test_all_spellings_are_one(spelt: str) -> None:
    assert WorkPaths(ROOT).name(spelt) == "src/a.py"


@pytest.mark.parametrize(
    ("spelt", "name"),
    [
        ("/etc/hosts", "/etc/hosts"),
        ("../other/b.py", "/home/lin/other/b.py"),
        (f"{ROOT}2/a.py", f"{ROOT}2/a.py"),
        ("~/notes.md", "/home/lin/notes.md"),
        ("~mei/notes.md", "~mei/notes.md"),
        (".", "."),
        (ROOT, "."),
        ("Src/A.py", "Src/A.py"),
        ("docs/说明.md", "docs/说明.md"),
        ("a b.txt", "a b.txt"),
        ("D:\\x\\y.py", "D:/x/y.py"),
        ("file:///tmp/a%20b.txt", "/tmp/a b.txt"),
    ],
)
def test_others_keep_their_place(spelt: str, name: str) -> None:
    assert WorkPaths(ROOT).name(spelt) == name


@pytest.mark.parametrize(
    "text", ["", "  ", "https://x.org/a.py", "a\nb", "a\0b", "\ud800", "x" * (LONGEST_PATH + 1)]
)
def test_what_is_no_path(text: str) -> None:
    assert WorkPaths(ROOT).name(text) is None


@pytest.mark.parametrize(
    "spelt",
    [
        "C:\\w\\proj\\src\\a.py",
        "c:/w/proj/src/a.py",
        "/c/w/proj/src/a.py",
        "src\\a.py",
        "file:///C:/w/proj/src/a.py",
        "C:\\W\\Proj\\src\\a.py",
    ],
)
def test_a_project_on_windows(spelt: str) -> None:
    assert WorkPaths("c:\\w\\proj").name(spelt) == "src/a.py"


def test_a_folder_the_command_runs_in() -> None:
    paths = WorkPaths(ROOT)
    assert paths.name("a.py", "src/sub") == "src/sub/a.py"
    assert paths.name("../a.py", "src") == "a.py"
    assert paths.name("a.py", "/tmp") == "/tmp/a.py"


def test_symlinks_are_followed(tmp_path: Path) -> None:
    root = tmp_path / "proj"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").touch()
    (root / "link.py").symlink_to(root / "src" / "a.py")
    (root / "lib").symlink_to(root / "src")
    (root / "out").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(root)
    paths = WorkPaths(str(root), os.path.realpath)
    for spelt in (
        "link.py",
        "lib/a.py",
        "src/a.py",
        f"{tmp_path}/again/lib/a.py",
        "lib/../src/a.py",
    ):
        assert paths.name(spelt) == "src/a.py", spelt
    assert paths.name("out/b.py") == f"{os.path.realpath(tmp_path)}/b.py"
    assert WorkPaths(f"{tmp_path}/again", os.path.realpath).name("lib/a.py") == "src/a.py"


def test_a_resolver_that_fails_is_none() -> None:
    def fails(path: str) -> str:
        raise OSError(path)

    assert WorkPaths(ROOT, fails).name("./a/../b.py") == "b.py"


def test_sides_of_a_diff() -> None:
    assert [without_side(one) for one in ("a/x.py", "b/x.py", "c/x.py", "a/")] == [
        "x.py",
        "x.py",
        "c/x.py",
        "a/",
    ]


@given(st.text(st.sampled_from("ab./\\~'\"` :C%2\u8bf4"), max_size=24))
@example("./~/x")
@example("a /x/..")
@example("./'a'")
@example("~/proj/~/proj/~")
def test_naming_a_name_changes_nothing(text: str) -> None:
    for root in (ROOT, "C:/w/proj", ""):
        paths = WorkPaths(root)
        name = paths.name(text)
        if name is not None:
            assert paths.name(name) == name
