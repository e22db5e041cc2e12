"""The lists of what left the context: which is shown, what is marked, how rows are shared."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text import Language, Words
from app.text.ages import short_age
from app.view.held import HeldItem, HeldModel, Room, share_room

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def item(name: str, **more: object) -> HeldItem:
    return HeldItem(message=name, tool="read_file", subject=name, **more)  # type: ignore[arg-type]


def model(offloaded: int = 2, cleared: int = 3) -> HeldModel:
    made = HeldModel()
    made.show(
        {
            "offloaded": [item(f"o{number}") for number in range(offloaded)],
            "cleared": [item(f"c{number}") for number in range(cleared)],
        }
    )
    return made


def test_the_lists_are_counted_and_stepped_through() -> None:
    held = model()
    assert held.counts == {"offloaded": 2, "cleared": 3, "work": 0, "memory": 0}
    assert [one.message for one in held.items] == ["o0", "o1"]
    shown = []
    for by in (1, 1, -1):
        held.step(by)
        shown.append(held.active)
    assert shown == ["cleared", "work", "cleared"]


def test_a_list_that_is_empty_gives_way_to_one_that_is_not() -> None:
    held = model(offloaded=0)
    held.choose_filled()
    assert held.active == "cleared"
    empty = model(0, 0)
    empty.choose_filled()
    assert empty.active == "offloaded" and empty.is_empty


def test_what_will_be_quoted_is_marked_and_stays_so_in_new_lists() -> None:
    held = model()
    told: list[int] = []
    held.listeners.append(lambda: told.append(1))
    held.quote(["c1"])
    held.quote(["c1"])
    assert told == [1]
    held.show({"cleared": [item("c1"), item("c0")]})
    held.choose("cleared")
    assert [(one.message, one.quoted) for one in held.items] == [("c1", True), ("c0", False)]
    held.quote([])
    assert not any(one.quoted for one in held.items)


def test_listeners_hear_only_of_changes() -> None:
    held = model()
    told: list[int] = []
    held.listeners.append(lambda: told.append(1))
    held.show({"offloaded": held.items})
    held.choose("offloaded")
    assert told == []


@pytest.mark.parametrize(
    ("count", "height", "wanted", "all", "expected"),
    [
        (7, 11, 4, False, Room(7, 7, 4)),  # mock 01
        (12, 11, 4, False, Room(7, 6, 4)),
        (12, 11, 4, True, Room(7, 7, 4)),
        (7, 6, 4, False, Room(6, 5, 0)),  # mock 09b
        (2, 20, 4, False, Room(2, 2, 18)),
        (0, 11, 4, False, Room(0, 0, 11)),
    ],
)
def test_the_rows_are_shared_as_in_the_mocks(
    count: int, height: int, wanted: int, all: bool, expected: Room
) -> None:
    assert share_room(count, height, wanted, all=all) == expected


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 8), st.booleans())
def test_no_row_is_given_away_twice(count: int, height: int, wanted: int, all: bool) -> None:
    room = share_room(count, height, wanted, all=all)
    assert 0 <= room.items <= room.rows <= count
    assert room.rows + room.under <= height
    assert all or room.rows == 0 or (room.items == count) == (room.rows == count)


@pytest.mark.parametrize(
    ("passed", "language", "expected"),
    [
        (timedelta(seconds=59), "en", "now"),
        (timedelta(minutes=1), "en", "1m"),
        (timedelta(hours=4), "en", "4h"),
        (timedelta(days=89), "en", "89d"),
        (timedelta(days=90), "en", "26-08-31"),
        (timedelta(minutes=14), "zh", "14 分"),
        (timedelta(hours=4), "zh", "4 时"),
        (timedelta(days=12), "zh", "12 天"),
    ],
)
def test_ages_are_short(passed: timedelta, language: Language, expected: str) -> None:
    assert short_age((NOW - passed).isoformat(), NOW, Words(language)) == expected


def test_an_item_is_named_by_its_call_and_its_file() -> None:
    one = item("a.py", path=".haima/tool-outputs/7f3a/007-read_file.txt")
    assert (one.label, one.name) == ("read_file a.py", "007-read_file.txt")
    assert one.marked.held and one.marked.path == one.path
