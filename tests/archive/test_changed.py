"""The files that a chain's tools wrote."""

from app.archive.changed import changed_by
from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.outcome import ToolOutcome

OK, FAILED = (ToolOutcome(ok=ok, seconds=0.1, characters=3) for ok in (True, False))


def told(
    number: int, tool: str, arguments: str, outcome: ToolOutcome | None
) -> list[tuple[Message, ToolOutcome | None]]:
    call = ToolCall(f"c{number}", tool, arguments)
    result = Message(f"r{number}", "tool", (TextPart("x"),), call_id=call.id, tool=tool)
    return [(Message(f"a{number}", "assistant", calls=(call,)), None), (result, outcome)]


def test_the_one_changed_last_stands_first_and_each_once() -> None:
    found = changed_by(
        [
            *told(1, "write_file", '{"path": "a.py"}', OK),
            *told(2, "edit_file", '{"path": "b.py"}', OK),
            *told(3, "edit_file", '{"path": "a.py"}', OK),
        ]
    )
    assert found == ("a.py", "b.py")


def test_only_what_was_written() -> None:
    found = changed_by(
        [
            *told(1, "write_file", '{"path": "failed.py"}', FAILED),
            *told(2, "write_file", '{"path": "closed.py"}', None),
            *told(3, "read_file", '{"path": "read.py"}', OK),
            *told(4, "write_file", '{"path": ', OK),
            *told(5, "write_file", '["path"]', OK),
            *told(6, "write_file", '{"path": 7}', OK),
        ]
    )
    assert found == ()
