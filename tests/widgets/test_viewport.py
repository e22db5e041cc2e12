"""The reader's place is kept: whatever changes, the line on top stays where it was."""

from hypothesis import given
from hypothesis import strategies as st

from tests.widgets.fake_source import FakeSource, Thing, things
from widgets.viewport import CACHED, Place, Viewport, moved

HEIGHTS = st.lists(st.integers(min_value=1, max_value=9), min_size=1, max_size=60)
WINDOW = st.integers(min_value=1, max_value=20)


def viewport(heights: list[int], height: int = 10, guess: int = 2) -> Viewport:
    view = Viewport(FakeSource(things(heights), guess))
    view.resize(40, height)
    return view


def flat(view: Viewport) -> list[Place]:
    """Every line of every item, in order."""
    source = view.source
    assert isinstance(source, FakeSource)
    return [
        Place(item, line)
        for item, thing in enumerate(source.things)
        for line in range(thing.height)
    ]


def shown(view: Viewport) -> list[Place]:
    return [Place(line.item, line.line) for line in view.show()]


def named(view: Viewport) -> str:
    """The first line in view, by its item's name."""
    return view.show()[0].strip.text.strip(" >")


@given(HEIGHTS, WINDOW, st.integers(min_value=1, max_value=9))
def test_following_shows_the_last_screenful(heights: list[int], height: int, guess: int) -> None:
    view = viewport(heights, height, guess)
    assert shown(view) == flat(view)[-height:]
    assert view.top_line == sum(heights[: view.top.item]) + view.top.line or view.total > 0


@given(HEIGHTS, WINDOW, st.lists(st.integers(min_value=-30, max_value=30), max_size=12))
def test_scrolling_moves_by_exactly_so_many_lines(
    heights: list[int], height: int, steps: list[int]
) -> None:
    view = viewport(heights, height)
    lines = flat(view)
    last = max(0, len(lines) - height)
    top = last
    view.show()
    view.following = False
    for step in steps:
        view.scroll(step)
        top = max(0, min(last, top + step))
        assert shown(view) == lines[top : top + height]


@given(HEIGHTS, WINDOW, st.integers(0, 400), st.integers(0, 60), st.lists(st.integers(1, 9)))
def test_items_that_come_or_go_elsewhere_do_not_move_the_top(
    heights: list[int], height: int, line: int, at: int, added: list[int]
) -> None:
    view = viewport([*heights, *[3] * 30], height, guess=3)
    source = view.source
    assert isinstance(source, FakeSource)
    view.show()
    view.jump(line)
    view.show()
    view.scroll(-height)
    before = named(view)
    at = at % (len(heights) + 1)
    source.things[at:at] = things(added, 1_000)
    view.splice(at, 0, len(added))
    assert named(view) == before
    gone = (at + 3) % len(heights)
    if source.things[gone].name != before.split(":")[0] and len(source.things) > 60:
        del source.things[gone]
        view.splice(gone, 1, 0)
        assert named(view) == before


@given(HEIGHTS, WINDOW, st.lists(st.tuples(st.integers(0, 99), st.integers(1, 9)), max_size=9))
def test_items_that_grow_elsewhere_do_not_move_the_top(
    heights: list[int], height: int, changes: list[tuple[int, int]]
) -> None:
    view = viewport([*heights, *[2] * 20], height)
    source = view.source
    assert isinstance(source, FakeSource)
    view.show()
    view.jump(len(heights) // 2)
    before = named(view)
    for at, new in changes:
        index = at % len(heights)
        if source.things[index].name == before.split(":")[0]:
            continue
        source.things[index].height = new
        view.splice(index, 1, 1)
        assert named(view) == before


@given(HEIGHTS, st.integers(0, 300))
def test_another_width_keeps_the_item_on_top(heights: list[int], line: int) -> None:
    view = viewport([*heights, *[1] * 20])
    view.show()
    view.jump(line)
    before = named(view).split(":")[0]
    view.resize(61, 10)
    assert named(view).split(":")[0] == before


def test_another_height_keeps_the_line_on_top() -> None:
    view = viewport([3] * 30)
    view.show()
    view.scroll(-20)
    before = named(view)
    view.resize(40, 5)
    assert named(view) == before


def test_only_what_is_in_view_is_drawn() -> None:
    view = viewport([2] * 10_000)
    source = view.source
    assert isinstance(source, FakeSource)
    view.show()
    assert source.drawn <= 6
    view.show()
    assert source.drawn <= 6
    view.jump(9_000)
    view.show()
    assert source.drawn <= 14


def test_few_items_stand_at_the_top_and_the_end_is_not_followed_by_itself() -> None:
    view = viewport([2, 2])
    assert view.show()[0].item == 0
    view.following = False
    view.show()
    assert not view.following
    view.show(reach_end=True)
    assert view.following


def test_following_begins_only_where_the_end_is_in_view() -> None:
    view = viewport([2] * 20)
    view.show()
    view.scroll(-3)
    view.show()
    view.scroll(2)
    view.show(reach_end=True)
    assert not view.following
    view.scroll(1)
    view.show(reach_end=True)
    assert view.following


def test_revealing_moves_as_little_as_it_can() -> None:
    view = viewport([3] * 30, guess=3)
    view.show()
    view.jump(30)
    view.show()
    view.reveal(12)
    assert shown(view)[0] == Place(10, 0)
    view.reveal(20)
    assert shown(view)[-1] == Place(20, 2)
    view.reveal(5)
    assert shown(view)[0] == Place(5, 0)


def test_an_item_taller_than_the_view_is_revealed_from_its_top() -> None:
    view = viewport([2, 50, 2])
    view.show()
    view.reveal(1)
    view.following = False
    assert shown(view)[0] == Place(1, 0)
    assert view.hidden_lines(1, 1) == 40
    assert view.hidden_lines(1, -1) == 0


def test_without_items_or_width_nothing_is_shown() -> None:
    empty = viewport([])
    assert empty.show() == []
    assert Viewport(FakeSource(things([1]))).show() == []
    source = FakeSource(things([1, 2]))
    late = Viewport(source)
    source.things += things([3], 2)
    late.splice(2, 0, 1)
    late.resize(20, 10)
    assert len(late.show()) == 6


def test_when_everything_goes_the_view_is_at_the_top() -> None:
    view = viewport([3] * 30)
    source = view.source
    assert isinstance(source, FakeSource)
    view.show()
    source.things[:] = [Thing("x", 1)]
    view.splice(0, 30, 1)
    assert shown(view) == [Place(0, 0)]


def test_items_under_the_cursor_look_different() -> None:
    view = viewport([1, 1])
    view.current = 1
    assert [line.strip.text[0] for line in view.show()] == [" ", ">"]


def test_the_cache_is_bounded_and_forgotten_on_demand() -> None:
    view = viewport([1] * (2 * CACHED))
    source = view.source
    assert isinstance(source, FakeSource)
    view.show()
    drawn = source.drawn
    view.forget_drawn()
    view.show()
    assert source.drawn == 2 * drawn


def test_where_an_item_is_after_a_splice() -> None:
    assert moved(5, 7, 1, 3) == 5
    assert moved(5, 2, 0, 3) == 8
    assert moved(5, 5, 0, 1) == 6
    assert moved(5, 3, 4, 1) == 3
    assert moved(5, 2, 2, 0) == 3
