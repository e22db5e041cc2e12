"""What can be done in the preview of a compaction, and where Tab leads."""

import pytest

from app.text import Words
from app.view.compaction import Phase
from tests.screens.compacting import preview
from widgets.dialogs.compaction_keys import (
    buttons_for,
    entries_for,
    keys_line,
    next_place,
    said_lines,
)
from widgets.look import Look


@pytest.mark.parametrize(
    ("phase", "names"),
    [
        ("ready", ["accept", "edit", "pin", "again", "cancel"]),
        ("writing", ["stop"]),
        ("failed", ["again", "cut", "cancel"]),
        ("stale", ["again", "cancel"]),
    ],
)
def test_the_safe_one_is_first(phase: Phase, names: list[str]) -> None:
    assert [one.name for one in buttons_for(preview(phase=phase))] == names


def test_letters_are_text_while_something_is_edited() -> None:
    shown = preview()
    assert "edit" not in [one.name for one in buttons_for(shown, editing=True)]
    entries = entries_for(shown, Look(), editing=True, compact=True, lists=False)
    assert {entry.keys for entry in entries} == {""}
    assert entries[-1].text == "Show the list"


def test_tab_goes_round_and_back() -> None:
    places = [next_place(place, 1, compact=False) for place in ("list", "text", "buttons")]
    assert places == ["text", "buttons", "list"]
    assert next_place("buttons", -1, compact=False) == "text"
    assert next_place("buttons", 1, compact=True) == "list"
    assert next_place("list", 1, compact=True) == "buttons"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_keys_fit_the_narrow_window(language: str) -> None:
    look = Look(Words("zh" if language == "zh" else "en"))
    assert keys_line("field", look, compact=True).cell_length <= 72
    assert not keys_line("buttons", look, compact=True)
    assert keys_line("field", look, compact=False).cell_length <= 104


def test_a_long_sentence_is_wrapped() -> None:
    rows = said_lines("a word " * 30, 72, Look(), good=False).plain.split("\n")
    assert rows[0].startswith("! a word")
    assert len(rows) > 1
    assert max(map(len, rows)) <= 72
