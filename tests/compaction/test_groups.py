"""Messages in groups that people know again."""

import pytest

from app.compaction.groups import first_words, pinned_title, runs_of, title_of
from app.conversation.messages import (
    Message,
    RestoredPart,
    SummaryPart,
    TextPart,
    ToolCall,
    result_of,
)
from app.text import LANGUAGES, Language, Words


def said(id_: str, text: str) -> Message:
    return Message(id_, "user", (TextPart(text),))


def answered(id_: str, text: str = "", *calls: ToolCall) -> Message:
    return Message(id_, "assistant", (TextPart(text),) if text else (), calls=calls)


def steps(first: int, count: int, tool: str = "read_file") -> list[Message]:
    """So many steps of one call each."""
    found: list[Message] = []
    for number in range(first, first + count):
        call = ToolCall(f"c{number}", tool, '{"path": "a.py"}')
        found += [answered(f"a{number}", "", call), result_of(call, f"r{number}", "text")]
    return found


def test_a_turn_is_a_group_with_its_first_line() -> None:
    runs = runs_of(
        [said("u1", "\n  Fix the codec \nand more"), answered("a1", "Done."), said("u2", "Go on")]
    )
    assert [(run.kind, run.title) for run in runs] == [("turn", "Fix the codec"), ("turn", "Go on")]
    assert [len(run.messages) for run in runs] == [2, 1]


def test_messages_sent_together_are_one_turn() -> None:
    (run,) = runs_of([said("u1", "one"), said("u2", "two"), answered("a1", "ok")])
    assert len(run.messages) == 3


def test_a_long_turn_comes_in_pieces_that_end_with_a_step() -> None:
    runs = runs_of([said("u", "read it all"), *steps(0, 12), answered("z", "All read.")])
    assert [run.kind for run in runs] == ["turn", "steps", "steps"]
    assert runs[1].title == "read_file ×5"
    assert all(run.messages[0].role == "assistant" for run in runs[1:])
    assert sum(len(run.messages) for run in runs) == 26


def test_what_begins_inside_a_turn_is_its_rest() -> None:
    run, *_ = runs_of([*steps(0, 2, "grep"), answered("z", "Found.")])
    assert (run.kind, run.title) == ("rest", "grep ×2")


def test_an_earlier_summary_with_its_acknowledgement() -> None:
    bearer = Message("s", "user", (SummaryPart("## Goal"),))
    runs = runs_of([bearer, answered("a0", "Understood."), said("u", "Go on")])
    assert [(run.kind, len(run.messages)) for run in runs] == [("summary", 2), ("turn", 1)]


def test_a_summary_with_a_request_is_known_by_the_request() -> None:
    parts = (RestoredPart("x", "pin"), SummaryPart("## Goal", request="u0"), TextPart("fix it"))
    (run,) = runs_of([Message("s", "user", parts), answered("a", "ok")])
    assert (run.kind, run.title) == ("turn", "fix it")


def test_discarded_messages_arent_there() -> None:
    gone = Message("d", "assistant", (TextPart("cut off"),), discarded=True)
    (run,) = runs_of([said("u", "go"), gone, answered("a", "ok")])
    assert [one.id for one in run.messages] == ["u", "a"]


def test_titles_are_one_harmless_line() -> None:
    assert first_words("\x1b[31mred\n") == "\\x1b[31mred"
    assert len(first_words("word " * 500)) <= 121
    assert first_words("") == ""
    call = ToolCall("c", "read_file", '{"path": "src/a.py"}')
    assert title_of(result_of(call, "r", "text"), {"c": call}) == "read_file src/a.py"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pin_that_was_carried_over_is_known_again(language: Language) -> None:
    words = Words(language)

    def quoted(what: str) -> str:
        return words("compaction.pinned_head", what=what) + "\nNever touch the scripts\nmore"

    assert pinned_title(quoted(words("compaction.pinned_user"))) == "Never touch the scripts"
    assert pinned_title(quoted(words("compaction.pinned_answer"))) == "Never touch the scripts"
    assert pinned_title(quoted("read_file src/a.py")) == "read_file src/a.py"
    assert pinned_title("brought back\nlines") == "brought back"
