"""The long list in a real app: keys, wheel, place, clicks, selecting, and what it costs."""

import pytest
from textual.geometry import Offset
from textual.screen import Screen
from textual.widgets import Input

from tests.widgets.fake_source import FakeSource, Thing, things
from tests.widgets.list_app import ListApp, screen, settled, wheel
from widgets.list_messages import Activated, CopyRequested, NewBelow
from widgets.virtual_list import VirtualList

SIZE = (40, 13)
"""Ten lines of list over three of field."""


def app_with(heights: list[int], guess: int = 2) -> tuple[ListApp, VirtualList, FakeSource]:
    source = FakeSource(things(heights), guess)
    view = VirtualList(source)
    return ListApp(view), view, source


def append(view: VirtualList, source: FakeSource, *new: Thing) -> None:
    start = len(source.things)
    source.things += new
    view.spliced(start, 0, len(new))


async def test_the_end_is_shown_at_first_and_followed() -> None:
    app, view, source = app_with([2] * 30)
    async with app.run_test(size=SIZE) as pilot:
        assert screen(view) == [f" {25 + i // 2}:{i % 2}" for i in range(10)]
        append(view, source, Thing("new", 1))
        await settled(pilot, view)
        assert screen(view)[-1] == " new:0"
        assert view.following


async def test_it_can_be_asked_for_lines_before_it_has_a_size() -> None:
    _, view, _ = app_with([1])
    assert view.viewport.show() == []


async def test_the_cursor_moves_and_brings_items_into_view() -> None:
    app, view, source = app_with([2] * 30)
    source.things[28].stop = False
    async with app.run_test(size=SIZE) as pilot:
        view.focus()
        await settled(pilot, view)
        assert view.cursor == 29
        await pilot.press("up")
        assert view.cursor == 27
        assert screen(view)[4] == ">27:0"
        for _ in range(5):
            await pilot.press("up")
        assert view.cursor == 22
        assert screen(view)[0] == ">22:0"
        assert not view.following
        await pilot.press("end")
        assert view.cursor == 29
        assert view.following
        await pilot.press("home")
        assert view.cursor == 0
        assert screen(view)[0] == ">0:0"
        await pilot.press("down", "enter", "c")
        await pilot.pause()
        activated, copied = app.told
        assert isinstance(activated, Activated)
        assert activated.item == 1
        assert isinstance(copied, CopyRequested)
        assert copied.text == "text of 1"


async def test_pages_overlap_by_a_line_and_the_cursor_stays_in_view() -> None:
    app, view, _ = app_with([2] * 30)
    async with app.run_test(size=SIZE) as pilot:
        view.focus()
        await settled(pilot, view)
        first = screen(view)[0].strip(" >")
        await pilot.press("pageup")
        assert screen(view)[-1].strip(" >") == first
        assert view.cursor in view.viewport.seen
        await pilot.press("pagedown", "pagedown")
        assert view.following


async def test_an_item_taller_than_the_view_is_read_to_its_end_first() -> None:
    app, view, _ = app_with([1, 25, 1])
    async with app.run_test(size=SIZE) as pilot:
        view.focus()
        await pilot.press("home", "down")
        assert view.cursor == 1
        assert screen(view)[0] == ">1:0"
        for _ in range(3):
            await pilot.press("down")
            assert view.cursor == 1
        assert screen(view)[-1] == ">1:24"
        await pilot.press("down")
        assert view.cursor == 2


@pytest.mark.parametrize("guess", [1, 2, 7])
async def test_the_wheel_moves_evenly_over_items_never_seen(guess: int) -> None:
    heights = [1 + (number * 7) % 6 for number in range(200)]
    app, view, source = app_with(heights, guess)
    flat = [f" {thing.name}:{line}" for thing in source.things for line in range(thing.height)]
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, view)
        top = len(flat) - 10
        for _ in range(12):
            await wheel(pilot, view, up=True)
            now = flat.index(screen(view)[0])
            assert 0 < top - now <= 5
            assert screen(view) == flat[now : now + 10]
            top = now
        steps = 0
        while not view.following and steps < 100:
            await wheel(pilot, view, up=False)
            steps += 1
        assert screen(view) == flat[-10:]


async def test_who_reads_above_is_not_moved_by_what_comes_below() -> None:
    app, view, source = app_with([2] * 30)
    async with app.run_test(size=SIZE) as pilot:
        await wheel(pilot, view, up=True)
        before = screen(view)
        for number in range(50):
            append(view, source, Thing(f"n{number}", 3))
        source.things[3].height = 9
        view.spliced(3, 1, 1)
        del source.things[5]
        view.spliced(5, 1, 0)
        await settled(pilot, view)
        assert screen(view) == before
        assert view.new_below == 50
        told = [message.count for message in app.told if isinstance(message, NewBelow)]
        assert told[-1] == 50
        view.follow_end()
        await settled(pilot, view)
        assert screen(view)[-1] == " n49:2"
        told = [message.count for message in app.told if isinstance(message, NewBelow)]
        assert told[-1] == 0


async def test_another_width_keeps_the_item_on_top() -> None:
    app, view, _ = app_with([1 + number % 5 for number in range(100)])
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(9):
            await wheel(pilot, view, up=True)
        top = view.viewport.top.item
        await pilot.resize_terminal(60, 13)
        await settled(pilot, view)
        assert view.viewport.top.item == top
        assert view.viewport.width == 59
        await pilot.resize_terminal(60, 9)
        await settled(pilot, view)
        assert view.viewport.top.item == top


async def test_the_scrollbar_knows_where_we_are_and_leads_elsewhere() -> None:
    app, view, _ = app_with([2] * 300)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, view)
        bar = view.vertical_scrollbar
        assert (bar.window_virtual_size, bar.window_size, bar.position) == (600, 10, 590)
        view.scroll_to(y=200)
        await settled(pilot, view)
        assert screen(view)[0] == " 100:0"
        assert bar.position == 200
        assert view.scroll_y == 200
        view.scroll_to(y=10_000)
        await settled(pilot, view)
        assert view.following


async def test_slow_scrolling_by_a_selection_adds_up() -> None:
    app, view, _ = app_with([2] * 30)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, view)
        for _ in range(4):
            view.scroll_y -= 0.3
        await settled(pilot, view)
        assert view.viewport.top_line in (48, 49)


async def test_a_click_puts_the_cursor_and_the_next_one_is_enter() -> None:
    app, view, _ = app_with([2] * 30)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.click(view, offset=(3, 4))
        await settled(pilot, view)
        assert view.cursor == 27
        assert not app.told
        await pilot.click(view, offset=(3, 5))
        await settled(pilot, view)
        (message,) = app.told
        assert isinstance(message, Activated)
        assert message.item == 27


async def test_the_cursor_is_shown_only_with_the_focus_and_stays_on_its_item() -> None:
    app, view, source = app_with([2] * 30)
    async with app.run_test(size=SIZE) as pilot:
        view.focus()
        await pilot.press("up")
        assert ">28:0" in screen(view)
        app.query_one(Input).focus()
        await settled(pilot, view)
        assert not any(">" in line for line in screen(view))
        source.things[0:2] = things([1] * 5, 500)
        view.spliced(0, 2, 5)
        view.focus()
        await settled(pilot, view)
        assert ">28:0" in screen(view)


async def test_changes_of_a_moment_are_shown_at_once_without_a_new_layout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, view, source = app_with([2] * 3_000)
    layouts = 0
    original = Screen._refresh_layout

    def counted(self: Screen[None], *args: object, **kwargs: object) -> None:
        nonlocal layouts
        layouts += 1
        original(self, *args, **kwargs)  # type: ignore[arg-type]

    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, view)
        monkeypatch.setattr(Screen, "_refresh_layout", counted)
        drawn = source.drawn
        for _ in range(200):
            source.things[-1].revision += 1
            view.spliced(len(source) - 1, 1, 1)
        append(view, source, Thing("a", 1), Thing("b", 1))
        await settled(pilot, view)
        assert source.drawn - drawn <= 4
        assert layouts == 0


async def test_only_moving_lines_move_and_only_while_they_are_in_view() -> None:
    app, view, source = app_with([2] * 30)
    source.things[29].moving = True
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, view)
        assert screen(view)[-1] == " 29:1 at 0"
        drawn = source.drawn
        source.moment = 7
        while not screen(view)[-1].endswith("7"):
            await pilot.pause(0.02)
        assert source.drawn == drawn
        await pilot.press("tab")
        await wheel(pilot, view, up=True)
        assert view.moves is False
        view.follow_end()
        assert view.moves is True


async def test_text_is_selected_across_lines_and_items() -> None:
    app, view, _ = app_with([2] * 30)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, view)
        await pilot.mouse_down(view, offset=Offset(3, 1))
        await pilot.hover(view, offset=Offset(4, 8))
        await pilot.mouse_up(view, offset=Offset(4, 8))
        selected = app.screen.get_selected_text()
        assert selected == ":1\ntext of 26\ntext of 27\ntext of 28\n9:0"
        style = view.render_lines(view.outer_size.region)[4]
        assert style != view.viewport.show()[4].strip


async def test_a_list_that_becomes_empty_is_empty() -> None:
    app, view, source = app_with([2] * 30)
    async with app.run_test(size=SIZE) as pilot:
        view.focus()
        await settled(pilot, view)
        source.things.clear()
        view.spliced(0, 30, 0)
        await settled(pilot, view)
        assert set(screen(view)) == {""}
        await pilot.press("up", "down", "home", "end", "pageup", "enter", "c")
        append(view, source, Thing("again", 1))
        await settled(pilot, view)
        assert screen(view)[0] == ">again:0"


async def test_a_larger_window_keeps_following_the_end() -> None:
    app, view, source = app_with([2] * 30)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, view)
        for size in ((60, 20), (40, 30), (70, 13)):
            await pilot.resize_terminal(*size)
            await settled(pilot, view)
            assert view.following
            append(view, source, Thing(f"new{size[1]}", 1))
            await settled(pilot, view)
            assert screen(view)[-1] == f" new{size[1]}:0"
            assert view.new_below == 0
