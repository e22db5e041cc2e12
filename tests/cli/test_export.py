"""`haima sessions export`: whole, in order, masked, to stdout or to a new file."""

import json
import stat
from pathlib import Path

import pytest

from tests.cli.kept import FORK, ID, Kept
from tests.cli.support import Haima

KEY = "sk-0123456789abcdef"


def test_markdown_holds_every_turn_of_the_way_to_a_session(sessions: Haima) -> None:
    ran = sessions("export", FORK)
    assert (ran.code, ran.err) == (0, "")
    text = ran.out
    assert text.startswith(f"# Conversation {FORK[:8]}, 20")
    said = ["Upgrade to Java 21", "Answer to Upgrade", "forked", "try GraalVM", "Answer to try"]
    places = [text.index(words) for words in said]
    assert places == sorted(places)
    assert "go ahead" not in text, "that came after the fork"
    assert text.endswith("Answer to try GraalVM\n")


def test_records_are_one_entry_a_line(sessions: Haima) -> None:
    lines = sessions("export", FORK, "--format", "json").records
    assert [(line["type"], line.get("role", line.get("kind"))) for line in lines] == [
        ("message", "user"),
        ("message", "assistant"),
        ("mark", "fork"),
        ("message", "user"),
        ("message", "assistant"),
    ]
    assert sessions("export", FORK, "--json").records == lines


def test_chat_messages_are_one_a_line(sessions: Haima) -> None:
    lines = sessions("export", ID, "--format", "openai").records
    assert [line["role"] for line in lines] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert lines[1]["content"] == "Upgrade to Java 21\nand nothing else"


@pytest.mark.parametrize("name", ["md", "json", "openai"])
def test_a_key_is_masked_unless_it_is_wanted(
    sessions: Haima, kept: Kept, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    kept.talk("aaaa000000aa", f"my key is {KEY}")
    masked = sessions("export", "aaaa", "--format", name)
    assert masked.code == 0
    assert KEY not in masked.out
    assert ("‹key›" in masked.out) or (json.dumps("‹key›")[1:-1] in masked.out)
    assert KEY in sessions("export", "aaaa", "--format", name, "--raw").out


@pytest.mark.parametrize("name", ["md", "json", "openai"])
def test_a_secret_of_the_users_is_masked_unless_it_is_wanted(
    sessions: Haima, kept: Kept, name: str
) -> None:
    token = "ghp_" + "a1B2" * 9
    kept.talk("aaaa000000aa", f"deploy with {token}, please")
    masked = sessions("export", "aaaa", "--format", name).out
    assert token not in masked
    assert "secret" in masked
    assert "please" in masked
    assert token in sessions("export", "aaaa", "--format", name, "--raw").out


def test_wrong_settings_are_said_before_anything_leaves_unmasked(
    sessions: Haima, kept: Kept
) -> None:
    kept.paths.config_file.write_text("[model]\ntries = 'many'\n")
    ran = sessions("export", ID)
    assert (ran.code, ran.out) == (2, "")
    assert sessions("export", ID, "--raw").code == 0


def test_a_file_is_new_and_private(sessions: Haima, tmp_path: Path) -> None:
    path = tmp_path / "out.md"
    ran = sessions("export", ID, "-o", str(path))
    assert (ran.code, ran.out) == (0, "")
    assert str(path) in ran.err
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    whole = path.read_text()
    assert whole == sessions("export", ID, "-o", "-").out
    again = sessions("export", FORK, "--output", str(path))
    assert (again.code, again.err.count("\n")) == (1, 1)
    assert path.read_text() == whole


def test_a_file_that_cannot_be_written_is_an_error(sessions: Haima, tmp_path: Path) -> None:
    ran = sessions("export", ID, "-o", str(tmp_path / "no" / "out.md"))
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)


def test_a_half_written_file_does_not_stay(
    sessions: Haima, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import app.cli.session_export

    def full(descriptor: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(app.cli.session_export, "write_all", full)
    path = tmp_path / "out.md"
    ran = sessions("export", ID, "-o", str(path))
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "full" in ran.err
    assert not path.exists()


def test_a_long_session_passes_in_pieces(sessions: Haima, kept: Kept) -> None:
    kept.talk("bbbb000000aa", *(f"prompt {number} " + "x" * 500 for number in range(400)))
    lines = sessions("export", "bbbb", "--json").records
    texts = [line["text"].partition(" x")[0] for line in lines if line["role"] == "user"]
    assert texts == [f"prompt {number}" for number in range(400)]
