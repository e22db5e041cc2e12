"""Pictures that the user's message mentions: which files are meant, what is refused and why."""

from pathlib import Path

import pytest

from app.conversation.images import BLIND, Sight, picture
from app.project import Project
from app.session.attaching import Attached, attach, image_mentions
from app.text import Words

PNG = b"\x89PNG\r\n\x1a\n" + bytes(2_000)
SEES = Sight(user=True, results=True, known=True)
EN = Words("en")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "work"
    root.mkdir()
    return Project(root)


def attached(text: str, project: Project, sight: Sight = SEES, words: Words = EN) -> Attached:
    return attach(text, project, sight, words, model="small-model")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("@shot.png", ["shot.png"]),
        ("Look at @shot.png, please", ["shot.png"]),
        ("看@图/屏幕.PNG的左边", ["图/屏幕.PNG"]),
        ("看＠shot.webp。", ["shot.webp"]),
        ("(@a.jpg) and (@b.jpeg)", ["a.jpg", "b.jpeg"]),
        ('@"my shot.png" here', ["my shot.png"]),
        ("@./a/../b.gif\n@c.png", ["./a/../b.gif", "c.png"]),
        ("mail me@host.png", []),
        ("@shot.png.bak @shot.pngx @notes.md", []),
        ("@ shot.txt", []),
        ("", []),
    ],
)
def test_what_a_mention_means_first(text: str, paths: list[str]) -> None:
    assert [options[0] for options in image_mentions(text)] == paths


def test_a_name_with_spaces_is_found_as_completion_writes_it(project: Project) -> None:
    (project.root / "my .png shot 2.png").write_bytes(PNG)
    found = attached("Look at @my .png shot 2.png and say", project)
    assert [part.name for part in found.pictures] == ["my .png shot 2.png"]


def test_pictures_are_attached_in_order_each_once(project: Project) -> None:
    for name in ("a.png", "b.png"):
        (project.root / name).write_bytes(PNG)
    found = attached("@b.png @a.png @./b.png", project)
    assert found == Attached((picture("b.png", PNG), picture("a.png", PNG)))  # type: ignore[arg-type]


def test_what_is_not_there_or_no_picture_stays_text(project: Project) -> None:
    (project.root / "text.png").write_text("no picture")
    (project.root / "folder.png").mkdir()
    assert attached("@none.png @text.png @folder.png @" + "x" * 9_000 + ".png", project) == (
        Attached()
    )


def test_the_fence_holds_and_says_so(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside.png"
    outside.write_bytes(PNG)
    (project.root / "link.png").symlink_to(outside)
    found = attached(f"@{outside} @../outside.png @~/x.png @link.png", project)
    assert found.pictures == ()
    assert [said.split(" is ")[0] for said in found.refused] == [
        str(outside),
        "../outside.png",
        "~/x.png",
        "link.png",
    ]
    assert found.refused[0].endswith(f"outside the project. Copy it into {project.root}.")


@pytest.mark.parametrize(
    ("sight", "language", "said"),
    [
        (Sight(known=True), "en", "a.png is not attached: small-model takes text only."),
        (
            BLIND,
            "en",
            "a.png is not attached: it is not known whether small-model takes images. If it does, "
            'set model.images = "on".',
        ),
        (Sight(known=True), "zh", "a.png 未附上：small-model 只接受文本。"),
    ],
)
def test_a_model_that_sees_none_is_named(
    project: Project, sight: Sight, language: str, said: str
) -> None:
    (project.root / "a.png").write_bytes(PNG)
    words = Words("zh" if language == "zh" else "en")
    assert attached("@a.png and @a.png", project, sight, words) == Attached((), (said,))


def test_one_that_is_too_large_is_refused_with_what_to_do(project: Project) -> None:
    with (project.root / "big.png").open("wb") as file:
        file.write(PNG)
        file.truncate(5_000_001)
    assert attached("@big.png", project).refused == (
        "big.png is not attached: it has 5.0 MB, at most 5.0 MB are sent. "
        "Make a smaller copy (half as wide, or as JPEG).",
    )


def test_together_they_stay_within_what_the_provider_takes(project: Project) -> None:
    """FIELD 69: 30 screenshots of 2 MB."""
    for number in range(30):
        (project.root / f"{number}.png").write_bytes(PNG + bytes(2_000_000))
    found = attached(" ".join(f"@{number}.png" for number in range(30)), project)
    assert [part.name for part in found.pictures] == [f"{number}.png" for number in range(5)]
    assert len(found.refused) == 25
    assert sum(len(part.url) for part in found.pictures) < 15_000_000
    assert "Send it in a message of its own." in found.refused[0]


def test_what_is_told_moves_no_terminal(project: Project, tmp_path: Path) -> None:
    (said,) = attached("@../\x1b[31mx.png", project).refused
    assert "\x1b" not in said
