"""An exported conversation: names that were free, fences that hold, nothing half-written."""

import os
import stat
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.past import Past, PastMessage
from app.conversation.standing import PLAIN
from app.session.export import ExportError, export_markdown
from app.text import Language, Words

TODAY = date(2026, 11, 29)


def said(role: str, text: str, **more: object) -> Message:
    return Message(f"{role}-{text[:8]}", role, (TextPart(text),), **more)  # type: ignore[arg-type]


TALK = (
    said("system", "You are Haima"),
    said("user", "What is **here**?"),
    said("assistant", "half", discarded=True),
    said("assistant", "I look.", calls=(ToolCall("c", "list_dir", '{"path": "."}'),)),
    said("tool", "````\nodd\n````", call_id="c", tool="list_dir"),
    said("assistant", "An odd \x1b[31mfile\ud83d."),
)


def exported(folder: Path, *messages: Message, language: Language = "en") -> Path:
    return export_markdown(
        messages or TALK,
        folder,
        chain="7f3a00112233",
        today=TODAY,
        words=Words(language),
        mask=lambda text: text.replace("secret", "‹key›"),
    )


def test_the_conversation_reads_in_order(tmp_path: Path) -> None:
    path = exported(tmp_path)
    assert path.name == "haima-7f3a-2026-11-29.md"
    assert path.read_text() == (
        "# Conversation 7f3a, 2026-11-29\n\n"
        "## Turn 1\n\n### You\n\nWhat is **here**?\n\n"
        "### Haima\n\nI look.\n\n"
        'Called `list_dir`:\n\n```json\n{"path": "."}\n```\n\n'
        "Result:\n\n`````\n````\nodd\n````\n`````\n\n"
        "An odd \\x1b[31mfile\\ud83d.\n"
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_file_is_ever_written_over(tmp_path: Path) -> None:
    (tmp_path / "haima-7f3a-2026-11-29.md").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "haima-7f3a-2026-11-29-2.md").write_text("mine")
    assert exported(tmp_path).name == "haima-7f3a-2026-11-29-3.md"
    assert not (tmp_path / "elsewhere").exists()
    assert (tmp_path / "haima-7f3a-2026-11-29-2.md").read_text() == "mine"


def test_credentials_are_masked_and_headings_follow_the_language(tmp_path: Path) -> None:
    text = exported(tmp_path, said("user", "the secret"), language="zh").read_text()
    assert "the ‹key›" in text
    assert "## 第 1 轮\n\n### 你\n" in text


@pytest.mark.parametrize("messages", [(TALK[0],), (TALK[0], TALK[2])])
def test_nothing_said_is_nothing_written(tmp_path: Path, messages: tuple[Message, ...]) -> None:
    with pytest.raises(ExportError):
        exported(tmp_path, *messages)
    assert list(tmp_path.glob("*.md")) == []


def test_what_fails_in_the_middle_leaves_no_half_file(tmp_path: Path) -> None:
    def past() -> Iterator[Past]:
        yield PastMessage(said("user", "one"), PLAIN, None, "", "n")
        raise OSError(5, "Input/output error")

    with pytest.raises(ExportError, match="Input/output error"):
        export_markdown(past(), tmp_path, chain="7f3a", today=TODAY, words=Words("en"), mask=str)
    assert list(tmp_path.glob("*.md")) == []


def test_a_disk_that_is_full_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExportError, match="No space left"):
        exported(tmp_path)
    assert list(tmp_path.glob("*.md")) == []


def test_a_folder_that_is_gone_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ExportError):
        exported(tmp_path / "gone")
