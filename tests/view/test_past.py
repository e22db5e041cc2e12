"""The past as items: as it looked when it happened, page by page, and never more than is asked."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.conversation.images import picture
from app.conversation.messages import TextPart
from app.conversation.outcome import ToolOutcome
from app.conversation.past import Past, PastFailure, PastMark
from app.events import (
    Cancelled,
    Event,
    HistoryCleared,
    MessageFinished,
    Notice,
    Queued,
    Text,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from app.text import LANGUAGES, Words
from app.view.items import (
    AnswerItem,
    CardItem,
    ClearedItem,
    EarlierItem,
    ErrorItem,
    FoldItem,
    Item,
    MarkItem,
    QueuedItem,
    ReasoningItem,
    StoppedItem,
    SummaryMarkItem,
    UserItem,
)
from app.view.transcript import TranscriptStore
from app.view.transcript_rows import Splice
from tests.view.pasts import AT, OK, answer, call, page, plain, result, talk, user


def shown(*past: Past) -> list[Item]:
    store = TranscriptStore()
    store.show_past(page(past, limit=1_000))
    return list(store)


def only_card(*past: Past) -> CardItem:
    (card,) = (item for item in shown(*past) if isinstance(item, CardItem))
    return card


def test_pictures_of_a_message_are_named_as_they_were_live() -> None:
    made = picture("a\x1b.png", b"\x89PNG\r\n\x1a\n")
    assert made is not None
    said = user("u1", "look")
    (past,) = shown(replace(said, message=replace(said.message, parts=(TextPart("look"), made))))
    live = TranscriptStore()
    live.apply(TurnStarted(message="u1", text="look", images=("a\x1b.png 8 B",)))
    (item,) = (item for item in live if isinstance(item, UserItem))
    assert isinstance(past, UserItem)
    assert past.images == item.images == ("a\\x1b.png 8 B",)


def test_a_turn_looks_as_it_did() -> None:
    said = "All read.\n\n- one\n- two\n\n```\ncode\n```"
    live = TranscriptStore()
    body = "done"
    lived: list[Event] = [
        TurnStarted(message="u1", text="look\x1b[31m"),
        Text(message="a1", text="I look."),
        MessageFinished(message="a1"),
        ToolStarted(id="c1", tool="read_file", arguments={}, subject="a.py:3–7"),
        ToolFinished(id="c1", tool="read_file", ok=True, characters=3_104, seconds=0.2, body=body),
        Text(message="a2", text=said),
        MessageFinished(message="a2"),
        TurnFinished(ok=True, steps=2, seconds=1),
    ]
    for event in lived:
        live.apply(event)
    past = shown(
        user("u1", "look\x1b[31m"),
        answer("a1", "I look.", call("c1", path="a.py", offset=3, limit=5)),
        result("c1"),
        answer("a2", said),
    )
    assert [plain(item) for item in past] == [plain(item) for item in live]


def test_cards_say_how_the_call_ended() -> None:
    calls = [call(f"c{n}", "execute_command", command="make") for n in range(6)]
    bad = ToolOutcome(ok=False, seconds=41.8, characters=9, reason="exit 1 · no\nrule")
    refused = ToolOutcome(ok=False, seconds=0, characters=9, reason="refused by you", refused=True)
    edit = ToolOutcome(ok=True, seconds=0.1, characters=9, added=1, removed=2)
    stopped = ToolOutcome(ok=False, seconds=3.2, characters=9, reason="by you", stopped=True)
    cards = [
        item
        for item in shown(
            answer("a1", "", *calls),
            result("c0", outcome=bad),
            result("c1", outcome=refused),
            result("c2", outcome=edit),
            result("c3", "12345", outcome=None),
            result("c5", outcome=stopped),
        )
        if isinstance(item, CardItem)
    ]
    assert [card.status for card in cards] == [
        "failed", "refused", "ok", "unknown", "interrupted", "stopped"
    ]  # fmt: skip
    assert cards[0].reason == "exit 1 · no rule" and cards[0].seconds == 41.8
    assert (cards[2].added, cards[2].removed) == (1, 2)
    assert cards[3].characters == 5 and cards[3].seconds == 0
    assert {card.subject for card in cards} == {"make"}


def test_states_of_results() -> None:
    asked = answer("a1", "", call("c1", path="a"))
    assert only_card(asked, result("c1", state="cleared")).state == "cleared"
    assert only_card(asked, result("c1", state="offloaded")).state == "offloaded"
    assert only_card(asked, result("c1", state="cut")).state == "live"


def test_subjects_as_the_tools_have_them() -> None:
    def subject(tool: str, **arguments: object) -> str:
        return only_card(answer("a1", "", call("c1", tool, **arguments))).subject

    assert subject("search_files", path="src", pattern="x", glob="*.py") == "x  src  *.py"
    assert subject("edit_file", old="a", new="b", path="pom.xml") == "pom.xml"
    assert subject("read_file", path="a", offset=5) == "a:5–"
    assert subject("read_file", path="a", limit=5) == "a:1–5"
    assert subject("mcp", number=1, query="q") == "q"
    assert subject("update_todo", todo=["set\n21", "CI"], done=["a"]) == "set 21"
    assert subject("update_todo", todo=[], done=["a", "b"]) == "2 ✓"
    assert subject("update_todo", todo=[{"status": "open"}]) == subject("update_todo") == "0"
    broken = answer("a1", "", call("c1"))
    object.__setattr__(broken.message.calls[0], "arguments", "{not json")
    assert only_card(broken).subject == ""


def test_a_result_without_its_call_is_shown_by_itself() -> None:
    assert only_card(result("c9", tool="list_dir")).tool == "list_dir"


def test_reasoning_discarded_text_and_stops() -> None:
    for language in LANGUAGES:
        line = Words(language)("agent.stopped_text")
        items = shown(
            answer("a1", "cut", reasoning="why", discarded=True), answer("a2", f"so far\n\n{line}")
        )
        reasoning, discarded, kept, stopped = items
        assert isinstance(reasoning, ReasoningItem) and not reasoning.timed and not reasoning.live
        assert isinstance(discarded, AnswerItem) and discarded.discarded
        assert isinstance(kept, AnswerItem) and kept.text == "so far"
        assert isinstance(stopped, StoppedItem) and not stopped.resumable


def test_marks_and_failures() -> None:
    fork, summary, cleared, failed = shown(
        PastMark("fork", "8e10", "6b91", AT, turn=84),
        PastMark("summary", "c41d", "6b91", AT, count=42),
        PastMark("clear", "c41d", "6b91", AT),
        PastFailure("timeout", "Nothing\x1b came", AT, "c41d"),
    )
    assert isinstance(fork, MarkItem) and (fork.parent, fork.turn) == ("6b91", 84)
    assert isinstance(summary, SummaryMarkItem)
    assert (summary.node, summary.parent, summary.count) == ("c41d", "6b91", 42)
    assert isinstance(cleared, ClearedItem)
    assert isinstance(failed, ErrorItem) and failed.text == "Nothing\\x1b came"


def test_only_the_newest_page_is_taken_in() -> None:
    past = talk(20_000)
    store = TranscriptStore()
    store.show_past(page(past))
    assert len(store) == 21
    assert isinstance(store[0], EarlierItem) and store[0].count == 39_980
    assert store.earlier is not None and store.earlier.count == 39_980


@given(st.integers(1, 40), st.integers(1, 12), st.lists(st.integers(0, 9), max_size=6))
def test_pages_add_up_to_the_whole(turns: int, limit: int, said: list[int]) -> None:
    """However it is paged, and whatever is said meanwhile, all is there, in order, found by id."""
    past = talk(turns)
    store = TranscriptStore()
    store.show_past(page(past, limit=limit))
    number = 0
    while store.earlier is not None:
        if said:
            number += said.pop()
            store.apply(TurnStarted(message=f"n{number}-{len(said)}", text="new"))
        store.prepend(page(past, store.earlier, limit))
    items = [item for item in store if not (isinstance(item, UserItem) and item.text == "new")]
    assert [getattr(item, "text", "") for item in items if not hasattr(item, "started")] == [
        entry.message.text for entry in past if hasattr(entry, "message")
    ]
    for index, item in enumerate(store):
        if index < store.settled:
            assert store.where(item.id) == index
    assert [row.item for row in store.rows] == list(store)


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 30), st.booleans())
def test_bursts_fold_over_the_edge_of_a_page(good: list[bool], cut: int, opened: bool) -> None:
    """Paged in, the rows are those that the whole at once would have; splices tell the truth."""
    past: list[Past] = []
    for number, ok in enumerate(good):
        past += [
            answer(f"a{number}", "", call(f"c{number}", path="x")),
            result(f"c{number}", outcome=OK if ok else ToolOutcome(False, 0.1, 1, "no")),
        ]
    store = TranscriptStore()
    store.show_past(page(past, limit=2 * cut))
    if opened and store.rows and isinstance(store.rows[0].item, FoldItem):
        store.rows.toggle(0)
        store.rows.toggle(0)
    rows = list(store.rows)
    pages = 0

    def follow(splice: Splice) -> None:
        now = store.rows.between(splice.start, splice.start + splice.added)
        rows[splice.start : splice.start + splice.removed] = now

    store.rows.listeners.append(follow)
    while store.earlier is not None:
        store.prepend(page(past, store.earlier, 2 * cut))
        pages += 1
        assert rows == list(store.rows)
    whole = TranscriptStore()
    whole.show_past(page(past, limit=1_000))
    assert [look(row.item) for row in store.rows] == [look(row.item) for row in whole.rows]
    assert [row.gap for row in store.rows] == [row.gap for row in whole.rows]


def look(item: Item) -> tuple[object, ...]:
    if isinstance(item, FoldItem):
        return item.id, item.count, item.open
    return (item.id,)


def test_a_new_past_takes_the_place_of_what_was_shown() -> None:
    store = TranscriptStore()
    store.apply(TurnStarted(message="old", text="old"))
    store.apply(Cancelled())
    store.apply(Queued(id="q", text="waits"))
    store.apply(HistoryCleared())
    store.show_past(page(talk(1)))
    kinds = [type(item) for item in store]
    assert kinds == [UserItem, AnswerItem, QueuedItem]
    assert not store.busy
    store.apply(TurnStarted(message="new", text="new"))
    assert store.where("old") is None and store.where("new") == 2


def test_what_was_said_at_the_opening_stays_below_the_past() -> None:
    store = TranscriptStore()
    store.apply(TurnStarted(message="old", text="old"))
    store.apply(Notice(code="old", text="of the session before"))
    store.apply(HistoryCleared())
    store.apply(Notice(code="tools_changed", text="other tools"))
    store.show_past(page(talk(1)))
    texts = [getattr(item, "text", "") for item in store]
    assert texts == ["question 1", "answer 1", "other tools"]
    store.apply(TurnStarted(message="new", text="new"))
    assert store.where("new") == 3


def test_a_message_sent_at_once_is_shown_once_and_goes_on() -> None:
    """The session is open before its past is read: the user may have been faster."""
    store = TranscriptStore()
    store.apply(TurnStarted(message="u2", text="question 2"))
    store.apply(Text(message="a2", text="ans"))
    store.show_past(page(talk(2)))
    assert store.busy
    store.apply(Text(message="a2", text="wer 2"))
    store.apply(MessageFinished(message="a2"))
    assert [getattr(item, "text", "") for item in store] == [
        "question 1",
        "answer 1",
        "question 2",
        "answer 2",
    ]


def test_an_empty_past_shows_nothing() -> None:
    store = TranscriptStore()
    store.show_past(page([]))
    assert len(store) == 0 and store.earlier is None
    store.prepend(page([]))
    assert len(store) == 0
