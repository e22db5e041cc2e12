"""What is known of the work: tab, `/todo`, offers and lines, by real keys on the real app."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from app.conversation.wire import to_wire
from app.conversation.work import Done, Progress
from app.screens.work import WorkViewScreen
from app.view.work_rows import BLANK, EntityRow, RuleRow, left_rows, right_rows, tab_rows
from tests.screens.stage import Stage, clock_of, make_app, opened, until
from tests.session.summing import prose, summary
from tests.session.support import Piece, ScriptedModel, call, says
from tests.widgets.desk import has_row, rows, text
from widgets.dialogs.approval import ApprovalDialog
from widgets.dialogs.fact_text import FactDialog
from widgets.work_list import WorkSource

ASKED = "Move the service to Java 21. Never touch the Flyway migrations."
RULE = "Never touch the Flyway migrations"


def answers() -> list[list[Piece]]:
    write = call("write_file", path="src/codec.py", content="def decode():\n    return 1\n")
    todo = call("update_todo", todo=["write tests", "Dockerfile"], done=["look around"])
    return [says("", write), says("", todo), says("Done."), says("Yes."), says("Yes.")]


@asynccontextmanager
async def running(
    tmp_path: Path, *, size: tuple[int, int] = (120, 36), said: bool = True, **how: Any
) -> AsyncIterator[tuple[Stage, Pilot[int]]]:
    app = make_app(tmp_path, how.pop("model", None) or ScriptedModel(*answers()), **how)
    try:
        async with app.run_test(size=size) as pilot:
            await opened(pilot, app)
            if said:
                await begin(app, pilot)
            yield app, pilot
    finally:
        await app.lead.put_away()


async def begin(app: Stage, pilot: Pilot[int]) -> None:
    """A turn that writes a file and a list."""
    assert app.chat is not None and app.session is not None
    app.chat.run_line(ASKED)
    await until(pilot, lambda: isinstance(app.screen, ApprovalDialog))
    clock_of(app).seconds += 5
    await pilot.press("y")
    await until(pilot, lambda: app.session is not None and not app.session.busy)


async def to_the_tab(app: Stage, pilot: Pilot[int]) -> None:
    await pilot.press("f5")
    chat = app.chat
    assert chat is not None
    await until(pilot, lambda: chat.side.model.active == "work" and chat.panel.work.has_focus)
    await until(pilot, lambda: has_row(app, "This is what the agent is told"))


async def on(app: Stage, pilot: Pilot[int], kind: str) -> None:
    """The cursor of the tab goes to a row of a kind."""
    chat = app.chat
    assert chat is not None
    await pilot.press("home")
    for _ in range(20):
        if chat.panel.work.key[:1] == (kind,):
            return
        await pilot.press("down")
    raise AssertionError(text(app))


async def test_the_tab_says_what_was_asked_done_and_left(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        assert has_row(app, f"· rule noted: {RULE}  Enter changes it")
        await to_the_tab(app, pilot)
        assert has_row(app, "Goal", "e edit") and has_row(app, "Move the service to Java 21.")
        assert has_row(app, "Rules  1", "your words")
        assert has_row(app, "· Never touch the Flyway", "new u undo")
        assert has_row(app, "+ src/codec.py", "created", "now")
        assert has_row(app, "Progress", "1 / 3")
        foot = rows(app)[-1]
        assert foot.startswith(" ↑ ↓ Move  ← → Tab  e Edit  u Undo rule  Enter View  w Window")
        await pilot.press("right")
        assert app.chat is not None and app.chat.side.model.active == "memory"
        assert app.chat.panel.list.has_focus and not has_row(app, "Goal")


async def test_u_ends_the_newest_rule_and_again_brings_it_back(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        session = app.session
        assert session is not None
        await to_the_tab(app, pilot)
        await pilot.press("u")
        await until(pilot, lambda: has_row(app, "Rule ended; u brings it back"))
        await until(pilot, lambda: has_row(app, "∅ Never touch", "no longer holds"))
        assert "u Undo rule" in rows(app)[-1]
        assert (await session.work_shown()).rules == ()
        await pilot.press("u")
        await until(pilot, lambda: has_row(app, "· Never touch", "new u undo"))
        assert [rule.text for rule in (await session.work_shown()).rules] == [RULE]
        # The user's own words end it: the row can't be edited, and u on it brings it back.
        rule = (await session.work_shown()).rules[0]
        await session.revoke_rule(rule)
        await until(pilot, lambda: has_row(app, "∅ Never touch", "no longer holds"))
        await on(app, pilot, "rule")
        assert app.chat is not None and not app.chat.offers("edit_told")
        await pilot.press("u")
        await until(pilot, lambda: has_row(app, "Rule holds again"))
        assert [rule.text for rule in (await session.work_shown()).rules] == [RULE]
        # On a lower screen the gauge makes room for it.
        await pilot.resize_terminal(160, 48)
        await pilot.press("escape", "f5")
        await pilot.resize_terminal(100, 24)
        await until(pilot, lambda: has_row(app, "Goal", "e edit"))


async def test_e_edits_the_goal_and_the_rule_under_the_cursor(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        session = app.session
        assert session is not None
        await to_the_tab(app, pilot)
        for kind, key, said in (("goal", "G", "Java 21."), ("rule", "R", RULE)):
            await on(app, pilot, kind)
            await pilot.press("e")
            await until(pilot, lambda: isinstance(app.screen, FactDialog))
            assert isinstance(app.screen, FactDialog) and said in app.screen.field.text
            await pilot.press("ctrl+a", *"New", key, "enter")
            await until(pilot, lambda: app.screen is app.chat)
        await until(pilot, lambda: has_row(app, "NewR"))
        shown = await session.work_shown()
        assert shown.goal is not None and "NewG" in shown.goal.text
        assert "NewR" in shown.rules[0].text and len(shown.rules) == 1


async def test_todo_alone_leads_to_the_progress_and_its_words_change_it(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        chat, session = app.chat, app.session
        assert chat is not None and session is not None
        chat.run_line("/todo")
        await until(pilot, lambda: chat.panel.work.key == ("progress",))
        assert has_row(app, "▸ Progress", "1 / 3")
        chat.run_line("/todo add release notes")
        await until(pilot, lambda: has_row(app, "Progress", "1 / 4"))
        chat.run_line("/todo done 1")
        await until(pilot, lambda: has_row(app, "Progress", "2 / 4"))
        chat.run_line("/todo drop docker")
        await until(pilot, lambda: has_row(app, "Progress", "2 / 3"))
        assert (await session.work_shown()).progress.todo == ("release notes",)
        # The agent goes on; what it says since outlives the undo.
        before = (await session.work_shown()).progress
        await session.change_progress(Progress((), (*before.done, Done("release notes"))))
        await pilot.press("f5", "u")
        await until(pilot, lambda: has_row(app, "Progress", "3 / 4"))
        after = (await session.work_shown()).progress
        assert after.todo == ("Dockerfile",) and Done("release notes") in after.done
        chat.run_line("/todo dnoe 1")
        await until(pilot, lambda: has_row(app, "dnoe is nothing /todo can do"))


async def test_who_typed_a_command_types_on_in_the_prompt(tmp_path: Path) -> None:
    """What follows is no key of the panel: `d` there takes an entry out, `w` another window."""
    async with running(tmp_path) as (app, pilot):
        chat, session = app.chat, app.session
        assert chat is not None and session is not None
        await pilot.press(*"/todo", "enter", *"/todo add write docs")
        await pilot.press("enter")
        await until(pilot, lambda: has_row(app, "Progress", "1 / 4"))
        await pilot.press(*"words and dwu")
        assert chat.prompt.input.has_focus and chat.prompt.input.text == "words and dwu"
        progress = (await session.work_shown()).progress
        assert progress.todo == ("write tests", "Dockerfile", "write docs")
        assert chat.side.panel.folded, "the list has the room"
        await pilot.press("enter")
        await until(pilot, lambda: not chat.side.panel.folded)
        await until(pilot, lambda: not session.busy)
        told = '<recovery kind="change">'
        assert told in str(to_wire(session.history, session.history.recovery)[-2]["content"])


async def test_unfinished_work_is_offered_once_and_taken_up(tmp_path: Path) -> None:
    async with running(tmp_path):
        pass
    again: dict[str, Any] = {"said": False, "first_id": 100}
    async with running(tmp_path, **again) as (app, pilot):
        offer = ("Unfinished in Move the service", "…: 2 of 3 open · /todo take")
        await until(pilot, lambda: has_row(app, *offer))
        chat, session = app.chat, app.session
        assert chat is not None and session is not None
        chat.run_line("/todo take")
        await until(pilot, lambda: has_row(app, "Taken up"))
        assert not has_row(app, "Unfinished in ")
        shown = await session.work_shown()
        assert shown.progress.todo == ("write tests", "Dockerfile")
        assert [one.name for one in shown.changed] == ["src/codec.py"]
        assert [rule.text for rule in shown.rules] == [RULE]
        chat.run_line("/todo")
        await until(pilot, lambda: has_row(app, "Progress", "1 / 3"))


async def test_a_small_screen_opens_the_view_instead(tmp_path: Path) -> None:
    async with running(tmp_path, size=(80, 24), language="zh") as (app, pilot):
        chat = app.chat
        assert chat is not None
        chat.run_line("/todo")
        await until(pilot, lambda: isinstance(app.screen, WorkViewScreen))
        await until(pilot, lambda: has_row(app, "● write tests"))
        assert isinstance(app.screen, WorkViewScreen)
        assert app.screen.left.key == ("task", "todo", "write tests")
        assert app.session is not None
        told = await app.session.work_shown()  # which says what a block would
        source = app.screen.left.source
        assert isinstance(source, WorkSource)
        assert source.rows == (*left_rows(told), BLANK, *right_rows(told))
        await pilot.press("escape")
        assert app.session is not None
        await app.session.change_progress(Progress((), (Done("all of it"),)))
        chat.run_line("/todo")
        await until(pilot, lambda: has_row(app, "▸ ✓ all of it"))


async def test_nothing_is_asked_of_the_session_while_nobody_looks(tmp_path: Path) -> None:
    asked: list[int] = []
    async with running(tmp_path, said=False) as (app, pilot):
        session = app.session
        assert session is not None
        shown = session.work_shown

        async def count() -> Any:
            asked.append(1)
            return await shown()

        session.work_shown = count  # type: ignore[method-assign]
        await begin(app, pilot)
        await asyncio.sleep(0.3)
        assert not asked
        await to_the_tab(app, pilot)
        before = len(asked)
        assert before > 0
        await session.change_progress(Progress(("one more",)))
        await until(pilot, lambda: has_row(app, "Progress", "0 / 1"))
        assert len(asked) == before + 1
        for _ in range(5):  # of looks that are wanted at once, one is had, and one after it
            app.lead.working.feed.refresh()
        await asyncio.sleep(0.3)
        assert before + 2 <= len(asked) <= before + 3


async def test_what_is_shown_is_what_stands_in_the_request(tmp_path: Path) -> None:
    """After a summary: the same names in the same order, in tab, view and block."""
    long = [says(prose(f"answer {n}", 5_000)) for n in range(4)]
    model = ScriptedModel(*answers()[:3], *long, says(summary()))
    flags = {"model.window": "16000"}
    async with running(tmp_path, model=model, flags=flags) as (app, pilot):
        session, chat = app.session, app.chat
        assert session is not None and chat is not None
        for number in range(4):
            chat.run_line(f"Question {number}?")
            await until(pilot, lambda: app.session is not None and app.session.busy)
            await until(pilot, lambda: app.session is not None and not app.session.busy)
        assert await session.compact()
        await to_the_tab(app, pilot)
        await until(pilot, lambda: has_row(app, "+ src/codec.py"))
        wire = to_wire(session.history, session.history.recovery)
        block = next(str(one["content"]) for one in wire if "</recovery>" in str(one["content"]))
        block = block[block.index("<recovery>") : block.index("</recovery>")]
        shown = chat.side.model.work
        assert shown.goal is not None and shown.goal.text in block
        assert [f"- {row.text}" in block for row in _of(shown, RuleRow)] == [True]
        told = [row.entity.name for row in _of(shown, EntityRow)]
        listed = [*(one.name for one in shown.changed), *(one.name for one in shown.nearest)]
        assert sorted(told) == sorted(listed) and "src/codec.py" in told
        lines = [line for line in block.splitlines() if line.startswith("- ") and "(" in line]
        named = [line[2:].split(" (")[0].strip("`") for line in lines]
        assert [name for name in named if name in listed] == listed
        assert [row.entity.name for row in right_rows(shown) if isinstance(row, EntityRow)] == told
        for text_ in shown.progress.todo:
            assert f"- {text_}" in block


def _of(shown: Any, kind: Any) -> list[Any]:
    return [row for row in tab_rows(shown, 1_000, goal_lines=2) if isinstance(row, kind)]


async def test_the_tab_is_reached_from_a_list_and_left_for_one(tmp_path: Path) -> None:
    """With something offloaded the list has rows, which the tab of the work has not."""
    big = call("execute_command", command="seq 1 9000")
    model = ScriptedModel(says("", big), says("Done."))
    async with running(tmp_path, model=model, said=False) as (app, pilot):
        assert app.chat is not None and app.session is not None
        app.chat.run_line(ASKED)
        await until(pilot, lambda: isinstance(app.screen, ApprovalDialog))
        clock_of(app).seconds += 5
        await pilot.press("y")
        await until(pilot, lambda: app.session is not None and not app.session.busy)
        await pilot.press("f5")
        await until(pilot, lambda: has_row(app, "seq 1 9000"))
        for _ in range(2):
            await pilot.press("right", "right")
            await until(pilot, lambda: has_row(app, "This is what the agent is told"))
            await pilot.press("escape", "f5", "left", "left")
            await until(pilot, lambda: not has_row(app, "This is what the agent is told"))


async def test_u_is_offered_where_something_can_be_taken_back(tmp_path: Path) -> None:
    async with running(tmp_path, model=ScriptedModel(says("Yes.")), said=False) as (app, pilot):
        session, chat = app.session, app.chat
        assert session is not None and chat is not None
        chat.run_line("Move src/codec.py to Java 21.")
        await until(pilot, lambda: has_row(app, "Yes.") and not session.busy)
        await to_the_tab(app, pilot)
        await until(pilot, lambda: has_row(app, "Move src/codec.py"))
        assert "w Window" in rows(app)[-1] and "Undo rule" not in rows(app)[-1]
        chat.run_line("/todo add Dockerfile")
        await until(pilot, lambda: has_row(app, "Progress", "0 / 1"))
        await until(pilot, lambda: "u Undo rule" in rows(app)[-1])
        await pilot.press("u")
        await until(pilot, lambda: not has_row(app, "Progress", "0 / 1"))
        await until(pilot, lambda: "Undo rule" not in rows(app)[-1])
