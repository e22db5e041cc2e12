"""Long pastes: a file, a mark in the prompt, head and tail in the message."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.paths import pastes as folder_of
from app.project import Project
from app.session.pastes import Pastes
from app.storage import StorageError
from app.text import LANGUAGES, Words
from app.text.paste_marks import paste_mark, paste_marks

EN = Words("en")
LONG = "".join(f"line {number} of the log\n" for number in range(1, 2_001))
KEY = "sk-secret-0123456789"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "work"
    root.mkdir()
    return Project(root)


@pytest.fixture
def pastes(project: Project) -> Pastes:
    return Pastes(project, words=lambda: EN, mask=lambda text: text.replace(KEY, "‹key›"))


async def kept(pastes: Pastes, text: str = LONG, chain: str = "abc123") -> str:
    mark = await pastes.keep(text, chain)
    assert mark is not None
    return mark


async def test_only_long_pastes_go_to_a_file(pastes: Pastes, project: Project) -> None:
    assert await pastes.keep("x" * 32_000, "abc123") is None
    assert await pastes.keep("x" * 40_000, "") is None
    assert not (project.root / ".haima").exists()
    mark = await pastes.keep("字" * 32_001, "abc123")
    assert mark == "[pasted: .haima/pastes/abc123/001-paste.txt, 32,001 characters]"


async def test_the_file_holds_it_all_and_is_private(pastes: Pastes, project: Project) -> None:
    await kept(pastes, f"{LONG}\x1b[31m{KEY}")
    folder = folder_of(project.root, "abc123")
    file = folder / "001-paste.txt"
    assert file.read_text() == f"{LONG}\\x1b[31m‹key›"
    assert file.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder.parent / ".gitignore").read_text() == "*\n"
    assert "002-paste.txt" in await kept(pastes)


async def test_a_linked_folder_is_refused(pastes: Pastes, project: Project, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project.root / ".haima").symlink_to(elsewhere)
    with pytest.raises(StorageError):
        await kept(pastes)
    assert list(elsewhere.iterdir()) == []


async def test_it_can_be_taken_back_whole(pastes: Pastes) -> None:
    (mark,) = paste_marks(await kept(pastes))
    assert await pastes.whole(mark.path) == LONG


async def test_the_message_gets_head_and_tail_and_how_to_read_the_rest(pastes: Pastes) -> None:
    text, gone = await pastes.spelt_out(f"Why? {await kept(pastes)} Thanks.", "abc123")
    assert gone == ()
    first, *lines = text.split("\n")
    assert first == (
        f"Why? [Pasted text, whole in a file: {len(LONG):,} characters, 2,000 lines. "
        'read_file(path=".haima/pastes/abc123/001-paste.txt", offset=1, limit=200) reads it. '
        "Here are its beginning and its end.]"
    )
    assert lines[0] == "line 1 of the log"
    assert "characters left out here" in text
    assert text.endswith("line 2000 of the log\n\n[End of the pasted text.] Thanks.")
    assert len(text) < 3_500


async def test_several_pastes_each_in_its_place(pastes: Pastes) -> None:
    one, two = await kept(pastes), await kept(pastes, "x" * 40_000)
    text, _ = await pastes.spelt_out(f"{one} against {two}", "abc123")
    assert text.index("001-paste") < text.index(" against ") < text.index("002-paste")


async def test_a_mark_of_another_chain_gets_a_file_of_this_one(
    pastes: Pastes, project: Project
) -> None:
    mark = await kept(pastes)
    text, _ = await pastes.spelt_out(mark, "new456")
    assert ".haima/pastes/new456/001-paste.txt" in text
    assert "abc123" not in text
    assert (folder_of(project.root, "new456") / "001-paste.txt").read_text() == LONG
    assert (folder_of(project.root, "abc123") / "001-paste.txt").exists()


async def test_one_that_is_gone_is_said_and_the_mark_stays(
    pastes: Pastes, project: Project
) -> None:
    mark = await kept(pastes)
    (folder_of(project.root, "abc123") / "001-paste.txt").unlink()
    text, (error,) = await pastes.spelt_out(f"Look {mark}", "abc123")
    assert text == f"Look {mark}"
    assert error.sentence(EN).startswith("The paste in .haima/pastes/abc123/001-paste.txt")


async def test_a_forged_mark_leads_nowhere_else(
    pastes: Pastes, project: Project, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("secret")
    folder = folder_of(project.root, "abc123")
    folder.mkdir(parents=True)
    (folder / "001-paste.txt").symlink_to(tmp_path / "secret")
    for path in ("abc123/001-paste.txt", "../pastes/001-paste.txt", "abc123/../x/001-paste.txt"):
        text, _ = await pastes.spelt_out(f"[pasted: .haima/pastes/{path}, 5 characters]", "abc123")
        assert "secret" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mark_is_found_in_either_language(language: str) -> None:
    words = Words("zh" if language == "zh" else "en")
    path = ".haima/pastes/a1b2c3d4e5f6/012-paste.txt"
    text = f"前 {paste_mark(words, path, 48_213)} after"
    (mark,) = paste_marks(text)
    assert (mark.path, mark.chain) == (path, "a1b2c3d4e5f6")
    assert text[: mark.start] + text[mark.end :] == "前  after"


@given(st.text(alphabet="[]pasted: .haima/pastes/a1/001-paste.txt\n9", max_size=200))
def test_marks_never_overlap(text: str) -> None:
    end = 0
    for mark in paste_marks(text):
        assert end <= mark.start < mark.end <= len(text)
        assert "\n" not in text[mark.start : mark.end]
        end = mark.end
