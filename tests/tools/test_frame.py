"""A long content stands in a frame: what the tool says before it and after it."""

import json
import threading
from pathlib import Path

import pytest

from app.conversation.content import Content
from app.project import Project
from app.tools import shell
from app.tools.base import COMMAND_LIMIT, RESULT_LIMIT, ToolOutput
from app.tools.toolbox import Toolbox
from tests.tools.conftest import KEY, Call


def inside(output: ToolOutput) -> str:
    """What stands in the frame."""
    assert output.text.startswith(output.before)
    assert output.text.endswith(output.after)
    inner = output.text[len(output.before) : len(output.text) - len(output.after)]
    assert output.framed(inner) == output.text
    return inner


class TestFrames:
    async def test_a_command_s_exit_code_stands_before_its_output(self, call: Call) -> None:
        output = await call("execute_command", command="echo one; exit 3")
        assert (output.before, output.after) == ("exit code: 3\n", "")
        assert inside(output) == "one\n"
        assert output.framed("[note]") == "exit code: 3\n[note]"

    async def test_a_silent_command(self, call: Call) -> None:
        output = await call("execute_command", command="true")
        assert inside(output) == "[no output]"
        assert (output.size, output.raw) == (0, b"")

    async def test_a_changed_command_is_told_before_the_output(self, toolbox: Toolbox) -> None:
        prepared = toolbox.prepare("execute_command", '{"command": "echo a; exit 1"}')
        output = await prepared.with_subject("echo b; exit 2").run()
        first, second, rest = output.before.split("\n")
        assert (first, rest) == ("exit code: 2", "")
        assert "echo b; exit 2" in second
        assert inside(output) == "b\n"

    async def test_remarks_of_a_whole_file_stand_after_it(self, root: Path, call: Call) -> None:
        (root / "a").write_bytes(b"\xef\xbb\xbfone\r\ntwo\xff")
        output = await call("read_file", path="a")
        assert inside(output) == "one\ntwo\\xff"
        assert output.after.startswith("\n[")
        assert output.content is not None
        assert (output.content.characters, output.content.lines) == (11, 2)
        assert output.framed("[note]\n").startswith("[note]\n\n[")

    async def test_a_note_without_a_line_end_keeps_apart_from_remarks(
        self, root: Path, call: Call
    ) -> None:
        (root / "a").write_bytes(b"one\r\n")
        output = await call("read_file", path="a")
        assert output.after.startswith("[CRLF")
        assert output.framed("[note]").startswith("[note]\n[CRLF")

    async def test_a_search_and_a_list_have_their_remarks_after_them(
        self, root: Path, call: Call
    ) -> None:
        (root / "a.txt").write_text("x\n" * 300)
        (root / ".gitignore").write_text("*.log\n")
        (root / "b.log").write_text("")
        found = await call("search_files", pattern="x")
        assert inside(found).count("\n") == 199
        assert found.after.startswith("\n[only the first 200")
        listed = await call("list_dir", path=".")
        assert inside(listed).split("\n") == [".gitignore  6 B", "a.txt  600 B"]
        assert listed.after.startswith("\n[1 ignored")
        assert listed.raw == inside(listed).encode()
        nothing = await call("search_files", pattern="nowhere")
        assert (inside(nothing), nothing.before) == ("", "")

    async def test_what_is_short_by_nature_has_no_content(self, root: Path, call: Call) -> None:
        (root / "a").write_text("one\n")
        for output in (
            await call("read_file", path="missing"),
            await call("write_file", path="b", content="x"),
            await call("edit_file", path="a", old="one", new="two"),
        ):
            assert output.content is None
            assert output.size == len(output.text)

    async def test_no_credential_in_any_of_it(self, root: Path, call: Call) -> None:
        output = await call("execute_command", command=f"printf '%s' {KEY} x{KEY}")
        assert output.raw == "‹key›x‹key›".encode()
        assert output.size == len("‹key›x‹key›")
        (root / "long").write_text("line\n" * 10 + (KEY + " ") * 3_000)
        part = await call("read_file", path="long", offset=11)
        assert part.shorter is not None
        assert KEY not in part.shorter(5_000).text


class TestBigFiles:
    """Reading range by range (DESIGN 4, "Exempt")."""

    async def test_a_stretch_is_no_content_to_be_moved(self, root: Path, call: Call) -> None:
        (root / "a").write_text("line\n" * 20_000)
        for arguments in ({"offset": 1}, {"limit": 20_000}, {"offset": 0, "limit": 20_000}):
            output = await call("read_file", path="a", **arguments)
            assert output.content is None
            assert output.size <= RESULT_LIMIT
            assert output.text.rstrip("]").endswith("reads on")
        assert (await call("read_file", path="a")).content is not None

    async def test_sixteen_megabytes_range_by_range(self, root: Path, call: Call) -> None:
        line = "x" * 63 + "\n"
        lines = 16 * 1024 * 1024 // 64
        (root / "a").write_text(line * (lines - 1) + "the last one\n")
        middle = await call("read_file", path="a", offset=lines // 2, limit=3)
        assert middle.text.startswith(line * 3 + f"[lines {lines // 2}–{lines // 2 + 2} of")
        last = await call("read_file", path="a", offset=lines - 1, limit=200)
        assert last.text.startswith(line + "the last one\n[")
        assert "the end of the file" in last.text
        assert not (await call("read_file", path="a", offset=lines + 1)).ok

    @pytest.mark.parametrize("line", ["y", "海", "é", "\\xff"])
    async def test_inside_a_long_line_a_command_goes_on(
        self, root: Path, call: Call, line: str
    ) -> None:
        one = b"\xff" if line == "\\xff" else line.encode()
        (root / "a b").write_bytes(b"first\r\n" + one * 2_000_000 + b"\r\nnext\n")
        output = await call("read_file", path="a b", offset=2, limit=1)
        shown, _, remark = output.text.rpartition("\n[")
        assert shown == line * (RESULT_LIMIT // len(line))
        assert f"line 2 has {2_000_000 * len(line)} characters" in remark
        spelt = remark.partition("execute_command(command=")[2]
        command, _ = json.JSONDecoder().raw_decode(spelt)
        rest = await call("execute_command", command=command)
        assert rest.before == "exit code: 0\n"
        assert (
            rest.raw == (one * 2_000_000)[len(one) * (RESULT_LIMIT // len(line)) :][:COMMAND_LIMIT]
        )
        assert 'read_file(path="a b", offset=3, limit=1) reads on' in remark

    async def test_a_name_like_an_option_is_no_option(self, root: Path, call: Call) -> None:
        (root / "-f").write_text("z" * 50_000)
        output = await call("read_file", path="-f", offset=1)
        spelt = output.text.partition("execute_command(command=")[2]
        command, _ = json.JSONDecoder().raw_decode(spelt)
        assert (await call("execute_command", command=command)).raw == b"z" * COMMAND_LIMIT

    async def test_a_stretch_can_be_made_shorter(self, root: Path, call: Call) -> None:
        (root / "a").write_text("".join(f"line {n:04}\n" for n in range(1, 5_001)))
        output = await call("read_file", path="a", offset=11, limit=4_000)
        assert output.shorter is not None
        less = output.shorter(2_000)
        assert less.size == 2_000
        assert less.text.startswith("line 0011\n")
        assert less.text.endswith(
            '[lines 11–210 of 5,000; read_file(path="a", offset=211, limit=4000) reads on]'
        )


class TestMovedResults:
    """Reading a file of results is never moved again, however the path is spelt."""

    @pytest.fixture
    def moved(self, root: Path) -> Path:
        folder = root / ".haima" / "tool-outputs" / "chain"
        folder.mkdir(parents=True)
        file = folder / "001-execute_command.txt"
        file.write_text("".join(f"line {n}\n" for n in range(1, 20_001)))
        return file

    async def test_however_it_is_spelt(
        self, root: Path, project: Project, moved: Path, call: Call
    ) -> None:
        (root / "link").symlink_to(moved)
        (root / "folder").symlink_to(root / ".haima" / "tool-outputs")
        relative = moved.relative_to(root).as_posix()
        for path in (
            relative,
            f"./{relative}",
            str(moved),
            relative.replace("/", "\\"),
            f"folder/../tool-outputs/chain/{moved.name}",
            f"nothing/../{relative}",
            "folder/chain/001-execute_command.txt",
            "link",
            f"./.haima//tool-outputs/./chain/../chain/{moved.name}",
        ):
            output = await call("read_file", path=path)
            assert output.ok, output.text
            assert output.content is None
            assert output.size <= RESULT_LIMIT
            assert output.text.startswith("line 1\nline 2\n")
            assert "reads on" in output.text

    async def test_a_file_elsewhere_is_not_meant(self, root: Path, moved: Path, call: Call) -> None:
        for name in ("tool-outputs", ".haima-tool-outputs", ".haima/other", "pastes"):
            (root / name).mkdir(parents=True)
            (root / name / "x").write_text("line\n" * 9_000)
            assert (await call("read_file", path=f"{name}/x")).content is not None

    async def test_a_long_paste_is_not_moved_again(self, root: Path, call: Call) -> None:
        folder = root / ".haima" / "pastes" / "chain"
        folder.mkdir(parents=True)
        (folder / "001-paste.txt").write_text("line\n" * 9_000)
        output = await call("read_file", path=".haima/pastes/chain/001-paste.txt")
        assert output.content is None
        assert 'path=".haima/pastes/chain/001-paste.txt", offset=6401, limit=200) reads on' in (
            output.text
        )

    async def test_bytes_of_any_kind_can_be_read(self, root: Path, moved: Path, call: Call) -> None:
        (root / moved.relative_to(root)).write_bytes(b"\x89PNG\r\n\x1a\n\0\xff\x1b[0m\n")
        output = await call("read_file", path=".haima/tool-outputs/chain/" + moved.name)
        assert output.text.startswith("\\x89PNG\n\\x1a\n\\x00\\xff\\x1b[0m\n[")


async def test_a_huge_output_keeps_its_exit_code_and_says_that_it_was_stopped(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "MOST_BYTES", 300_000)
    output = await call("execute_command", command="yes", timeout=60)
    assert "stopped after 64 MB" in output.before
    assert output.framed("[note]").startswith(output.before)
    assert (output.size, len(output.raw or b"")) == (300_000, 300_000)


async def test_nothing_is_decoded_or_masked_on_the_loop(
    call: Call, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = threading.get_ident()
    seen: list[int] = []
    measure = Content.of.__func__  # type: ignore[attr-defined]

    def of(kind: type[Content], raw: bytes, *, start: int = 0) -> Content:
        seen.append(len(raw))
        assert threading.get_ident() != here
        return measure(kind, raw, start=start)  # type: ignore[no-any-return]

    monkeypatch.setattr(Content, "of", classmethod(of))
    (root / "a").write_bytes(b"x" * 1_000_000)
    await call("execute_command", command="cat a")
    await call("read_file", path="a")
    assert seen == [1_000_000, 1_000_000]
