"""`read_file`: whole, in part, and every reason why not."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.config import ToolSettings
from app.project import Project
from app.text import Words
from app.tools import text_file
from app.tools.base import RESULT_LIMIT
from app.tools.toolbox import Toolbox
from tests.tools.conftest import KEY, Call


async def test_a_whole_file_is_its_text(root: Path, call: Call) -> None:
    (root / "a.py").write_text("one\n二\n")
    output = await call("read_file", path="a.py")
    assert (output.text, output.ok) == ("one\n二\n", True)
    assert (output.size, output.raw) == (6, b"one\n\xe4\xba\x8c\n")


async def test_lines_are_counted_from_one(root: Path, call: Call) -> None:
    (root / "a").write_text("".join(f"line {n}\n" for n in range(1, 11)))
    output = await call("read_file", path="a", offset=3, limit=2)
    assert output.text == (
        'line 3\nline 4\n[lines 3–4 of 10; read_file(path="a", offset=5, limit=2) reads on]'
    )
    assert output.raw is None
    assert (await call("read_file", path="a", offset=0, limit=1)).text.startswith("line 1\n")
    assert (await call("read_file", path="a", offset="9", limit="5")).text == (
        "line 9\nline 10\n[lines 9–10, the end of the file]"
    )


async def test_past_the_end_says_how_long_the_file_is(root: Path, call: Call) -> None:
    (root / "a").write_text("1\n2\n3")
    output = await call("read_file", path="a", offset=4)
    assert not output.ok
    assert "3 lines" in output.text
    assert (await call("read_file", path="a", offset=3)).text.startswith("3")


async def test_an_empty_file_says_so(root: Path, call: Call) -> None:
    (root / "a").write_text("")
    for arguments in ({}, {"offset": 1}, {"offset": 5, "limit": 2}):
        output = await call("read_file", path="a", **arguments)
        assert output.ok
        assert "empty" in output.text


async def test_line_ends_and_marks_are_told(root: Path, call: Call) -> None:
    (root / "a").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nlone\rcr\n")
    output = await call("read_file", path="a")
    text, _, remark = output.text.partition("[")
    assert text == "one\ntwo\nlone\\x0dcr\n"
    assert "CRLF" in remark
    assert "byte order mark" in remark
    assert output.raw == (root / "a").read_bytes()


async def test_invalid_bytes_are_visible(root: Path, call: Call) -> None:
    (root / "a").write_bytes(b"caf\xe9 \xff\n")
    output = await call("read_file", path="a")
    assert output.text.startswith("caf\\xe9 \\xff\n")
    assert "2 bytes are not UTF-8" in output.text


async def test_escape_sequences_are_visible(root: Path, call: Call) -> None:
    (root / "a").write_text("\x1b[31mred\x1b[0m\x07\n")
    assert (await call("read_file", path="a")).text == "\\x1b[31mred\\x1b[0m\\x07\n"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "PNG"),
        (b"%PDF-1.7 text only", "PDF"),
        (b"PK\x03\x04\0", "ZIP"),
        (b"\x7fELF\0", "ELF"),
        (b"\xff\xfeh\0i\0", "UTF-16"),
        (b"abc\0def", "unknown"),
        (b"x" * 100_000 + b"\0", "unknown"),
    ],
)
async def test_binary_is_refused_with_its_kind(
    root: Path, call: Call, content: bytes, kind: str
) -> None:
    (root / "a.bin").write_bytes(content)
    output = await call("read_file", path="a.bin")
    assert not output.ok
    assert kind in output.text
    assert kind in output.reason


async def test_text_that_begins_like_a_format_is_text(root: Path, call: Call) -> None:
    for text in ("MZ is a word\n", "BZh\n", "GIF8 is not an image\n", "ID3\n"):
        (root / "a").write_text(text)
        assert (await call("read_file", path="a")).text == text


async def test_a_folder_points_to_list_dir(root: Path, call: Call) -> None:
    (root / "src").mkdir()
    output = await call("read_file", path="src")
    assert not output.ok
    assert "list_dir" in output.text


async def test_a_missing_file_names_what_is_close(root: Path, call: Call) -> None:
    (root / "src" / "deep").mkdir(parents=True)
    (root / "src" / "config.py").write_text("")
    (root / "src" / "deep" / "server.py").write_text("")
    output = await call("read_file", path="src/confg.py")
    assert not output.ok
    assert "src/config.py" in output.text
    assert "src/deep/server.py" in (await call("read_file", path="server.py")).text
    assert "list_dir" in (await call("read_file", path="zzz")).text


async def test_a_pipe_is_not_waited_for(root: Path, call: Call) -> None:
    os.mkfifo(root / "pipe")
    assert not (await call("read_file", path="pipe")).ok


async def test_outside_is_refused(root: Path, call: Call) -> None:
    (root.parent / "secret").write_text("secret")
    (root / "link").symlink_to(root.parent / "secret")
    for path in ("../secret", "link", str(root.parent / "secret")):
        output = await call("read_file", path=path)
        assert not output.ok
        assert "secret\n" not in output.text
        assert "outside" in output.text


async def test_a_huge_file_is_refused(
    root: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_file, "LARGEST", 1000)
    (root / "a").write_text("x" * 1001)
    output = await call("read_file", path="a")
    assert not output.ok
    assert "1.0 KB" in output.reason
    (root / "a").write_text("x" * 1000)
    assert (await call("read_file", path="a")).ok


class TestLimit:
    async def test_exactly_the_limit_stays(self, root: Path, call: Call) -> None:
        (root / "a").write_text("x" * RESULT_LIMIT)
        assert (await call("read_file", path="a")).text == "x" * RESULT_LIMIT

    async def test_a_whole_file_over_it_loses_its_middle(self, root: Path, call: Call) -> None:
        (root / "a").write_text("".join(f"line {n}\n" for n in range(1, 5001)))
        output = await call("read_file", path="a")
        assert len(output.text) < RESULT_LIMIT + 300
        assert output.text.startswith("line 1\n")
        assert output.text.endswith("line 5000\n")
        note = next(line for line in output.text.split("\n") if line.startswith("["))
        first = int(note.partition("lines ")[2].partition("–")[0])
        assert f"line {first - 1}\n[" in output.text
        assert f'read_file(path="a", offset={first}, limit=200)' in note
        assert output.size == len((root / "a").read_text())
        assert output.raw == (root / "a").read_bytes()

    async def test_reading_on_gives_every_line_once(self, root: Path, call: Call) -> None:
        text = "".join(f"{'x' * (n % 300)} {n}\n" for n in range(1, 1001))
        (root / "a").write_text(text)
        read, offset = "", 1
        while True:
            output = await call("read_file", path="a", offset=offset)
            body, _, remark = output.text.rpartition("[")
            assert len(body) <= RESULT_LIMIT
            read += body
            if "reads on" not in remark:
                break
            offset = int(remark.partition("offset=")[2].partition(",")[0])
        assert read == text

    async def test_a_line_over_it_is_cut_inside(self, root: Path, call: Call) -> None:
        (root / "a").write_text("y" * 50_000 + "\nnext\n")
        output = await call("read_file", path="a", offset=1, limit=2)
        assert output.text.startswith("y" * RESULT_LIMIT + "\n[")
        assert "line 1 has 50000 characters" in output.text
        assert "offset=2" in output.text


async def test_a_credential_is_replaced_wherever_the_cut_falls(root: Path, call: Call) -> None:
    for before in range(0, 40):
        (root / "a").write_text("z" * (RESULT_LIMIT * 5 // 7 - before) + KEY + "z" * 20_000)
        text = (await call("read_file", path="a")).text
        assert KEY not in text
        assert not any(text.partition("\n")[0].endswith(KEY[:size]) for size in range(4, 24))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300).filter(lambda raw: b"\0" not in raw and raw[:1] not in b"\xff\xfe%"))
async def test_any_bytes_read_without_harm(tmp_path: Path, raw: bytes) -> None:
    root = tmp_path / "any"
    root.mkdir(exist_ok=True)
    (root / "a").write_bytes(raw)
    toolbox = Toolbox(Project(root), Words("zh"), os.environ, ToolSettings())
    output = await toolbox.prepare("read_file", '{"path": "a"}').run()
    output.text.encode("utf-8")
    assert not any(ord(char) < 32 and char not in "\t\n" for char in output.text)


async def test_the_subject_names_the_lines(toolbox: Toolbox) -> None:
    assert toolbox.prepare("read_file", '{"path": "a"}').subject == "a"
    prepared = toolbox.prepare("read_file", '{"path": "a", "offset": 5, "limit": 10}')
    assert prepared.subject == "a:5–14"
    assert prepared.arguments == {"path": "a", "offset": 5, "limit": 10}
