"""What is found in a chain: the same by the tables and by the rows alone, however long it is."""

import unicodedata
from contextlib import closing
from pathlib import Path

import pytest

from app.archive import message_search
from app.archive.message_search import MOST, search_messages, search_rows
from app.archive.rows import read_rows
from app.conversation.messages import Message, ToolCall
from tests.archive.recording import result, user
from tests.archive.tables import ROOT, File, caught_up, connect
from tests.archive.working import begin

SAID = {
    "plain": "The pool has 32 connections.",
    "quotes": 'Set "name" to C:\\temp\\new',
    "chinese": "连接池改为三十二个，不要改 schema",
    "german": "Die Straße wurde GRÜN gestrichen",
    "apart": unicodedata.normalize("NFD", "café 한글 데이터"),
    "astral": "a 🐎 horse \ud800 half",
}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("POOL connections", ["plain"]),
        ('"32 connections"', ["plain"]),
        ('"connections 32"', []),
        ('"name" temp\\new', ["quotes"]),
        ("连接池", ["chinese"]),
        ("改 Schema", ["chinese"]),
        ("straße grün", ["german"]),
        ("CAFÉ", ["apart"]),
        (unicodedata.normalize("NFD", "한글"), ["apart"]),
        ("🐎", ["astral"]),
        ("a horse", ["astral"]),
        ("config.toml", ["call"]),
        ("%", []),
        ("a_b", []),
        ("_", ["call"]),
        ("!", []),
        ("x" * 60_000, []),
        ('""', []),
        (" ".join(f"w{number}" for number in range(1_200)), []),
    ],
)
def test_words_are_found_however_they_are_written(
    tmp_path: Path, query: str, found: list[str]
) -> None:
    root = File(tmp_path / "raw")
    begin(root, ROOT)
    for name, text in SAID.items():
        root.say(user(name, text))
    calls = (ToolCall("c1", "read_file", '{"path": "config.toml"}'), ToolCall("c2", "read_history",
             '{"query": "pool"}'))  # fmt: skip
    root.say(Message("call", "assistant", calls=calls))
    root.say(result("t1", "c1"))
    with closing(connect(tmp_path / "haima.db")) as database:
        caught_up(database, tmp_path / "raw")
        hits = search_messages(database, ROOT, query)
    assert [hit.id for hit in hits] == found
    assert search_rows(read_rows(root.path), query) == hits


def test_the_first_message_of_a_long_chain_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only those that hold the words are decoded."""
    monkeypatch.setattr(message_search, "_DECODED", MOST + 1)
    root = File(tmp_path / "raw")
    begin(root, ROOT)
    root.say(user("first", "ORDER_DB_URL is " + "İ" * 90 + " the variable of old"))
    for number in range(3 * MOST):
        root.say(user(f"u{number}", "nothing of the kind"))
    with closing(connect(tmp_path / "haima.db")) as database:
        caught_up(database, tmp_path / "raw")
        (hit,) = search_messages(database, ROOT, "variable")
        assert hit.id == "first" and "the variable of old" in hit.text
        several = search_messages(database, ROOT, "nothing")
    assert [hit.id for hit in several] == [f"u{number}" for number in range(59, 59 - MOST, -1)]
