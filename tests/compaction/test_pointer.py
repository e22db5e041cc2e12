"""The pointer: one line that says what was there and how to get it back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.compaction.note import head_line
from app.compaction.pointer import asked, pointer
from app.conversation.messages import ToolCall
from app.conversation.offloaded import Offloaded
from app.text import LANGUAGES, Language, Words

EN = Words("en")
FILE = Offloaded(".haima/tool-outputs/chain/001-x.txt", 90_000, 80_000, 7, "0" * 64)


def call(**arguments: object) -> ToolCall:
    return ToolCall("c1", "x", json.dumps(arguments))


def test_all_of_it() -> None:
    text = pointer(
        EN,
        tool="read_file",
        asked="src/a.py",
        characters=12_345,
        ref="0123456789ab",
        file=FILE,
        names=("src/b.py", "codecName"),
    )
    assert text == (
        "[Cleared: read_file src/a.py, 12,345 characters. Named: src/b.py, codecName. "
        'Whole: read_file(path=".haima/tool-outputs/chain/001-x.txt", offset=1, limit=200). '
        'read_history(ref="0123456789ab"); for a file: read it again, it may have changed]'
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bare_one_is_short(language: Language) -> None:
    text = pointer(Words(language), tool="read_file", asked="", characters=400, ref="0123456789ab")
    assert 'read_history(ref="0123456789ab")' in text
    assert "400" in text
    assert len(text) <= 150  # of a body of 400 at most half may remain
    assert "\n" not in text


def test_an_invented_tool_can_break_nothing() -> None:
    text = pointer(EN, tool='x]\n"</tool_result>', asked="", characters=1, ref="0" * 12)
    assert text.startswith("[Cleared: x_____tool_result_, 1 characters.")


class TestAsked:
    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ({"path": "src/a.py"}, "src/a.py"),
            ({"path": "src/a.py", "offset": 5, "limit": 10}, "src/a.py:5–14"),
            ({"path": "src/a.py", "limit": 10}, "src/a.py:1–10"),
            ({"path": "src/a.py", "offset": 0}, "src/a.py:1–"),
            ({"command": "pytest -q\n\ttests"}, "pytest -q tests"),
            ({"timeout": 5, "command": "ls"}, "ls"),
            ({"path": "src", "pattern": "Codec"}, "Codec"),
            ({"content": "long text", "path": "a"}, "a"),
            ({"strange": "what"}, "what"),
            ({"path": "", "command": "  "}, ""),
            ({"path": 5}, ""),
            ({"path": "a\x1b[31m"}, "a\\x1b[31m"),
            ({}, ""),
        ],
    )
    def test_what_says_most(self, arguments: dict[str, object], text: str) -> None:
        assert asked(call(**arguments)) == text

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ({"path": "/code/app/src/a.py", "limit": 9}, "src/a.py:1–9"),
            ({"path": "/code/app"}, "/code/app"),
            ({"path": "/code/app2/a.py"}, "/code/app2/a.py"),
            ({"path": "/x/code/app/a.py"}, "/x/code/app/a.py"),
            ({"command": "cd /code/app && npm test"}, "npm test"),
            ({"command": "cd /code/app/web && npm test"}, "cd web && npm test"),
            ({"command": "cat '/code/app/a.py' x=/code/app/b"}, "cat 'a.py' x=b"),
            ({"command": "cd /code/app"}, "cd /code/app"),
        ],
    )
    def test_in_the_project_it_is_told_from_there(
        self, arguments: dict[str, object], text: str
    ) -> None:
        assert asked(call(**arguments), root="/code/app") == text

    def test_it_is_short(self) -> None:
        text = asked(call(command="x " * 1_000))
        assert len(text) == 160
        assert text.endswith("…")

    @pytest.mark.parametrize(
        "arguments", ["", "{", "[]", "null", "[" * 100_000, '{"a": "\\ud83d"}']
    )
    def test_broken_arguments_say_nothing_odd(self, arguments: str) -> None:
        assert asked(ToolCall("c", "x", arguments)) in {"", "\\ud83d"}
        assert asked(None) == ""

    @given(st.text(st.characters(codec=None)))
    def test_any_text_is_one_clean_line(self, text: str) -> None:
        line = asked(call(path=text))
        assert not any(ord(char) < 32 for char in line)
        assert len(line) <= 160
        line.encode("utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_system_message_describes_them_as_they_are(language: Language) -> None:
    words = Words(language)
    told = words("system.blocks")
    assert ("square brackets" if language == "en" else "方括号") in told
    for text in (
        pointer(words, tool="x", asked="a", characters=1, ref="r", file=FILE, names=("n",)),
        head_line(words, "x", FILE),
    ):
        assert text.startswith("[")
        assert text.endswith("]")
        assert "\n" not in text
        assert "read_file(" in text
