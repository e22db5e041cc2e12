"""Dividers of summaries, and what waits while one is made, as events come."""

from typing import Literal

import pytest

from app.conversation.past import Past, PastMark
from app.conversation.summary_mark import SummaryMark
from app.events import (
    Cancelled,
    Event,
    HistoryCleared,
    KeptBySummary,
    MessageFinished,
    Paused,
    Queued,
    Restored,
    Retry,
    TurnStarted,
    Unqueued,
)
from app.view.items import (
    CardItem,
    ClearMarkItem,
    ExpandedItem,
    Item,
    QueuedItem,
    RetryItem,
    SummarisingItem,
    SummaryFailedItem,
    SummaryMarkItem,
    UndoneItem,
    UserItem,
    WaitingItem,
)
from app.view.transcript import TranscriptStore
from tests.screens import left
from tests.screens.summed import (
    KEPT,
    at_the_mark,
    by_hand,
    expanded,
    failed,
    progress,
    started,
    summarised,
    turn,
    undone,
)
from tests.view.pasts import AT, answer, page, user

FIGURES = SummaryMark(
    messages=42, tokens=1_204, tokens_before=168_900, tokens_after=56_100, summary="s1"
)


def filled(*events: Event) -> TranscriptStore:
    store = TranscriptStore(clock=lambda: 0.0)
    for event in events:
        store.apply(event)
    return store


def last(store: TranscriptStore) -> Item:
    return store[store.settled - 1]


def marks(store: TranscriptStore) -> list[SummaryMarkItem]:
    return [item for item in store if isinstance(item, SummaryMarkItem)]


def test_it_runs_is_done_and_can_be_undone_until_something_follows() -> None:
    store = filled(*by_hand())
    shown = [(type(item), item.id) for item in store]
    store.apply(started(count=61, calls=7))
    running = last(store)
    assert isinstance(running, SummarisingItem) and (running.count, running.pieces) == (61, 1)
    store.apply(progress(2, 7))
    running = last(store)
    assert isinstance(running, SummarisingItem) and (running.done, running.pieces) == (2, 7)
    store.apply(summarised())
    done = last(store)
    assert isinstance(done, SummaryMarkItem) and done.id == running.id
    assert (done.count, done.tokens, done.kept) == (42, 1_204, KEPT)
    assert (done.node, done.parent, done.undoable, done.stands) == (
        *("node-s1", "before-s1"),
        *(True, True),
    )
    assert [(type(item), item.id) for item in store][:-1] == shown, "nothing leaves the view"
    store.apply(TurnStarted(message="u9", text="on"))
    (done,) = marks(store)
    assert not done.undoable and done.stands


def test_one_made_in_a_turn_can_be_undone_until_the_answer() -> None:
    store = filled(*at_the_mark(), started(), summarised())
    assert [mark.undoable for mark in marks(store)] == [True]
    store.apply(MessageFinished(message="a2"))
    assert [mark.undoable for mark in marks(store)] == [False]


def test_undone_the_divider_says_so_in_its_place() -> None:
    store = filled(*by_hand(), started(), summarised(), *undone())
    item = last(store)
    assert isinstance(item, UndoneItem)
    assert (item.what, item.count, item.tokens, item.paused) == ("messages", 42, 112_800, True)
    store.apply(Paused(tier="clear", on=True))
    store.apply(Paused(tier="summary", on=False))
    item = last(store)
    assert isinstance(item, UndoneItem) and not item.paused
    assert not marks(store)


@pytest.mark.parametrize(("code", "stopped"), [("headings", False), ("cancelled", True)])
def test_one_that_fails_says_why_in_its_place(code: str, stopped: bool) -> None:
    store = filled(*by_hand(), started(), failed(code, "Because\x1b of\nthat"))
    item = last(store)
    assert isinstance(item, SummaryFailedItem)
    assert (item.reason, item.stopped) == ("Because\\x1b of that", stopped)
    store.apply(started())
    assert isinstance(last(store), SummarisingItem)


def test_one_that_never_started_is_told_all_the_same() -> None:
    store = filled(failed())
    assert isinstance(last(store), SummaryFailedItem)
    store = filled(*by_hand(), summarised(how="cut", kept=KeptBySummary(references=3)))
    cut = last(store)
    assert isinstance(cut, SummaryMarkItem) and cut.cut and cut.freed == 112_800


def after_a_clear(freed: int, by: Literal["mark", "user"] = "mark") -> TranscriptStore:
    """A clear that freed so many of 225,800 tokens, and a summary that begins then."""
    clear = left.cleared(*left.ids(2), before=225_828, after=225_828 - freed)
    return filled(*left.many(2), clear, started(by))


def kinds(store: TranscriptStore) -> list[str]:
    return [type(item).__name__ for item in store]


def back_again() -> Restored:
    calls = left.ids(2)
    return Restored(how="undo", messages=tuple(f"m-{id}" for id in calls), calls=calls, tokens=28)


def test_what_a_clear_hardly_freed_before_it_has_no_divider_of_its_own() -> None:
    store = after_a_clear(28)
    assert kinds(store)[-2:] == ["CardItem", "SummarisingItem"]
    store.apply(progress(1, 2))
    store.apply(summarised())
    assert kinds(store)[-2:] == ["CardItem", "SummaryMarkItem"]
    assert sum(isinstance(item, CardItem) and item.state == "cleared" for item in store) == 2
    for event in undone():
        store.apply(event)
    store.apply(back_again())
    messages, results = [item for item in store if isinstance(item, UndoneItem)]
    assert (messages.what, results.what) == ("messages", "results")
    store.apply(Paused(tier="clear", on=True))
    assert isinstance(item := last(store), UndoneItem) and item.paused


@pytest.mark.parametrize(("freed", "by"), [(11_300, "mark"), (28, "user")])
def test_what_is_worth_a_divider_keeps_it(freed: int, by: Literal["mark", "user"]) -> None:
    """It freed what is worth it by itself; or it stood there before the user asked."""
    store = after_a_clear(freed, by)
    store.apply(summarised())
    assert kinds(store)[-2:] == ["ClearMarkItem", "SummaryMarkItem"]


def test_where_the_summary_fails_the_clear_is_what_happened() -> None:
    store = after_a_clear(28)
    store.apply(failed())
    mark, why = list(store)[-2:]
    assert isinstance(mark, ClearMarkItem) and (mark.freed, mark.undoable) == (28, True)
    assert isinstance(why, SummaryFailedItem)
    store.apply(back_again())
    assert isinstance(item := store[store.settled - 2], UndoneItem) and item.what == "results"
    assert isinstance(last(store), SummaryFailedItem)


def test_only_the_newest_stands_in_the_context() -> None:
    store = filled(*by_hand(), summarised("s1"), *turn(2, "on", "yes"), summarised("s2"))
    assert [(mark.summary, mark.stands) for mark in marks(store)] == [("s1", False), ("s2", True)]
    for event in undone("s2"):
        store.apply(event)
    assert [(mark.summary, mark.stands) for mark in marks(store)] == [("s1", True)]


def test_expanded_its_divider_says_so_and_the_one_before_stands_again() -> None:
    store = filled(*by_hand(), summarised("s1"), *turn(2, "on", "yes"), summarised("s2"))
    for event in (*turn(3, "on", "yes"), *expanded("s2")):
        store.apply(event)
    first, second = marks(store)
    assert (first.stands, second.stands, second.expanded) == (True, False, True)
    item = last(store)
    assert isinstance(item, ExpandedItem)
    assert (item.count, item.tokens, item.undoable, item.paused) == (42, 112_800, True, True)
    for event in undone("s2"):
        store.apply(event)
    back = last(store)
    assert isinstance(back, UndoneItem)
    assert (back.what, back.count, back.tokens) == ("expansion", 42, 112_800)
    first, second = marks(store)
    assert (first.stands, second.stands, second.expanded) == (False, True, False)


def test_a_clear_just_before_is_undone_with_it() -> None:
    store = filled(*left.many(), left.cleared(*left.ids()), started())
    clear = next(item for item in store if isinstance(item, ClearMarkItem))
    assert not clear.undoable, "not while one is made"
    store.apply(failed())
    clear = next(item for item in store if isinstance(item, ClearMarkItem))
    assert clear.undoable
    store.apply(summarised())
    clear = next(item for item in store if isinstance(item, ClearMarkItem))
    assert not clear.undoable, "the newer divider takes both back"
    for event in undone():
        store.apply(event)
    clear = next(item for item in store if isinstance(item, ClearMarkItem))
    assert clear.undoable
    calls = left.ids()
    back = Restored(how="undo", messages=tuple(f"m-{id}" for id in calls), calls=calls, tokens=9)
    store.apply(back)
    assert [item.what for item in store if isinstance(item, UndoneItem)] == ["results", "messages"]


def test_in_a_turn_the_silence_is_the_summarys() -> None:
    now = 0.0
    store = TranscriptStore(clock=lambda: now)
    for event in at_the_mark():
        store.apply(event)
    now = 5.0
    store.tick()
    assert any(isinstance(item, WaitingItem) for item in store)
    store.apply(started())
    now = 20.0
    store.tick()
    assert not any(isinstance(item, WaitingItem) for item in store)
    store.apply(summarised())
    now = 25.0
    store.tick()
    assert any(isinstance(item, WaitingItem) for item in store)


@pytest.mark.parametrize("then", [progress(1, 2), summarised(), failed()])
def test_a_retry_of_its_call_stands_below_it_until_that_is_over(then: Event) -> None:
    now = 0.0
    store = TranscriptStore(clock=lambda: now)
    for event in (*at_the_mark(), started(), Retry(attempt=2, reason="busy", wait=30.0)):
        store.apply(event)
    now = 20.0
    store.tick()
    assert isinstance(store[store.settled - 2], SummarisingItem)
    retry = last(store)
    assert isinstance(retry, RetryItem)
    assert (retry.attempt, retry.wait) == (2, 30.0)
    assert not any(isinstance(item, WaitingItem) for item in store)
    store.apply(then)
    retry = last(store)
    assert isinstance(retry, RetryItem)
    assert retry.wait is None


def waits(store: TranscriptStore) -> list[tuple[str, bool]]:
    return [(item.until, item.last) for item in store.below if isinstance(item, QueuedItem)]


def test_what_is_queued_says_what_it_waits_for() -> None:
    store = filled(*by_hand(), started("user"), Queued(id="q1", text="a"))
    assert waits(store) == [("summary", True)]
    store.apply(Queued(id="q2", text="b"))
    assert [last for _, last in waits(store)] == [False, True]
    store.apply(Unqueued(id="q2", taken_back=True))
    assert waits(store) == [("summary", True)]
    store.apply(failed("cancelled"))
    assert waits(store) == [("asked", True)]
    store.apply(started("user"))
    assert waits(store) == [("summary", True)]
    store.apply(summarised())
    assert waits(store) == [("summary", True)], "it goes out at once"


def test_in_a_turn_what_is_queued_waits_for_its_end() -> None:
    store = filled(*at_the_mark(), started(), Queued(id="q1", text="a"))
    assert waits(store) == [("turn", True)]
    store.apply(failed("cancelled"))
    store.apply(Cancelled())
    assert waits(store) == [("asked", True)]


def test_another_conversation_forgets_them() -> None:
    store = filled(*by_hand(), started(), HistoryCleared(), failed())
    assert isinstance(last(store), SummaryFailedItem)
    store = filled(*by_hand(), summarised(), HistoryCleared(), *undone())
    assert isinstance(last(store), UndoneItem) and store.settled == 2


def test_from_the_archive_with_its_figures() -> None:
    past: list[Past] = [
        user("u1", "One"),
        PastMark("summary", "c41d", "6b91", AT, count=42, summary=FIGURES),
        user("u2", "Two"),
        answer("a2", "Two."),
    ]
    store = TranscriptStore()
    store.show_past(page(past))
    (mark,) = marks(store)
    assert (mark.summary, mark.count, mark.tokens, mark.node) == ("s1", 42, 1_204, "c41d")
    assert (mark.stands, mark.undoable) == (True, False)
    store = TranscriptStore()
    store.show_past(page(past[:2]), undoable=True)
    assert [(mark.stands, mark.undoable) for mark in marks(store)] == [(True, True)]
    for event in undone("s1"):
        store.apply(event)
    assert isinstance(last(store), UndoneItem)


def test_from_the_archive_an_expansion_is_undone_and_an_older_page_keeps_still() -> None:
    expand = PastMark("expand", "ee11", "c41d", AT, count=42)
    past: list[Past] = [
        user("u0", "Zero"),
        PastMark("summary", "6b91", "7f3a", AT, count=9),
        user("u1", "One"),
        PastMark("summary", "c41d", "6b91", AT, count=42, summary=FIGURES),
        user("u2", "Two"),
        expand,
    ]
    store = TranscriptStore()
    store.show_past(page(past, limit=3), undoable=True)
    item = last(store)
    assert isinstance(item, ExpandedItem) and item.undoable and item.count == 42
    assert store.earlier is not None
    store.prepend(page(past[: len(past) - 3]))
    first, second = marks(store)
    assert (first.stands, second.expanded) == (True, True)
    assert [item.id for item in store if isinstance(item, UserItem)] == ["u0", "u1", "u2"]
    for event in undone("s1"):
        store.apply(event)
    first, second = marks(store)
    assert (first.stands, second.stands, second.expanded) == (False, True, False)
