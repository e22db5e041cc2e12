"""Events become items; nothing else changes them."""

import pytest

from app.events import (
    ApprovalAnswered,
    ApprovalRequested,
    Cancelled,
    DiffLine,
    Event,
    Failed,
    HistoryCleared,
    MessageFinished,
    Notice,
    Queued,
    Reasoning,
    Retry,
    SessionStarted,
    Text,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnResumed,
    TurnStarted,
    Unqueued,
    UsageReported,
)
from app.view.item_list import Change
from app.view.items import (
    AnswerItem,
    CardItem,
    ClearedItem,
    ErrorItem,
    Item,
    NoticeItem,
    QueuedItem,
    ReasoningItem,
    RetryItem,
    StoppedItem,
    UserItem,
    WaitingItem,
)
from app.view.transcript import QUIET_SECONDS, TranscriptStore


class Scene:
    """A store with a clock that tests set, and every change it told."""

    def __init__(self) -> None:
        self.now = 100.0
        self.store = TranscriptStore(clock=lambda: self.now)
        self.changes: list[Change] = []
        self.store.listeners.append(self.changes.append)

    def __call__(self, *events: Event) -> list[Item]:
        for event in events:
            self.store.apply(event)
        return list(self.store)


def started(id: str = "c1", tool: str = "read_file") -> ToolStarted:
    return ToolStarted(id=id, tool=tool, arguments={"path": "a.py"}, subject="a.py")


def finished(id: str = "c1", *, ok: bool = True, **fields: object) -> ToolFinished:
    values = {"tool": "read_file", "characters": 3, "seconds": 0.5} | fields
    return ToolFinished(id=id, ok=ok, **values)


def texts(items: list[Item]) -> list[str]:
    return [item.text for item in items if isinstance(item, AnswerItem)]


def test_a_turn_begins_with_the_users_words() -> None:
    (item,) = Scene()(TurnStarted(message="u1", text="hello"))
    assert item == UserItem(id="u1", text="hello")


def test_an_answer_streams_into_blocks_and_its_finished_blocks_never_change_again() -> None:
    scene = Scene()
    scene(Text(message="a1", text="one\n\ntw"))
    before = scene(Text(message="a1", text="o\n"))
    assert texts(before) == ["one", "two\n"]
    after = scene(Text(message="a1", text="\nthree"), MessageFinished(message="a1"))
    assert texts(after) == ["one", "two", "three"]
    assert after[0] is before[0]
    assert [item.live for item in after if isinstance(item, AnswerItem)] == [False] * 3


def test_only_the_last_block_of_an_answer_is_live() -> None:
    items = Scene()(Text(message="a1", text="one\n\ntwo\n\nthree\n"))
    assert [item.live for item in items if isinstance(item, AnswerItem)] == [False, False, True]


def test_blank_text_makes_no_item() -> None:
    assert Scene()(Text(message="a1", text="\n\n")) == []


def test_reasoning_is_one_item_that_says_how_long_it_took() -> None:
    scene = Scene()
    scene(Reasoning(message="a1", text="let me "))
    scene.now += 4
    reasoning, answer = scene(
        Reasoning(message="a1", text="think"), Text(message="a1", text="done")
    )
    assert isinstance(reasoning, ReasoningItem)
    assert (reasoning.text, reasoning.seconds, reasoning.live) == ("let me think", 4.0, False)
    assert isinstance(answer, AnswerItem)


def test_a_card_runs_waits_for_approval_and_is_done() -> None:
    scene = Scene()
    (card,) = scene(started())
    assert isinstance(card, CardItem)
    assert (card.status, card.subject, card.started) == ("running", "a.py", 100.0)
    (card,) = scene(ApprovalRequested(id="c1", tool="t", subject="s", risk="command"))
    assert isinstance(card, CardItem)
    assert card.status == "waiting"
    scene.now += 30
    (card,) = scene(ApprovalAnswered(id="c1", tool="t", verdict="once"))
    assert isinstance(card, CardItem)
    assert (card.status, card.started) == ("running", 130.0)
    (card,) = scene(
        finished(body="x\r\ny", added=2, diff=(DiffLine(number=1, sign="+", text="z"),))
    )
    assert isinstance(card, CardItem)
    assert (card.status, card.seconds, card.characters) == ("ok", 0.5, 3)
    assert (card.body, card.added, card.diff[0].text) == ("x\ny", 2, "z")


def test_a_failed_and_a_refused_card_say_why() -> None:
    failed, refused = Scene()(
        started("c1"),
        finished("c1", ok=False, reason="exit 1\nbad"),
        started("c2"),
        ApprovalRequested(id="c2", tool="t", subject="s", risk="command"),
        ApprovalAnswered(id="c2", tool="t", verdict="refuse"),
        finished("c2", ok=False, refused=True, reason="refused by you"),
    )
    assert isinstance(failed, CardItem)
    assert isinstance(refused, CardItem)
    assert (failed.status, failed.reason) == ("failed", "exit 1 bad")
    assert (refused.status, refused.reason) == ("refused", "refused by you")


def test_parallel_cards_keep_the_order_of_their_calls() -> None:
    items = Scene()(started("c1"), started("c2"), finished("c2"), finished("c1"))
    assert [item.id for item in items] == ["c1", "c2"]


def test_a_result_without_a_call_is_shown_nevertheless() -> None:
    (card,) = Scene()(finished("c9"))
    assert isinstance(card, CardItem)
    assert (card.id, card.status) == ("c9", "ok")


def test_a_card_without_a_subject_shows_its_first_word() -> None:
    (card,) = Scene()(ToolStarted(id="c1", tool="t", arguments={"n": 3, "pattern": "javax"}))
    assert isinstance(card, CardItem)
    assert card.subject == "javax"


def test_queued_messages_stay_below_everything_and_the_last_carries_the_hint() -> None:
    scene = Scene()
    items = scene(
        TurnStarted(message="u1", text="go"),
        Queued(id="q1", text="first"),
        Queued(id="q2", text="second"),
        Text(message="a1", text="answer"),
    )
    assert [item.id for item in items][2:] == ["q1", "q2"]
    assert [item.last for item in items if isinstance(item, QueuedItem)] == [False, True]
    items = scene(Unqueued(id="q2", taken_back=True))
    assert [item.last for item in items if isinstance(item, QueuedItem)] == [True]
    items = scene(Unqueued(id="q1", taken_back=False), TurnStarted(message="u2", text="first"))
    assert items[-1] == UserItem(id="u2", text="first")


def test_a_stop_ends_what_runs_and_can_be_resumed_until_the_next_turn() -> None:
    scene = Scene()
    items = scene(
        TurnStarted(message="u1", text="go"),
        Text(message="a1", text="partly"),
        started("c1"),
        Cancelled(),
        TurnFinished(ok=False, steps=1, seconds=1),
    )
    _, answer, card, stopped = items
    assert isinstance(answer, AnswerItem)
    assert isinstance(card, CardItem)
    assert not answer.live
    assert card.status == "stopped"
    assert isinstance(stopped, StoppedItem)
    assert stopped.resumable
    items = scene(Notice(code="x", text="a notice"), TurnStarted(message="u2", text="on"))
    assert [item.resumable for item in items if isinstance(item, StoppedItem)] == [False]


def test_going_on_without_a_message_leaves_nothing_to_go_on_with() -> None:
    scene = Scene()
    items = scene(Cancelled(), TurnResumed())
    assert [item.resumable for item in items if isinstance(item, StoppedItem)] == [False]
    assert scene.store.busy
    assert not any(isinstance(item, UserItem) for item in items)


def test_a_retry_discards_what_was_shown_and_says_why_once() -> None:
    scene = Scene()
    items = scene(
        Text(message="a0", text="kept"),
        MessageFinished(message="a0"),
        started(),
        finished(),
        Reasoning(message="a1", text="hm"),
        Text(message="a1", text="one\n\ntwo"),
        Retry(attempt=2, reason="cut", wait=0.5, discarded=8, message="a1"),
        Retry(attempt=3, reason="cut again", wait=1.0),
    )
    discarded = [item.discarded for item in items if isinstance(item, AnswerItem | ReasoningItem)]
    assert discarded == [False, True, True, True]
    (retry,) = [item for item in items if isinstance(item, RetryItem)]
    assert (retry.attempt, retry.reason, retry.wait) == (3, "cut again", 1.0)
    items = scene(Text(message="a1", text="afresh"))
    assert isinstance(items[-1], AnswerItem)
    assert not items[-1].discarded


@pytest.mark.parametrize(
    "then", [Text(message="a1", text="afresh"), Failed(code="rate_limit", text="no"), Cancelled()]
)
def test_a_retry_counts_no_seconds_when_it_is_over(then: Event) -> None:
    scene, waits = Scene(), list[float | None]()
    meanwhile = Notice(code="slow", text="meanwhile", severity="info"), Queued(id="q1", text="and?")
    for event in (Retry(attempt=2, reason="cut", wait=0.5), *meanwhile, then):
        (retry,) = [item for item in scene(event) if isinstance(item, RetryItem)]
        waits.append(retry.wait)
    assert (retry.attempt, waits) == (2, [0.5, 0.5, 0.5, None])


def test_notices_and_errors_stand_where_they_happened() -> None:
    notice, error = Scene()(
        Notice(code="repaired", text="One line was repaired.", severity="warn"),
        Failed(code="key", text="The key was refused; set another."),
    )
    assert isinstance(notice, NoticeItem)
    assert (notice.text, notice.severity) == ("One line was repaired.", "warn")
    assert isinstance(error, ErrorItem)
    assert error.text == "The key was refused; set another."


def test_an_error_offers_to_go_on_until_something_follows() -> None:
    """Sending the prompt again would leave it in the history twice."""
    scene = Scene()
    (_, error) = scene(
        TurnStarted(message="u1", text="go"), Failed(code="unreachable", text="No connection")
    )[:2]
    assert isinstance(error, ErrorItem)
    assert error.resumable
    (_, error, *_) = scene(
        TurnFinished(ok=False, steps=0, seconds=0), TurnStarted(message="u2", text="on")
    )
    assert isinstance(error, ErrorItem)
    assert not error.resumable
    (too_large,) = Scene()(Failed(code="too_large", text="The window can't hold it"))
    assert isinstance(too_large, ErrorItem)
    assert not too_large.resumable, "it would be as large again"


def test_clearing_leaves_a_divider_and_what_waits() -> None:
    scene = Scene()
    scene(TurnStarted(message="u1", text="go"), Queued(id="q1", text="wait"))
    scene.changes.clear()
    divider, queued = scene(HistoryCleared())
    assert isinstance(divider, ClearedItem)
    assert queued.id == "q1"
    assert [change.kind for change in scene.changes] == ["reset"]


def test_what_the_model_says_nothing_about_is_said_after_a_while() -> None:
    scene = Scene()
    scene(TurnStarted(message="u1", text="go"))
    scene.store.tick()
    assert len(scene.store) == 1
    scene.now += QUIET_SECONDS
    scene.store.tick()
    scene.store.tick()
    assert isinstance(scene.store[1], WaitingItem)
    assert scene.store[1].started == 100.0
    items = scene(Text(message="a1", text="here"))
    assert not any(isinstance(item, WaitingItem) for item in items)


def test_nobody_waits_for_the_model_while_a_tool_runs_or_no_turn_does() -> None:
    scene = Scene()
    scene(TurnStarted(message="u1", text="go"), started("c1"), started("c2"), finished("c1"))
    scene.now += 60
    scene.store.tick()
    assert len(scene.store) == 3
    scene(finished("c2"))
    scene.now += 60
    scene.store.tick()
    assert isinstance(scene.store[3], WaitingItem)
    scene(TurnFinished(ok=True, steps=1, seconds=1))
    scene.now += 60
    scene.store.tick()
    assert len(scene.store) == 3


def test_other_conversations_and_events_without_a_place_are_ignored() -> None:
    items = Scene()(
        SessionStarted(model="m", project="p"),
        UsageReported(prompt=1, completion=1),
        Text(message="a1", text="elsewhere", conversation="task-3"),
    )
    assert items == []


def test_control_characters_are_made_visible() -> None:
    scene = Scene()
    items = scene(
        TurnStarted(message="u1", text="a\x1b[31m"),
        Text(message="a1", text="b\x07"),
        started("c1", tool="t\x9b"),
        finished("c1", body="\x1b]0;x\x07", reason="\x1b"),
        Failed(code="x", text="\x1b[2J"),
        Queued(id="q1", text="\x1b"),
    )
    assert "\x1b" not in repr(items).replace("\\x1b", "")
    assert isinstance(items[2], CardItem)
    assert (items[2].tool, items[2].body) == ("t\\x9b", "\\x1b]0;x\\x07")


def test_changes_name_what_is_new_and_what_changed() -> None:
    scene = Scene()
    scene(Text(message="a1", text="one"), Text(message="a1", text=" more"), started())
    assert scene.changes == [
        Change("insert", 0, 1),
        Change("update", 0, 1),
        Change("update", 0, 1),
        Change("insert", 1, 2),
    ]


def test_a_revision_grows_with_every_change() -> None:
    scene = Scene()
    scene(Text(message="a1", text="one"))
    first = scene.store[0].revision
    scene(Text(message="a1", text=" two"))
    assert scene.store[0].revision > first
