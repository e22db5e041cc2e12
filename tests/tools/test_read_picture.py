"""`read_file` of a picture: shown where the model sees it, else a text that says what to do."""

import json
import os
from pathlib import Path

import pytest

from app.config import ToolSettings
from app.conversation.images import BLIND, Sight, picture
from app.project import Project
from app.text import Words
from app.tools.base import ToolOutput
from app.tools.toolbox import Toolbox

PNG = b"\x89PNG\r\n\x1a\n" + bytes(3_000)
SEES = Sight(user=True, results=True, known=True)


class Reader:
    """Reads files for a model whose eyes a test may change."""

    def __init__(self, project: Project) -> None:
        self.sight = SEES
        self.root = project.root
        self.toolbox = Toolbox(
            project,
            Words("en"),
            os.environ,
            ToolSettings(),
            ("sk-0123456789abcdef",),
            None,
            lambda: self.sight,
        )

    async def read(self, path: str, **more: object) -> ToolOutput:
        return await self.toolbox.prepare("read_file", json.dumps({"path": path, **more})).run()


@pytest.fixture
def reader(project: Project) -> Reader:
    return Reader(project)


async def test_a_model_that_sees_gets_the_picture(reader: Reader) -> None:
    (reader.root / "图").mkdir()
    (reader.root / "图/shot.png").write_bytes(PNG)
    for path in ("图/shot.png", "./图\\shot.png", str(reader.root / "图/shot.png")):
        output = await reader.read(path)
        assert output.ok
        assert output.text == "[image 图/shot.png 3.0 KB] It follows the results of this step."
        assert output.pictures == (picture("图/shot.png", PNG),)
        assert output.content is None
    assert (await reader.read("图/shot.png", offset=1, limit=5)).pictures


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.jpg", b"\xff\xd8\xff\xe0abc"),
        ("a.gif", b"GIF89a\0"),
        ("a.webp", b"RIFF\0\0\0\0WEBPVP8 "),
        ("named-otherwise.txt", PNG),
    ],
)
async def test_what_it_is_tells_its_beginning(reader: Reader, name: str, data: bytes) -> None:
    (reader.root / name).write_bytes(data)
    (shown,) = (await reader.read(name)).pictures
    assert shown == picture(name, data)


async def test_other_files_are_read_as_ever(reader: Reader) -> None:
    (reader.root / "a.png").write_text("no picture\n")
    (reader.root / "a.bmp").write_bytes(b"BM\0\0")
    (reader.root / "empty.png").touch()
    assert (await reader.read("a.png")).text == "no picture\n"
    assert "is binary" in (await reader.read("a.bmp")).text
    assert "empty" in (await reader.read("empty.png")).text
    assert "does not exist" in (await reader.read("none.png")).text
    (reader.root / "folder.png").mkdir()
    assert "is a folder" in (await reader.read("folder.png")).text


@pytest.mark.parametrize(
    ("sight", "says"),
    [
        (Sight(known=True), "this model takes text only"),
        (BLIND, 'set model.images = "on"'),
        (Sight(user=True, known=True), "ask the user to attach it with @a.png"),
    ],
)
async def test_else_a_text_says_why_not_and_what_to_do(
    reader: Reader, sight: Sight, says: str
) -> None:
    (reader.root / "a.png").write_bytes(PNG)
    reader.sight = sight
    output = await reader.read("a.png")
    assert (output.ok, output.pictures, output.reason) == (
        False,
        (),
        "image (PNG, 3.0 KB), not shown",
    )
    assert says in output.text


async def test_one_that_is_too_large_is_refused_with_what_to_do(reader: Reader) -> None:
    with (reader.root / "big.png").open("wb") as file:
        file.write(PNG)
        file.truncate(5_000_001)
    output = await reader.read("big.png")
    assert output.reason == "5.0 MB, too large to show"
    assert "at most 5.0 MB are shown. Make a smaller copy" in output.text
    assert output.pictures == ()
    reader.sight = Sight(user=True, results=True, body=2_097_152)
    (reader.root / "big.png").write_bytes(PNG + bytes(1_400_000))
    assert "at most 1.2 MB" in (await reader.read("big.png")).text


async def test_the_fence_holds(reader: Reader, tmp_path: Path) -> None:
    outside = tmp_path / "outside.png"
    outside.write_bytes(PNG)
    (reader.root / "link.png").symlink_to(outside)
    for path in (str(outside), "../outside.png", "link.png", "~/a.png"):
        output = await reader.read(path)
        assert not output.ok
        assert output.pictures == ()


async def test_a_name_moves_no_terminal(reader: Reader) -> None:
    (reader.root / "a\x1b[31m.png").write_bytes(PNG)
    output = await reader.read("a\x1b[31m.png")
    assert "\x1b" not in output.text
    assert output.pictures
