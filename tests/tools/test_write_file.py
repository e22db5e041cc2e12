"""`write_file`: exactly the content, whole or not at all, and only where it may."""

import asyncio
import os
import stat
import threading
from pathlib import Path

import pytest

from app import storage
from app.config import ToolSettings
from app.project import Project
from app.text import Words
from app.tools import writing
from app.tools.base import Preview, ToolOutput
from app.tools.toolbox import Toolbox
from tests.tools.conftest import Call


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_new_file_with_its_folders(root: Path, call: Call) -> None:
    output = await call("write_file", path="src/新/a.py", content="a\nb\n")
    assert (root / "src" / "新" / "a.py").read_text() == "a\nb\n"
    assert (output.ok, output.added, output.removed) == (True, 2, 0)
    assert output.text == "Created src/新/a.py: 2 lines."
    assert [line.text for line in output.diff] == ["a", "b"]


async def test_what_is_given_is_written_byte_for_byte(root: Path, call: Call) -> None:
    (root / "a").write_bytes(b"old\r\n")
    for content in ("", "no end", "crlf\r\nlf\n", "\ufeffmark\x1b\0\n", "🚀"):
        await call("write_file", path="a", content=content)
        assert (root / "a").read_bytes() == content.encode()


async def test_replacing_counts_lines_and_keeps_the_mode(root: Path, call: Call) -> None:
    (root / "run.sh").write_text("one\ntwo\n")
    (root / "run.sh").chmod(0o755)
    output = await call("write_file", path="run.sh", content="one\n2\n3\n")
    assert (output.added, output.removed) == (2, 1)
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o755
    assert names(root) == ["run.sh"]


async def test_a_new_file_has_the_user_s_mode(project: Project) -> None:
    old = os.umask(0o027)
    try:
        toolbox = Toolbox(project, Words("en"), {}, ToolSettings())
    finally:
        os.umask(old)
    await toolbox.prepare("write_file", '{"path": "a", "content": ""}').run()
    assert stat.S_IMODE((project.root / "a").stat().st_mode) == 0o640


async def test_the_same_content_is_not_written(root: Path, call: Call) -> None:
    (root / "a").write_text("same\n")
    before = (root / "a").stat()
    output = await call("write_file", path="a", content="same\n")
    assert (output.ok, output.added, output.removed) == (True, 0, 0)
    assert (root / "a").stat().st_ino == before.st_ino


@pytest.mark.parametrize(
    "path",
    ["../a", "/tmp/haima-outside", "~/a", "link/a", ".haima/config.toml", "./.haima/x", ".HAIMA/x"],
)
async def test_where_nothing_is_written(root: Path, call: Call, path: str) -> None:
    (root / "link").symlink_to(root.parent)
    before = sorted(root.parent.rglob("*"))
    output = await call("write_file", path=path, content="x")
    assert not output.ok
    assert sorted(root.parent.rglob("*")) == before


async def test_a_link_inside_is_written_through(root: Path, call: Call) -> None:
    (root / "AGENTS.md").write_text("old\n")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    await call("write_file", path="CLAUDE.md", content="new\n")
    assert (root / "AGENTS.md").read_text() == "new\n"
    assert (root / "CLAUDE.md").is_symlink()


async def test_folders_and_files_in_the_way(root: Path, call: Call) -> None:
    (root / "folder").mkdir()
    (root / "file").write_text("")
    assert "folder" in (await call("write_file", path="folder", content="")).text
    output = await call("write_file", path="file/below/a", content="")
    assert not output.ok
    assert "file is a file" in output.text


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
async def test_a_read_only_file_is_left(root: Path, call: Call) -> None:
    (root / "a").write_text("old")
    (root / "a").chmod(0o444)
    assert not (await call("write_file", path="a", content="new")).ok
    assert (root / "a").read_text() == "old"


async def test_a_failed_write_is_reported_and_leaves_the_file(
    root: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("old")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    output = await call("write_file", path="a", content="new")
    assert not output.ok
    assert (root / "a").read_text() == "old"
    assert names(root) == ["a"]


async def test_a_file_changed_meanwhile_is_left(
    root: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("old")
    real = storage.write_atomic

    def changed_first(path: Path, *arguments: object, **options: object) -> None:
        path.write_text("the user's")
        real(path, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(writing, "write_atomic", changed_first)
    assert not (await call("write_file", path="a", content="new")).ok
    assert (root / "a").read_text() == "the user's"


async def test_a_folder_swapped_for_a_link_meanwhile_leads_nowhere(
    root: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "src").mkdir()
    outside = root.parent / "outside"
    outside.mkdir()
    real = Path.mkdir

    def swapped(self: Path, *arguments: object, **options: object) -> None:
        real(self, *arguments, **options)  # type: ignore[arg-type]
        if self.name == "src":
            self.rmdir()
            self.symlink_to(outside)

    monkeypatch.setattr(Path, "mkdir", swapped)
    assert not (await call("write_file", path="src/a", content="x")).ok
    assert names(outside) == []


async def test_the_preview_shows_the_diff_and_writes_nothing(root: Path, toolbox: Toolbox) -> None:
    (root / "a").write_text("one\n")
    prepared = toolbox.prepare("write_file", '{"path": "a", "content": "two\\n"}')
    preview = await prepared.preview()
    assert isinstance(preview, Preview)
    assert [line.sign for line in preview.diff] == ["-", "+"]
    assert (root / "a").read_text() == "one\n"
    failing = await toolbox.prepare("write_file", '{"path": "../a", "content": ""}').preview()
    assert isinstance(failing, ToolOutput)
    assert not failing.ok


@pytest.mark.parametrize(
    ("path", "label", "folder"),
    [
        ("a.py", "*", "."),
        ("src/a.py", "src/*", "src"),
        ("src/../lib/x/a.py", "lib/x/*", "lib/x"),
    ],
)
async def test_always_covers_the_files_of_the_folder(
    toolbox: Toolbox, path: str, label: str, folder: str
) -> None:
    scope = toolbox.prepare("write_file", f'{{"path": "{path}", "content": ""}}').scope
    assert scope is not None
    assert (scope.label, scope.value) == (label, (folder,))


async def test_git_s_own_files_are_asked_for_every_time(toolbox: Toolbox) -> None:
    for path in (".git/hooks/pre-commit", ".git/config", "lib/.GIT/config", "../x"):
        prepared = toolbox.prepare("write_file", f'{{"path": "{path}", "content": "x"}}')
        assert prepared.scope is None
    preview = await toolbox.prepare(
        "write_file", '{"path": ".git/hooks/pre-commit", "content": "x"}'
    ).preview()
    assert isinstance(preview, Preview)
    assert [finding.label for finding in preview.findings] == ["Git's own files"]


async def test_a_cancel_waits_for_the_write(
    root: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, go_on = threading.Event(), threading.Event()
    real = storage.write_atomic

    def slow(*arguments: object, **options: object) -> None:
        started.set()
        go_on.wait(10)
        real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(writing, "write_atomic", slow)
    task = asyncio.ensure_future(call("write_file", path="a", content="x"))
    await asyncio.to_thread(started.wait, 10)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (root / "a").read_text() == "x"
