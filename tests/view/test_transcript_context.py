"""Cards, dividers and messages as results leave the context and come back."""

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.conversation.messages import Message, RestoredPart, TextPart
from app.conversation.offloaded import Offloaded as File
from app.conversation.past import PastMessage
from app.conversation.standing import Standing
from app.events import (
    Event,
    Guarded,
    HistoryCleared,
    MessageFinished,
    OffloadFailed,
    Paused,
    PicturesLeft,
    RecoveryTold,
    Restored,
    SummaryUndone,
    TurnStarted,
    WorkNoted,
)
from app.view.items import (
    NOTHING_KEPT,
    CardItem,
    ClearMarkItem,
    FoldItem,
    GuardMarkItem,
    Item,
    MoreClearedItem,
    PicturesMarkItem,
    UndoneItem,
    UserItem,
)
from app.view.transcript import TranscriptStore
from app.view.transcript_rows import TranscriptRows
from tests.growth import GENEROUS, growth
from tests.screens import summed
from tests.screens.left import call, cleared, ids, many, offloaded, work
from tests.view.pasts import AT, OK, answer, page, result, user
from tests.view.pasts import call as asks


def filled(*events: Event) -> TranscriptStore:
    store = TranscriptStore(clock=lambda: 0.0)
    for event in events:
        store.apply(event)
    return store


def card(store: TranscriptStore, id: str) -> CardItem:
    index = store.where(id)
    assert index is not None
    item = store[index]
    assert isinstance(item, CardItem)
    return item


def kinds(store: TranscriptStore) -> list[str]:
    return [type(row.item).__name__.removesuffix("Item") for row in store.rows]


def undo(*calls: str, tokens: int = 38_200) -> Restored:
    return Restored(
        how="undo", messages=tuple(f"m-{one}" for one in calls), calls=calls, tokens=tokens
    )


def test_a_result_that_went_to_a_file_says_where() -> None:
    store = filled(*work())
    moved = card(store, "c3")
    assert (moved.state, moved.path, moved.moved) == (
        "offloaded",
        ".haima/tool-outputs/7f3a/007-search_files.txt",
        48_213,
    )
    assert moved.message == "m-c3" and moved.fresh
    store.apply(TurnStarted(message="u2", text="on"))
    assert not card(store, "c3").fresh


def test_the_file_may_be_told_before_the_call_is_over() -> None:
    started, finished = call("c3", "search_files", "x", 48_213, 1.1)
    store = filled(started, offloaded("c3"), finished)
    assert card(store, "c3").status == "ok" and card(store, "c3").state == "offloaded"


def test_a_file_that_could_not_be_written_is_said_on_the_card() -> None:
    failed = OffloadFailed(message="m-c1", call="c1", tool="list_dir", reason="disk\x1b full")
    store = filled(*call("c1", "list_dir", ".", 40_000, 0.1), failed)
    assert card(store, "c1").cut == "disk\\x1b full"


def test_cleared_cards_and_the_divider_until_an_answer_follows() -> None:
    store = filled(*many(), cleared(*ids()))
    assert {card(store, id).state for id in ids()} == {"cleared"}
    assert kinds(store) == ["User", *["Card"] * 3, "MoreCleared", "Card", "Card", "ClearMark"]
    mark = store[store.settled - 1]
    assert isinstance(mark, ClearMarkItem)
    assert (mark.count, mark.freed, mark.undoable) == (9, 38_200, True)
    more = store.rows[4].item
    assert isinstance(more, MoreClearedItem) and more.count == 6
    store.apply(MessageFinished(message="a9"))
    mark = store[store.settled - 1]
    assert isinstance(mark, ClearMarkItem) and not mark.undoable


def test_four_cleared_cards_are_no_more_than_they_need() -> None:
    store = filled(*many(4), cleared(*ids(4)))
    assert kinds(store) == ["User", *["Card"] * 6, "ClearMark"]
    store = filled(*many(5), cleared(*ids(5)))
    assert kinds(store) == ["User", *["Card"] * 3, "MoreCleared", "Card", "Card", "ClearMark"]


def test_the_rest_is_listed_and_folded_away_again() -> None:
    store = filled(*many(), cleared(*ids()))
    assert store.rows.toggle(4)
    assert kinds(store)[:11] == ["User", *["Card"] * 3, "MoreCleared", *["Card"] * 6]
    shown = [row.item.id for row in store.rows if isinstance(row.item, CardItem)]
    assert shown == [*ids(), "k1", "k2"]
    assert store.rows.toggle(4)
    assert kinds(store) == ["User", *["Card"] * 3, "MoreCleared", "Card", "Card", "ClearMark"]


def test_undone_all_is_as_before_and_the_divider_says_so() -> None:
    store = filled(*many())
    before = [(type(row.item), row.item.id) for row in store.rows]
    assert kinds(store) == ["User", "Fold"]
    for event in (cleared(*ids()), undo(*ids()), Paused(tier="clear", on=True)):
        store.apply(event)
    assert [(type(row.item), row.item.id) for row in store.rows][:-1] == before
    undone = store[store.settled - 1]
    assert isinstance(undone, UndoneItem)
    assert (undone.count, undone.tokens, undone.paused) == (9, 38_200, True)
    store.apply(Paused(tier="clear", on=False))
    undone = store[store.settled - 1]
    assert isinstance(undone, UndoneItem) and not undone.paused


def test_a_card_with_a_file_goes_back_to_it() -> None:
    store = filled(*work(), cleared("c3"), undo("c3"))
    assert card(store, "c3").state == "offloaded"


def test_a_second_clear_takes_the_way_back_from_the_first() -> None:
    store = filled(*many(), cleared("c0", "c1"), cleared("c2"))
    marks = [item for item in store if isinstance(item, ClearMarkItem)]
    assert [mark.undoable for mark in marks] == [False, True]


def test_what_a_message_quotes_stands_under_it_whenever_it_is_told() -> None:
    quoted = Restored(
        how="brought_back",
        messages=("m-c1",),
        calls=("c1",),
        tokens=612,
        message="u2",
        labels=("list_dir src/main/java",),
    )
    for events in ((TurnStarted(message="u2", text="on"), quoted),
                   (quoted, TurnStarted(message="u2", text="on"))):  # fmt: skip
        store = filled(*work(), *events)
        said = store[store.settled - 1]
        assert isinstance(said, UserItem)
        assert (said.brought, said.brought_tokens, said.pinned) == (
            ("list_dir src/main/java",),
            612,
            True,
        )


def test_pins_and_what_will_be_quoted_are_marked() -> None:
    store = filled(*work())
    store.pin(["m-c2", "u1"], on=True)
    store.quote(["m-c1"])
    first = store[0]
    assert isinstance(first, UserItem) and first.pinned
    assert [(one.pinned, one.quoted) for one in (card(store, "c1"), card(store, "c2"))] == [
        (False, True),
        (True, False),
    ]
    store.pin(["m-c2"], on=False)
    store.quote([])
    assert not card(store, "c2").pinned and not card(store, "c1").quoted


def test_a_fresh_or_cut_card_never_folds() -> None:
    events = [event for number in range(7) for event in call(f"c{number}", "grep", "x", 1, 0.1)]
    assert kinds(filled(*events)) == ["Fold"]
    assert kinds(filled(*events, offloaded("c3"))) == ["Card"] * 7
    store = filled(*events, offloaded("c3"), TurnStarted(message="u", text="on"))
    assert kinds(store) == ["Fold", "User"]


def test_a_new_history_knows_nothing_of_the_old_divider() -> None:
    store = filled(*many(), cleared(*ids()), HistoryCleared(), MessageFinished(message="x"))
    assert not any(isinstance(item, ClearMarkItem) for item in store)


def test_resumed_results_stand_as_they_did() -> None:
    file = File(".haima/tool-outputs/7f3a/001-grep.txt", 50_000, 48_213, 612, "0")
    moved = result("c1", state="offloaded", tool="grep")
    quoting = Message("u2", "user", (RestoredPart("r-c2", "…"), TextPart("go on")))
    store = TranscriptStore(clock=lambda: 0.0)
    store.show_past(
        page(
            [
                user("u1", "look"),
                answer("a1", "", asks("c1", "grep", path="src"), asks("c2", "list_dir", path=".")),
                PastMessage(moved.message, moved.standing, OK, AT, "7f3a", file=file),
                result("c2", state="cleared", tool="list_dir"),
                PastMessage(quoting, Standing(pinned=True), None, AT, "7f3a"),
            ]
        )
    )
    one, two = card(store, "c1"), card(store, "c2")
    assert (one.state, one.path, one.moved, one.message) == (
        "offloaded", file.path, 48_213, "r-c1",
    )  # fmt: skip
    assert not one.fresh
    assert (two.state, two.message) == ("cleared", "r-c2")
    said = store[store.settled - 1]
    assert isinstance(said, UserItem)
    assert (said.brought, said.pinned) == (("list_dir .",), True)


_STEPS = st.lists(
    st.tuples(st.sampled_from(["clear", "undo", "moved", "turn", "call", "toggle"]),
              st.lists(st.integers(0, 24), max_size=12)),
    max_size=10,
)  # fmt: skip


@settings(deadline=None)
@given(st.integers(0, 25), _STEPS)
def test_rows_and_splices_always_stand_for_the_items(
    count: int, steps: list[tuple[str, list[int]]]
) -> None:
    """However results leave and come back, a reader of the splices has what a new list has."""
    store = TranscriptStore(clock=lambda: 0.0)
    read: list[tuple[Item, int]] = []

    def follow(splice: object) -> None:
        start, removed, added = (getattr(splice, name) for name in ("start", "removed", "added"))
        rows = [(row.item, row.gap) for row in store.rows.between(start, start + added)]
        read[start : start + removed] = rows

    store.rows.listeners.append(follow)
    made = 0
    for _ in range(count):
        for event in call(f"c{made}", "grep", "x", 1, 0.1, ok=made % 9 != 8):
            store.apply(event)
        made += 1
    for kind, numbers in steps:
        calls = tuple(dict.fromkeys(f"c{number}" for number in numbers))
        if kind == "clear" and calls:
            store.apply(cleared(*calls))
        elif kind == "undo" and calls:
            store.apply(undo(*calls))
        elif kind == "moved" and calls:
            store.apply(offloaded(calls[0]))
        elif kind == "turn":
            store.apply(TurnStarted(message=f"u{made}-{len(store)}", text="on"))
        elif kind == "call":
            for event in call(f"c{made}", "grep", "x", 1, 0.1):
                store.apply(event)
            made += 1
        elif kind == "toggle":
            folds = [
                index
                for index, row in enumerate(store.rows)
                if isinstance(row.item, FoldItem | MoreClearedItem)
            ]
            if folds:
                store.rows.toggle(folds[len(numbers) % len(folds)])
        assert read == [(row.item, row.gap) for row in store.rows]
    for index, row in enumerate(store.rows):
        if isinstance(row.item, FoldItem | MoreClearedItem) and row.item.open:
            store.rows.toggle(index)
    fresh = TranscriptRows(store)
    assert [_plain(row.item) for row in store.rows] == [_plain(row.item) for row in fresh]


def _plain(item: Item) -> tuple[object, ...]:
    """What a row shows; numbers of looks differ."""
    if isinstance(item, FoldItem):
        return "fold", item.id, item.count, item.tools, round(item.seconds, 6)
    if isinstance(item, MoreClearedItem):
        return "more", item.id, item.count
    return type(item), item.id, item.revision


def test_results_cleared_at_once_cost_what_they_are() -> None:
    stores: list[TranscriptStore] = []

    def clears(results: int) -> Callable[[], object]:
        names = [f"c{number}" for number in range(results)]
        stores.append(filled(*(event for name in names for event in call(name, "x", "y", 1, 0.0))))
        return partial(stores[-1].apply, cleared(*names[:-3]))

    assert growth(clears, 100, 2_000) < 2 * GENEROUS
    for store in stores:
        assert kinds(store) == [*["Card"] * 3, "MoreCleared", *["Card"] * 3, "ClearMark"]


def test_pictures_that_left_are_told_where_it_happened() -> None:
    store = filled(
        *many(2),
        cleared(*ids(2)),
        TurnStarted(message="u2", text="And now?"),
        PicturesLeft(messages=("u1",), count=2, tokens_before=9_000, tokens_after=5_900),
    )
    (mark,) = (item for item in store if isinstance(item, PicturesMarkItem))
    assert (mark.count, mark.freed) == (2, 3_100)
    assert kinds(store)[-2:] == ["User", "PicturesMark"]


def guarded(count: int = 1) -> Guarded:
    names = tuple(f"m{number}" for number in range(count))
    return Guarded(messages=names, count=count, tokens_before=31_000, tokens_after=22_000)


def summarised() -> list[Event]:
    return [summed.started(), summed.summarised()]


def summary_undone() -> SummaryUndone:
    return SummaryUndone(node="n1", undone="n2", summary="s1", messages=42, tokens=9_000)


def marks(store: TranscriptStore) -> list[object]:
    """The dividers: what was cut, cleared, or taken back, and whether it can be."""
    return [
        ("undone", item.what, item.count, item.tokens, item.paused)
        if isinstance(item, UndoneItem)
        else (type(item).__name__, item.count, item.undoable)
        for item in store
        if isinstance(item, UndoneItem | ClearMarkItem | GuardMarkItem)
    ]


def test_what_the_guard_cut_is_told_and_can_be_undone_until_an_answer_follows() -> None:
    store = filled(*many(2), guarded(3))
    mark = store[store.settled - 1]
    assert isinstance(mark, GuardMarkItem)
    assert (mark.count, mark.freed, mark.undoable) == (3, 9_000, True)
    store.apply(MessageFinished(message="a9"))
    assert marks(store) == [("GuardMarkItem", 3, False)]
    store.apply(undo("c1"))
    assert marks(store)[0] == ("GuardMarkItem", 3, False), "that is another one's undo"


def test_a_cut_that_is_taken_back_says_so_in_its_place() -> None:
    store = filled(*many(2), guarded(), guarded(2), undo(tokens=9_000))
    store.apply(Paused(tier="clear", on=True))
    assert marks(store) == [("undone", "cuts", 1, 0, False), ("undone", "cuts", 2, 9_000, True)]


def test_one_undo_takes_back_a_clear_and_the_cut_behind_it() -> None:
    store = filled(*many(), cleared(*ids()), guarded())
    assert marks(store) == [("ClearMarkItem", 9, False), ("GuardMarkItem", 1, True)]
    store.apply(undo(*ids()))
    assert marks(store) == [
        ("undone", "results", 9, 38_200, False),
        ("undone", "cuts", 1, 0, False),
    ]


def test_what_was_cut_after_a_summary_goes_with_it_and_what_was_before_stays() -> None:
    store = filled(*many(), cleared(*ids()), *summarised(), guarded(2))
    assert marks(store) == [("ClearMarkItem", 9, False), ("GuardMarkItem", 2, True)]
    store.apply(summary_undone())
    first, *rest = marks(store)
    assert first == ("ClearMarkItem", 9, True)
    assert ("undone", "cuts", 2, 0, False) in rest


def test_a_cut_of_a_later_call_goes_back_alone() -> None:
    """The clear lies before the summary, which still stands."""
    store = filled(*many(), cleared(*ids()), *summarised(), guarded(), undo(tokens=9_000))
    assert marks(store) == [("ClearMarkItem", 9, False), ("undone", "cuts", 1, 9_000, False)]
    store.apply(summary_undone())
    store.apply(undo(*ids()))
    assert ("undone", "results", 9, 38_200, False) in marks(store)


def test_a_clear_says_what_was_told_anew() -> None:
    store = filled(*work(), cleared(*ids()[:2]))
    store.apply(
        RecoveryTold(message="m1", goal=True, rules=2, files=9, entities=15, names=8, tokens=900)
    )
    (mark,) = [item for item in store if isinstance(item, ClearMarkItem)]
    assert (mark.told.goal, mark.told.rules, mark.told.files) == (True, 2, 9)
    assert mark.told.entities == 0 and mark.undoable


def test_a_summary_says_itself_what_was_told() -> None:
    store = filled(*work(), cleared(*ids()[:2]), *summarised())
    store.apply(
        RecoveryTold(message="m1", goal=True, rules=2, files=9, entities=15, names=8, tokens=9)
    )
    (mark,) = [item for item in store if isinstance(item, ClearMarkItem)]
    assert mark.told == NOTHING_KEPT


@pytest.mark.parametrize("early", [False, True])
def test_a_message_says_which_rules_it_brought_and_ended(early: bool) -> None:
    turn = TurnStarted(message="u1", text="Never use npm. Forget the rule on tabs.")
    noted = WorkNoted(rules=("Never use npm",), revoked=("tabs",), message="u1")
    store = filled(*((noted, turn) if early else (turn, noted)))
    store.apply(WorkNoted(rules=("by hand",)))
    (user_item,) = [item for item in store if isinstance(item, UserItem)]
    assert (user_item.rules, user_item.revoked) == (("Never use npm",), ("tabs",))
