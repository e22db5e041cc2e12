"""Bursts fold; however the store changes, the rows stand for exactly its items."""

from hypothesis import given
from hypothesis import strategies as st

from app.events import (
    Event,
    HistoryCleared,
    Queued,
    Text,
    ToolFinished,
    ToolStarted,
    TurnStarted,
    Unqueued,
)
from app.view.items import CardItem, FoldItem, Item
from app.view.transcript import TranscriptStore
from app.view.transcript_rows import FOLD_OVER, Splice, TranscriptRows


def call(number: int, tool: str = "read_file", *, ok: bool = True) -> tuple[Event, Event]:
    id = f"c{number}"
    return (
        ToolStarted(id=id, tool=tool, arguments={}),
        ToolFinished(id=id, tool=tool, ok=ok, characters=1, seconds=0.5),
    )


def filled(*events: Event) -> TranscriptStore:
    store = TranscriptStore()
    for event in events:
        store.apply(event)
    return store


def burst(count: int, start: int = 0) -> list[Event]:
    return [event for number in range(start, start + count) for event in call(number)]


def kinds(rows: TranscriptRows) -> list[str]:
    return [type(row.item).__name__.removesuffix("Item") for row in rows]


def test_six_cards_stay_and_a_seventh_folds_them() -> None:
    store = filled(*burst(FOLD_OVER))
    assert kinds(store.rows) == ["Card"] * FOLD_OVER
    for event in call(99, "grep"):
        store.apply(event)
    (row,) = store.rows
    assert isinstance(row.item, FoldItem)
    assert row.item.count == FOLD_OVER + 1
    assert row.item.tools == (("read_file", FOLD_OVER), ("grep", 1))
    assert row.item.seconds == 0.5 * (FOLD_OVER + 1)


def test_a_failed_and_a_running_card_never_fold() -> None:
    failed = call(50, ok=False)
    store = filled(*burst(7), *failed, *burst(7, 60), call(99)[0])
    assert kinds(store.rows) == ["Fold", "Card", "Fold", "Card"]
    assert [row.gap for row in store.rows] == [0, 0, 0, 0]


def test_a_card_that_ends_late_joins_the_bursts_around_it() -> None:
    late = call(500)
    store = filled(*burst(7), late[0], *burst(7, 60))
    assert kinds(store.rows) == ["Fold", "Card", "Fold"]
    store.apply(late[1])
    (row,) = store.rows
    assert isinstance(row.item, FoldItem)
    assert row.item.count == 15


def test_an_opened_burst_shows_its_cards_and_closes_again() -> None:
    store = filled(*burst(8))
    assert store.rows.toggle(0)
    assert kinds(store.rows) == ["Fold"] + ["Card"] * 8
    for event in call(99):
        store.apply(event)
    assert kinds(store.rows) == ["Fold"] + ["Card"] * 9
    assert store.rows.toggle(0)
    assert kinds(store.rows) == ["Fold"]
    assert not filled(*burst(1)).rows.toggle(0)


def test_a_card_its_reader_has_opened_is_not_folded_away() -> None:
    store = filled(*burst(4))
    store.rows.keep("c1")
    for event in burst(8, 10):
        store.apply(event)
    assert kinds(store.rows) == ["Card", "Card", "Fold"]


def test_blocks_have_a_blank_row_between_them_cards_of_a_burst_none() -> None:
    store = filled(
        TurnStarted(message="u1", text="go"),
        Text(message="a1", text="one\n\n" + "\n".join(f"- {number}" for number in range(40))),
        *burst(2),
        Queued(id="q1", text="a"),
        Queued(id="q2", text="b"),
    )
    assert [row.gap for row in store.rows] == [0, 1, 1, 0, 1, 0, 1, 0]


class Mirror:
    """Follows splices alone, as a view does."""

    def __init__(self, rows: TranscriptRows) -> None:
        self.rows = rows
        self.length = len(rows)
        rows.listeners.append(self.splice)

    def splice(self, splice: Splice) -> None:
        assert 0 <= splice.start <= splice.start + splice.removed <= self.length
        self.length += splice.added - splice.removed


def shown(store: TranscriptStore, rows: TranscriptRows) -> list[Item]:
    """The items the rows stand for, bursts taken apart."""
    items: list[Item] = []
    for row in rows:
        if not isinstance(row.item, FoldItem):
            items.append(row.item)
        elif not row.item.open:
            assert row.item.count > FOLD_OVER
            start = len(items)
            items.extend(store[index] for index in range(start, start + row.item.count))
    return items


STEPS = st.lists(
    st.tuples(st.sampled_from("sSffFtqukc"), st.integers(min_value=0, max_value=1_000)),
    max_size=120,
)


@given(STEPS)
def test_rows_stand_for_the_items_however_they_came(steps: list[tuple[str, int]]) -> None:
    store = TranscriptStore()
    mirror = Mirror(store.rows)
    running: list[str] = []
    queued: list[str] = []
    opened = False
    for number, (step, choice) in enumerate(steps):
        if step in "sS":
            running.append(f"c{number}")
            store.apply(call(number)[0])
        elif step in "fF" and running:
            id = running.pop(choice % len(running))
            ok = step == "f" or choice % 3 > 0
            store.apply(ToolFinished(id=id, tool="t", ok=ok, characters=1, seconds=0.1))
        elif step == "t":
            store.apply(Text(message=f"m{choice % 3}", text="words\n\n"))
        elif step == "q":
            queued.append(f"q{number}")
            store.apply(Queued(id=queued[-1], text="later"))
        elif step == "u" and queued:
            store.apply(Unqueued(id=queued.pop(choice % len(queued)), taken_back=True))
        elif step == "k":
            folds = [i for i, row in enumerate(store.rows) if isinstance(row.item, FoldItem)]
            if folds:
                opened = store.rows.toggle(folds[choice % len(folds)])
        elif step == "c" and choice < 20:
            store.apply(HistoryCleared())
            running.clear()
        assert mirror.length == len(store.rows)
        assert shown(store, store.rows) == list(store)
    if not opened:
        fresh = TranscriptRows(store)
        assert [(row.item.id, row.gap) for row in fresh] == [
            (row.item.id, row.gap) for row in store.rows
        ]


def test_only_what_changed_is_told() -> None:
    store = filled(*burst(3), Text(message="a1", text="one"))
    splices: list[Splice] = []
    store.rows.listeners.append(splices.append)
    store.apply(Text(message="a1", text=" two"))
    assert splices == [Splice(3, 1, 1)]
    splices.clear()
    store.apply(call(9)[0])
    assert splices == [Splice(3, 1, 1), Splice(4, 0, 1)]
    assert isinstance(store.rows[4].item, CardItem)
