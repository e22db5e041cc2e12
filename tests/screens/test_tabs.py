"""What left the context, under real keys on the real app: tabs, viewer, bringing back, undo."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.events import Restored
from app.screens.context import ContextScreen
from app.screens.viewer import ViewerScreen
from app.view.held import HeldItem
from app.view.items import CardItem, ClearMarkItem, UndoneItem, UserItem
from tests.screens import left
from tests.screens.stage import Stage, make_app, opened, until
from tests.session.support import Piece, ScriptedModel, call, says
from tests.widgets.desk import has_row, rows, text
from widgets.held_list import HeldList, HeldSource
from widgets.requests import EditFile, OpenResult, Request

BIG = "".join(
    f"line {number:,} of the log, with words enough to be long\n" for number in range(2_000)
)


def project(tmp_path: Path) -> Path:
    root = tmp_path / "home" / "code" / "order-service"
    root.mkdir(parents=True)
    (root / "big.log").write_text(BIG)
    for number in range(8):
        (root / f"part{number}.txt").write_text(f"part {number}\n" * 800)
    return root


def reading(*paths: str) -> list[list[Piece]]:
    """Reads files one after the other, then says so; once more after the next message."""
    steps = [says("", call("read_file", path=path)) for path in paths]
    return [*steps, says("Read."), says("Seen."), says("Again.")]


def stage(tmp_path: Path, *paths: str, **more: object) -> Stage:
    root = project(tmp_path)
    return make_app(tmp_path, ScriptedModel(*reading(*paths)), root=root, **more)  # type: ignore[arg-type]


async def say(app: Stage, pilot: Pilot[int], words: str) -> None:
    """Sends a message and waits for the end of its turn."""
    assert app.chat is not None and app.session is not None
    app.chat.run_line(words)
    await until(pilot, lambda: app.session is not None and app.session.busy)
    await until(pilot, lambda: app.session is not None and not app.session.busy)


async def begun(app: Stage, pilot: Pilot[int], count: int = 1) -> None:
    """The files were read, and what left the context is listed."""
    await opened(pilot, app)
    await say(app, pilot, "read")
    chat = app.chat
    assert chat is not None
    await until(pilot, lambda: sum(chat.side.model.counts.values()) >= count)


@pytest.mark.parametrize("size", [(120, 36), (160, 48)])
async def test_a_big_result_is_listed_with_its_first_lines(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = stage(tmp_path, "big.log")
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: has_row(app, "Nothing offloaded yet."))
        assert has_row(app, "Results over 32,000 characters go to")
        await begun(app, pilot)
        await until(pilot, lambda: has_row(app, "1–", "of 2,000"))
        assert has_row(app, "Offloaded 1  Cleared")
        assert has_row(app, "▸ read_file", "big.log", "k")
        assert has_row(app, "001-read_file.txt")
        assert has_row(app, "line 0 of the log")
        assert has_row(app, "⇲", "chars → ", "001-read_file.txt")


async def test_the_newest_is_shown_until_the_cursor_is_taken_elsewhere(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / "next.log").write_text(BIG.replace("the log", "the next log"))
    (root / "last.log").write_text(BIG.replace("the log", "the last log"))
    model = ScriptedModel(
        *reading("big.log")[:2],
        *reading("next.log")[:2],
        *reading("last.log")[:2],
    )
    app = make_app(tmp_path, model, root=root)
    async with app.run_test(size=(160, 48)) as pilot:
        await begun(app, pilot)
        await until(pilot, lambda: has_row(app, "▸ read_file", "big.log", "k"))
        await say(app, pilot, "and the next")
        await until(pilot, lambda: has_row(app, "▸ read_file", "next.log", "k"))
        await until(pilot, lambda: has_row(app, "line 0 of the next log"))
        await pilot.press("f5", "down", "escape")
        await until(pilot, lambda: has_row(app, "▸ read_file", "big.log", "k"))
        await say(app, pilot, "and the last")
        await until(pilot, lambda: has_row(app, "Offloaded 3"))
        assert has_row(app, "▸ read_file", "big.log", "k")


async def test_f5_goes_to_the_list_then_from_tab_to_tab_and_enter_views(tmp_path: Path) -> None:
    app = stage(tmp_path, "big.log")
    async with app.run_test(size=(120, 36)) as pilot:
        await begun(app, pilot)
        chat = app.chat
        assert chat is not None
        await pilot.press("f5")
        assert chat.side.held.list.has_focus
        await until(pilot, lambda: "b Bring back  o Open  p Pin" in rows(app)[-1])
        assert rows(app)[-1].endswith("? keys")
        assert has_row(app, "w windows") and "↑ ↓ Move" in rows(app)[-1]
        listed = chat.side.held.list.source
        assert isinstance(listed, HeldSource) and listed.lit
        await pilot.press("w")
        await until(pilot, lambda: "w Next window  Enter Switch  Esc" in rows(app)[-1])
        assert not listed.lit  # the window alone
        await pilot.press("escape")
        await until(pilot, lambda: "b Bring back  o Open  p Pin" in rows(app)[-1])
        assert listed.lit
        await pilot.press("escape")
        await pilot.click(chat.side.panel, offset=(3, 3))
        await until(pilot, lambda: "w Window  Enter Open  Esc Prompt" in rows(app)[-1])
        await pilot.press("w")
        await until(pilot, lambda: "w Next window  Enter Switch  Esc" in rows(app)[-1])
        await pilot.press("escape")
        await until(pilot, lambda: "w Window  Enter Open  Esc Prompt" in rows(app)[-1])
        await pilot.press("escape", "f5")
        await pilot.press("f5")
        await until(pilot, lambda: has_row(app, "Nothing cleared yet."))
        assert "Bring back" not in rows(app)[-1] and "↑ ↓" not in rows(app)[-1]
        await pilot.press("left")
        await until(pilot, lambda: not has_row(app, "Nothing cleared yet."))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
        await until(pilot, lambda: has_row(app, "line 0 of the log"))
        assert "tool-outputs" in rows(app)[2]
        await pilot.press("escape", "escape")
        await until(pilot, lambda: chat.prompt.input.has_focus)
        assert not has_row(app, "w windows")


async def test_the_first_lines_are_those_of_the_file_that_is_named(tmp_path: Path) -> None:
    app = stage(tmp_path)
    first, second = (
        HeldItem(message=f"m{number}", tool="read_file", path=f"part{number}.txt", lines=800)
        for number in (1, 2)
    )
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        assert app.chat is not None
        model = app.chat.side.model
        model.show({"offloaded": (first,), "cleared": (second,)})
        await until(pilot, lambda: has_row(app, "part 1"))
        model.choose("cleared")
        await until(pilot, lambda: has_row(app, "newest 3 kept"))
        model.show({"offloaded": (second,)})
        model.choose("offloaded")
        await until(pilot, lambda: has_row(app, "part2.txt"))
        await until(pilot, lambda: has_row(app, "part 2"))
        assert not has_row(app, "part 1")


async def test_b_quotes_it_in_the_next_message_and_b_again_does_not(tmp_path: Path) -> None:
    app = stage(tmp_path, "big.log")
    async with app.run_test(size=(120, 36)) as pilot:
        await begun(app, pilot)
        chat, session = app.chat, app.session
        assert chat is not None and session is not None
        await pilot.press("f5", "b")
        await until(pilot, lambda: has_row(app, "↩ read_file big.log", "+", "takes it back"))
        await until(pilot, lambda: has_row(app, "▸ ↩ read_file"))
        await pilot.press("b")
        await until(pilot, lambda: not session.brought_back)
        await until(pilot, lambda: "takes it back" not in text(app))
        await pilot.press("b")
        await until(pilot, lambda: session.brought_back)
        await pilot.press("escape", "backspace")
        await until(pilot, lambda: not session.brought_back)
        await pilot.press("f5", "b")
        await until(pilot, lambda: session.brought_back)
        heard: list[Restored] = []
        session.publish.listeners.append(
            lambda event: heard.append(event) if isinstance(event, Restored) else None
        )
        await pilot.press("escape")
        await say(app, pilot, "look at it again")
        await until(pilot, lambda: has_row(app, "↩ brought back read_file big.log", "k"))
        assert [one.how for one in heard] == ["brought_back"]
        assert "takes it back" not in text(app)
        quoting = next(item for item in chat.store if getattr(item, "brought", ()))
        assert isinstance(quoting, UserItem) and session.pinned(quoting.id)


async def test_o_opens_the_file_and_p_pins_it_in_list_and_card(tmp_path: Path) -> None:
    app = stage(tmp_path, "big.log")
    async with app.run_test(size=(120, 36)) as pilot:
        await begun(app, pilot)
        chat, session = app.chat, app.session
        assert chat is not None and session is not None
        edited: list[Request] = []

        def take(request: Request) -> bool:
            edited.append(request)
            return True

        app.lead.files.take = take  # type: ignore[method-assign]
        await pilot.press("f5", "o")
        await until(pilot, lambda: edited)
        (opens,) = edited
        assert isinstance(opens, EditFile) and opens.path.name == "001-read_file.txt"
        assert opens.path.is_file()
        await pilot.press("p")
        item = chat.side.held.item
        assert item is not None
        await until(pilot, lambda: session.pinned(item.message))
        await until(pilot, lambda: has_row(app, "▸ ◆ read_file"))
        await until(pilot, lambda: has_row(app, " ✓ ◆ read_file"))
        await pilot.press("p")
        await until(pilot, lambda: not session.pinned(item.message))
        await until(pilot, lambda: not has_row(app, " ✓ ◆ read_file"))


async def test_the_same_keys_work_on_a_card(tmp_path: Path) -> None:
    app = stage(tmp_path, "big.log")
    async with app.run_test(size=(120, 36)) as pilot:
        await begun(app, pilot)
        chat, session = app.chat, app.session
        assert chat is not None and session is not None
        await pilot.press("tab", "up")
        await until(pilot, lambda: "b Bring back  o Open  p Pin  c Copy" in rows(app)[-1])
        await pilot.press("b")
        await until(pilot, lambda: has_row(app, "↩ goes along with your next message"))
        await pilot.press("b", "enter")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
        await until(pilot, lambda: has_row(app, "line 0 of the log"))


async def test_lines_of_the_viewer_are_brought_back(tmp_path: Path) -> None:
    app = stage(tmp_path, "big.log")
    async with app.run_test(size=(120, 36)) as pilot:
        await begun(app, pilot)
        session = app.session
        assert session is not None
        await pilot.press("f5", "enter")
        await until(pilot, lambda: has_row(app, "line 0 of the log"))
        await pilot.press("shift+down", "b")
        await until(pilot, lambda: session.brought_back)
        (brought,) = session.brought_back
        assert brought.label.endswith("001-read_file.txt:1–2")
        assert "line 0 of the log" in brought.part.text and "line 2 of" not in brought.part.text
        await until(pilot, lambda: has_row(app, "Goes along with your next message"))
        assert has_row(app, "   001-read_file.txt:1–2")


async def test_a_small_screen_has_the_tabs_on_a_screen_of_their_own(tmp_path: Path) -> None:
    app = stage(tmp_path, "big.log")
    async with app.run_test(size=(80, 24)) as pilot:
        await begun(app, pilot)
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, ContextScreen))
        await until(pilot, lambda: has_row(app, "▸ read_file", "big.log"))
        assert has_row(app, "  Offloaded 1  Cleared")
        assert rows(app)[-1].startswith(
            " ↑ ↓ Move  ← → Tab  b Bring back  o Open  w Window  Esc Back"
        )
        await pilot.press("b")
        await until(pilot, lambda: has_row(app, "▸ ↩ read_file"))
        await pilot.press("right")
        await until(pilot, lambda: has_row(app, "Nothing cleared yet."))
        await pilot.press("left", "enter")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))


async def test_results_are_cleared_and_enter_shows_an_original(tmp_path: Path) -> None:
    """A window so small that the older results have to go."""
    paths = [f"part{number}.txt" for number in range(8)]
    app = stage(tmp_path, *paths, flags={"model.window": 16_000})
    async with app.run_test(size=(120, 36)) as pilot:
        await begun(app, pilot)
        chat, session = app.chat, app.session
        assert chat is not None and session is not None
        marks = [item for item in chat.store if isinstance(item, ClearMarkItem)]
        assert marks and not any(mark.undoable for mark in marks)
        await until(pilot, lambda: chat.side.model.counts["cleared"])
        gone = [
            item for item in chat.store if isinstance(item, CardItem) and item.state == "cleared"
        ]
        assert len(gone) == chat.side.model.counts["cleared"]
        chat.side.model.choose("cleared")
        await pilot.press("f5")
        await until(pilot, lambda: has_row(app, "▸ ∅ read_file", "part"))
        assert has_row(app, "newest 3 kept.")
        in_archive = next(n for n, one in enumerate(chat.side.model.items) if not one.path)
        await pilot.press(*["down"] * in_archive, "enter")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
        await until(pilot, lambda: has_row(app, "read_file part"))
        await until(pilot, lambda: has_row(app, "1  part "))
        assert "$EDITOR" not in rows(app)[-1]


async def test_undo_asks_the_session_and_says_when_it_is_too_late(tmp_path: Path) -> None:
    app = stage(tmp_path, "big.log")
    async with app.run_test(size=(120, 36)) as pilot:
        await begun(app, pilot)
        chat, session = app.chat, app.session
        assert chat is not None and session is not None
        card = next(item for item in chat.store if isinstance(item, CardItem))
        asked: list[int] = []

        async def undo_clear() -> bool:
            asked.append(1)
            return False

        session.undo_clear = undo_clear  # type: ignore[method-assign]
        chat.take(left.cleared(card.id))
        await pilot.press("tab", "end")
        await until(pilot, lambda: has_row(app, "cleared 1 tool result", "↩ undo"))
        await pilot.press("enter")
        await until(pilot, lambda: asked)
        await until(pilot, lambda: has_row(app, "Nothing to undo any more"))
        chat.take(Restored(how="undo", messages=(card.message,), calls=(card.id,), tokens=38_200))
        await until(pilot, lambda: has_row(app, "↩ undone: 1 tool result is back", "+38.2k"))
        assert any(isinstance(item, UndoneItem) for item in chat.store)


async def test_a_list_that_does_not_fit_opens_all_of_it(tmp_path: Path) -> None:
    app = stage(tmp_path)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        chat = app.chat
        assert chat is not None
        app.lead.items.refresh = lambda: None  # type: ignore[method-assign]
        await pilot.pause(0.3)
        few = left.lists(chat.now())["cleared"] * 1_000
        many = [replace(one, message=f"m{number}") for number, one in enumerate(few)]
        chat.side.model.show({"cleared": many})
        chat.side.model.choose("cleared")
        await until(pilot, lambda: has_row(app, "11,993 more  Enter opens all"))
        await pilot.press("f5", *["down"] * 40)
        shown = chat.side.held
        assert isinstance(shown.list, HeldList) and shown.list.on_more
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(shown.list, HeldList) and not shown.list.on_more)
        assert shown.item is not None and shown.item.message == "m19"
        await pilot.press("end")
        await until(pilot, lambda: shown.list.cursor == len(many) - 1)
        await pilot.press("home", "pagedown", "up")
        await pilot.press("escape")
        await until(pilot, lambda: has_row(app, "11,993 more  Enter opens all"))


async def test_f9_lists_the_keys_and_a_click_changes_the_tab(tmp_path: Path) -> None:
    app = stage(tmp_path, "big.log")
    async with app.run_test(size=(120, 36)) as pilot:
        await begun(app, pilot)
        chat = app.chat
        assert chat is not None
        await pilot.press("f5", "f9")
        await until(pilot, lambda: has_row(app, "bring back or not", "b"))
        assert has_row(app, "open in $EDITOR", "o")
        await pilot.press("escape")
        await pilot.pause()
        await pilot.click(chat.side.held._strip, offset=(14, 0))
        assert chat.side.model.active == "cleared"


async def test_undo_as_a_command_and_what_it_says_where_there_is_nothing(tmp_path: Path) -> None:
    paths = (f"part{number}.txt" for number in range(8))
    app = stage(tmp_path, *paths, flags={"compaction.auto": "clear"})
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await say(app, pilot, "read")
        chat, session = app.chat, app.session
        assert chat is not None and session is not None
        await pilot.press(*"/undo", "enter")
        await until(pilot, lambda: has_row(app, "Nothing to undo"))
        session.context.set_window(16_000)
        model = session.model
        assert isinstance(model, ScriptedModel)
        release = asyncio.Event()
        model.answers = [[release, *says("Yes.")]]
        chat.run_line("and?")
        await until(pilot, lambda: session.can_undo_clear)
        await until(pilot, lambda: has_row(app, "cleared", "tool results", "↩ undo"))
        gone = len(session.context.cleared)
        await pilot.press(*"/undo", "enter")
        await until(pilot, lambda: has_row(app, f"↩ undone: {gone} tool results are back"))
        assert not session.context.cleared
        release.set()
        await until(pilot, lambda: not session.busy)


async def test_pin_as_a_command_pins_the_last_message_or_what_the_cursor_is_on(
    tmp_path: Path,
) -> None:
    app = stage(tmp_path, "part0.txt")
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"/pin", "enter")
        await until(pilot, lambda: has_row(app, "Nothing to pin yet"))
        await say(app, pilot, "read")
        await say(app, pilot, "look closer")
        session = app.session
        assert session is not None
        users = [one.id for one in session.history if one.role == "user"]
        (result,) = [one.id for one in session.history if one.role == "tool"]

        def pinned() -> list[str]:
            return [one.id for one in session.history if session.pinned(one.id)]

        await pilot.press(*"/pin", "enter")
        await until(pilot, lambda: pinned() == users[1:])
        await until(pilot, lambda: has_row(app, "look closer", "◆"))
        await until(pilot, lambda: has_row(app, "look closer: kept word for word"))
        await pilot.press(*"/pin", "enter")
        await until(pilot, lambda: not pinned())
        await until(pilot, lambda: has_row(app, "No longer pinned"))
        await pilot.press("tab", "home", "down")
        while app.chat is not None and app.chat.transcript.marked is None:
            await pilot.press("down")
        await app.run_entry("/pin")  # as the palette does
        await until(pilot, lambda: pinned() == [result])
        await pilot.press("end")
        await app.run_entry("/pin")
        await until(pilot, lambda: has_row(app, "This can't be pinned"))
        assert pinned() == [result]


async def test_o_on_the_largest_items_opens_their_files(tmp_path: Path) -> None:
    app = stage(tmp_path, "big.log", "part1.txt")
    async with app.run_test(size=(120, 36)) as pilot:
        await begun(app, pilot)
        edited: list[Path] = []

        def take(request: Request) -> bool:
            assert isinstance(request, EditFile)
            edited.append(request.path)
            return True

        app.lead.files.take = take  # type: ignore[method-assign]
        await pilot.press(*"/context", "enter")
        await until(pilot, lambda: isinstance(app.screen, ContextScreen))
        screen = app.screen
        assert isinstance(screen, ContextScreen)
        for _ in screen.view.report.largest:
            if screen.view.item is not None and screen.view.item.path:
                await pilot.press("o")
            await pilot.press("down")
        await until(pilot, lambda: len(edited) == 4)
        names = {path.name for path in edited}
        assert names == {"001-read_file.txt", "part1.txt", "big.log"}
        screen.post_message(OpenResult("../../../etc/hosts"))
        await until(pilot, lambda: has_row(app, "outside the project"))
        screen.post_message(OpenResult("gone.txt"))
        await until(pilot, lambda: has_row(app, "no such file", "gone.txt"))
        assert len(edited) == 4
