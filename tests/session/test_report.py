"""What stands in `/context`, from a real session."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from app.conversation.history import History
from app.conversation.messages import Message, SummaryPart, TextPart
from app.ports import Usage
from app.session.report import MOST_ITEMS, SUBJECT_CELLS, _begins, _turns, context_report
from app.session.session import Session
from app.view.context_view import ContextReport, LargestItem
from tests.session.support import Piece, Recorded, ScriptedModel, call, make_session, says


def report(session: Session) -> ContextReport:
    return context_report(session.context, session.history)


async def opened(tmp_path: Path, *answers: list[Piece]) -> Recorded:
    recorded = make_session(tmp_path, ScriptedModel(*answers))
    await recorded.session.open()
    return recorded


def kinds(found: ContextReport) -> list[str]:
    return [item.kind for item in found.largest]


def one(found: ContextReport, kind: str) -> LargestItem:
    (item,) = (item for item in found.largest if item.kind == kind)
    return item


async def test_the_composition_adds_up_and_has_no_empty_rows(tmp_path: Path) -> None:
    recorded = await opened(
        tmp_path, says("Looking.", call("list_dir", path=".")), says("Nothing there.")
    )
    await recorded.session.run("What is there?")
    found = report(recorded.session)
    rows = [(row.kind, row.items) for row in found.composition]
    tools = len(recorded.session._open.agent.toolbox.schemas)
    assert rows == [
        ("system_prompt", 1),
        ("tools", tools),
        ("messages", 1),
        ("answers", 2),
        ("calls", 1),
        ("results", 1),
    ]
    assert sum(row.tokens for row in found.composition) == recorded.contexts[-1].tokens
    assert (found.events, found.clearable) == ((), 0)
    assert found.turns == (recorded.contexts[-1].tokens,)


async def test_an_empty_history_has_the_tools_alone(tmp_path: Path) -> None:
    recorded = await opened(tmp_path)
    found = report(recorded.session)
    assert [row.kind for row in found.composition] == ["tools"]
    assert kinds(found) == ["tools"]
    assert (found.turns, found.peak) == ((), None)


async def test_before_the_first_message_the_system_message_is_there(tmp_path: Path) -> None:
    recorded = await opened(tmp_path)
    found = context_report(recorded.session.context, recorded.session._open.prospect)
    assert [row.kind for row in found.composition] == ["system_prompt", "tools"]
    assert sum(row.tokens for row in found.composition) == recorded.contexts[-1].tokens


async def test_the_largest_items_say_what_they_are_and_when(tmp_path: Path) -> None:
    recorded = await opened(
        tmp_path,
        says("First line.\nSecond line."),
        says("", call("read_file", path="big.txt"), call("list_dir", path=".")),
        says("Done."),
    )
    (recorded.root / "big.txt").write_text("many words of a large file\n" * 400)
    await recorded.session.run("Hello!\nHow are you?")
    await recorded.session.run("Read it.")
    found = report(recorded.session)
    sizes = [item.tokens for item in found.largest]
    assert sizes == sorted(sizes, reverse=True)
    largest = found.largest[0]
    assert (largest.kind, largest.tool, largest.subject) == ("result", "read_file", "big.txt")
    assert largest.turn == 2
    assert recorded.session.history.get(largest.message) is not None
    system, tools, asked = one(found, "system"), one(found, "tools"), one(found, "call")
    assert (system.turn, system.subject, tools.turn, tools.message) == (None, "", None, "")
    assert tools.count == len(recorded.session._open.agent.toolbox.schemas)
    assert tools.tokens == next(row.tokens for row in found.composition if row.kind == "tools")
    assert (asked.tool, asked.subject, asked.turn) == ("read_file", "big.txt", 2)
    said = {(item.kind, item.subject, item.turn) for item in found.largest}
    assert {
        ("you", "Hello!", 1),
        ("you", "Read it.", 2),
        ("answer", "First line.", 1),
        ("answer", "Done.", 2),
        ("result", ".", 2),
    } <= said


@pytest.mark.parametrize(
    ("tool", "arguments", "subject"),
    [
        ("execute_command", {"command": "echo hi", "timeout": 5}, "echo hi"),
        ("search_files", {"pattern": "def ", "path": "app"}, "def app"),
        ("search_files", {"pattern": "def "}, "def "),
        ("read_file", {"path": "a.py", "offset": 3, "limit": 2}, "a.py:3–4"),
        ("read_file", {"path": 7}, ""),
        ("update_todo", {"todo": ["move the codec"], "done": []}, "move the codec"),
        ("other", {}, ""),
    ],
)
async def test_the_subject_of_a_call(
    tmp_path: Path, tool: str, arguments: dict[str, object], subject: str
) -> None:
    recorded = await opened(tmp_path, says("", call(tool, **arguments)), says("Done."))
    await recorded.session.run("Go.")
    found = report(recorded.session)
    assert one(found, "call").subject == one(found, "result").subject == subject.strip()


async def test_at_most_twelve(tmp_path: Path) -> None:
    recorded = await opened(tmp_path, *(says("Yes.") for _ in range(10)))
    for _ in range(10):
        await recorded.session.run("Well?")
    found = report(recorded.session)
    assert len(found.largest) == MOST_ITEMS
    assert {"system", "tools"} <= set(kinds(found))
    assert len(found.turns) == 10
    assert found.peak == (max(found.turns), 10)


async def test_foreign_text_is_visible_and_short(tmp_path: Path) -> None:
    recorded = await opened(tmp_path, says("\n\n\x1b[31mred\tand " + "长" * 500))
    await recorded.session.run("a" * 10_000)
    found = report(recorded.session)
    assert one(found, "you").subject == "a" * SUBJECT_CELLS
    subject = one(found, "answer").subject
    assert subject.startswith(r"\x1b[31mred and 长")
    assert cell_len(subject) in (SUBJECT_CELLS - 1, SUBJECT_CELLS)


async def test_how_good_the_number_is(tmp_path: Path) -> None:
    recorded = await opened(tmp_path, says("One.", usage=Usage(3_000, completion=3)), says("Two."))
    before = report(recorded.session).meter
    assert (before.anchored, before.calls, before.ratio) == (False, 0, 1.0)
    await recorded.session.run("Hello!")
    expected = recorded.contexts[1].tokens
    meter = report(recorded.session).meter
    assert (meter.anchored, meter.since, meter.calls) == (True, 0, 1)
    assert meter.median == meter.worst == pytest.approx((3_000 - expected) / 3_000, abs=0.001)
    assert meter.ratio == pytest.approx(3_000 / expected, abs=0.01)
    await recorded.session.run("And?")
    assert report(recorded.session).meter.since > 0


async def test_asking_changes_nothing(tmp_path: Path) -> None:
    recorded = await opened(tmp_path, says("One.", usage=Usage(2_000, completion=3)))
    await recorded.session.run("Hello!")
    first = report(recorded.session)
    assert report(recorded.session) == first
    recorded.session.context.tell()
    assert recorded.contexts[-1].source == "anchored"


def test_a_run_of_user_messages_is_one_turn() -> None:
    def said(message_id: str, role: str, *, discarded: bool = False) -> Message:
        parts = (TextPart("x"),)
        return Message(message_id, role, parts, discarded=discarded)  # type: ignore[arg-type]

    history = History(
        [
            said("s", "system"),
            said("u1", "user"),
            said("u2", "user"),
            said("a1", "assistant"),
            said("u3", "user"),
            said("d", "assistant", discarded=True),
            said("u4", "user"),
            said("a2", "assistant"),
        ]
    )
    assert _turns(history) == {"u1": 1, "u2": 1, "a1": 1, "u3": 2, "u4": 2, "a2": 2}
    assert _turns(history, 2) == _turns(history)


def test_turns_that_a_summary_stands_for_are_counted() -> None:
    summary = Message("s1", "user", (SummaryPart("## Goal"),))
    acknowledged = Message("k", "assistant", (TextPart("Yes."),))
    asked, answered = (
        Message("u9", "user", (TextPart("x"),)),
        Message("a9", "assistant", (TextPart("x"),)),
    )
    history = History([summary, acknowledged, asked, answered])
    assert _turns(history, 9) == {"u9": 9, "a9": 9}
    assert _begins(history, _turns(history, 9), 9) == ("",) * 8 + ("u9",)


async def test_each_turn_says_where_it_begins(tmp_path: Path) -> None:
    """The user's message; of a resumed session only the turns since are counted."""
    recorded = await opened(tmp_path, says("One."), says("Two."))
    await recorded.session.run("Hello!")
    await recorded.session.run("And?")
    asked = tuple(one.id for one in recorded.session.history if one.role == "user")
    assert report(recorded.session).begins == asked
    del recorded.session.context.turns[0]
    assert report(recorded.session).begins == asked[1:]


async def test_what_has_a_file_says_so(tmp_path: Path) -> None:
    """The file a result went to, else the one its call is about; of a search none."""
    recorded = await opened(
        tmp_path,
        says("", call("read_file", path="big.txt")),
        says("", call("read_file", path="small.txt")),
        says("", call("search_files", pattern="line")),
        says("Seen."),
    )
    (recorded.root / "big.txt").write_text("a line\n" * 8_000)
    (recorded.root / "small.txt").write_text("a line\n" * 80)
    await recorded.session.run("Read them.")
    results = [item for item in report(recorded.session).largest if item.kind == "result"]
    paths = {f"{item.tool} {item.subject}": item.path for item in results}
    assert paths.pop("read_file big.txt").endswith("/001-read_file.txt")
    assert paths == {"read_file small.txt": "small.txt", "search_files line": ""}
    calls = [item for item in report(recorded.session).largest if item.kind == "call"]
    assert {item.path for item in calls} == {"big.txt", "small.txt", ""}
