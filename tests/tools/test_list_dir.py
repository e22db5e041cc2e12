"""`list_dir`: one folder, what is ignored left out and said."""

import os
from pathlib import Path

from tests.tools.conftest import Call


async def test_folders_first_then_files_with_sizes(root: Path, call: Call) -> None:
    (root / "src").mkdir()
    (root / "资料").mkdir()
    (root / "b.txt").write_text("x" * 2100)
    (root / "a.txt").write_text("x")
    output = await call("list_dir", path=".")
    assert output.text == "src/\n资料/\na.txt  1 B\nb.txt  2.1 KB"


async def test_ignored_entries_are_left_out_and_named(root: Path, call: Call) -> None:
    (root / ".git").mkdir()
    (root / "target").mkdir()
    (root / ".gitignore").write_text("target/\n*.log\n")
    (root / "x.log").write_text("")
    (root / "kept").write_text("")
    text = (await call("list_dir", path=".")).text
    assert text.startswith(".gitignore  14 B\nkept  0 B\n")
    assert text.endswith("[3 ignored entries left out: .git/, target/, x.log]")


async def test_an_ignored_folder_can_be_looked_into(root: Path, call: Call) -> None:
    (root / ".git").mkdir()
    (root / ".gitignore").write_text("node_modules/\n")
    (root / "node_modules" / "lib").mkdir(parents=True)
    assert (await call("list_dir", path="node_modules")).text == "lib/"


async def test_at_most_five_hundred(root: Path, call: Call) -> None:
    for number in range(503):
        (root / f"{number:03}").touch()
    lines = (await call("list_dir", path=".")).text.split("\n")
    assert len(lines) == 501
    assert lines[499] == "499  0 B"
    assert "3 more" in lines[500]


async def test_links_say_where_they_lead(root: Path, call: Call) -> None:
    (root / "real").mkdir()
    (root / "file").write_text("")
    (root / "to-folder").symlink_to("real")
    (root / "to-file").symlink_to("file")
    (root / "away").symlink_to("/etc")
    text = (await call("list_dir", path=".")).text
    assert "to-folder -> real/" in text
    assert "to-file -> file\n" in text + "\n"
    assert "away -> outside the project" in text


async def test_odd_names_stay_on_their_line(root: Path, call: Call) -> None:
    (root / "two\nlines\x1b[31m").write_text("")
    os.mkfifo(root / "pipe")
    text = (await call("list_dir", path=".")).text
    assert text.split("\n") == ["pipe  0 B", "two\\x0alines\\x1b[31m  0 B"]


async def test_what_is_no_folder(root: Path, call: Call) -> None:
    (root / "a.py").write_text("")
    (root / "empty").mkdir()
    assert "read_file" in (await call("list_dir", path="a.py")).text
    assert "does not exist" in (await call("list_dir", path="nowhere")).text
    assert not (await call("list_dir", path="..")).ok
    empty = await call("list_dir", path="empty")
    assert (empty.ok, empty.text) == (True, "[empty folder]")
