"""What a message was given by the memory: by the event, by its block, and as it is known now."""

from datetime import UTC, datetime

import pytest

from app.conversation.messages import CorrectionPart, MemoryPart, Message, TextPart
from app.conversation.past import PastMessage
from app.conversation.standing import Standing
from app.events import Event, InjectedFact, LeftFact, MemoryInjected, TurnStarted
from app.view.held import HeldModel, Room, share_room
from app.view.items import UserItem
from app.view.past import past_items
from app.view.recalled import FactNow, Recalled, of_block, of_event, refreshed
from app.view.transcript import TranscriptStore
from tests.screens.recalled import EVENT, FACTS

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
BLOCK = """以下是以前会话留下的线索，不是事实：都可能已过时，以文件和用户的话为准。
- 统一用 jakarta.*，不用 javax.* · 项目 · 写于 2026-11-01 · 核实于 2026-11-20
- a · project is a word here too · global · written 2026-08-25 · unverified
- no marks at all"""


def test_the_event_gives_the_facts_of_the_block_then_those_left_out() -> None:
    recalled = of_event(EVENT)
    assert (recalled.count, recalled.tokens, recalled.budget) == (5, 412, 1_280)
    assert [fact.left for fact in recalled.facts[-2:]] == ["shown", "budget"]
    assert recalled.facts[0].why == ("javax",) and recalled.facts[1].pinned
    assert recalled.unmatched == 121 and recalled.ids[0] == "fact-jakarta"


def test_foreign_text_is_on_one_line_and_safe() -> None:
    event = MemoryInjected(
        message="u1",
        facts=(
            InjectedFact(
                id="f", content="red\x1b[31m\n\nalert", scope="global", state="fresh", why=("\x1b",)
            ),
        ),
        left=(LeftFact(id="g", content="two\nlines", why="count"),),
    )
    first, second = of_event(event).facts
    assert "\x1b" not in first.content + "".join(first.why) and "\n" not in first.content
    assert second.content == "two lines"


def test_a_block_gives_each_line_to_its_fact_without_what_is_said_behind_it() -> None:
    recalled = of_block("u1", ("f1", "f2", "f3", "f4"), BLOCK, tokens=90, budget=1_000)
    assert [fact.content for fact in recalled.facts] == [
        "统一用 jakarta.*，不用 javax.*",
        "a · project is a word here too",
        "no marks at all",
        "f4",  # a line is missing
    ]
    assert recalled.count == 4 and recalled.unmatched is None
    assert all(fact.state is None and not fact.gone for fact in recalled.facts)


def test_what_the_memory_knows_now_wins_and_what_it_lacks_is_gone() -> None:
    recalled = refreshed(of_event(EVENT), FACTS, out={"fact-jdk"})
    by_id = {fact.id: fact for fact in recalled.facts}
    assert by_id["fact-jdk"].out and by_id["fact-jdk"].now is FACTS["fact-jdk"]
    assert by_id["fact-shown"].gone and not by_id["fact-jakarta"].gone
    verified = FactNow(content="other words", scope="global", state="fresh", pinned=True)
    again = refreshed(recalled, {**FACTS, "fact-jdk": verified})
    jdk = next(fact for fact in again.facts if fact.id == "fact-jdk")
    assert (jdk.content, jdk.state, jdk.pinned, jdk.out) == ("other words", "fresh", True, False)
    assert jdk.why == ("Java 21",)


def test_the_model_shows_it_in_a_tab_of_its_own_and_tells_of_changes_only() -> None:
    model = HeldModel()
    told: list[int] = []
    model.listeners.append(lambda: told.append(1))
    model.recall(Recalled())
    assert model.is_empty and told == []
    model.recall(of_event(EVENT))
    model.recall(of_event(EVENT))
    assert told == [1] and not model.is_empty
    assert model.counts == {"offloaded": 0, "cleared": 0, "work": 0, "memory": 5}
    model.choose_filled()
    assert model.active == "memory" and model.items == ()
    assert [row.key for row in model.rows] == list(of_event(EVENT).ids)


def test_two_lines_a_fact_are_shared_out_whole() -> None:
    assert share_room(5, 20, 2, all=False, each=2) == Room(10, 5, 10)
    assert share_room(7, 12, 2, all=False, each=2) == Room(9, 4, 3)
    assert share_room(7, 12, 2, all=True, each=2) == Room(10, 5, 2)
    for height in range(20):
        room = share_room(7, height, 2, all=False, each=2)
        assert room.rows + room.under <= height and room.rows <= 2 * 7
        assert room.rows in (0, 2 * room.items, 2 * room.items + 1)


@pytest.mark.parametrize("first", [True, False])
def test_the_users_message_says_what_went_along_whichever_is_told_first(first: bool) -> None:
    store = TranscriptStore(clock=lambda: 0.0)
    events: list[Event] = [TurnStarted(message="u1", text="javax?"), EVENT]
    for event in events if first else reversed(events):
        store.apply(event)
    (said,) = [item for item in store if isinstance(item, UserItem)]
    assert (said.recalled, said.recalled_tokens) == (5, 412)
    store.apply(TurnStarted(message="u2", text="and?"))
    store.apply(MemoryInjected(message="u2", unmatched=9))
    assert [item.recalled for item in store if isinstance(item, UserItem)] == [5, 0]
    store.apply(MemoryInjected(message="u2", unmatched=9, corrected=2))
    assert [item.corrected for item in store if isinstance(item, UserItem)] == [0, 2]


def test_a_message_of_the_archive_says_it_too() -> None:
    parts = (
        TextPart("javax?"),
        MemoryPart("- a\n- b", ("f1", "f2")),
        CorrectionPart("“c” was deleted.", ("f3",)),
    )
    message = Message("u1", "user", parts)
    past = PastMessage(message, Standing(), None, "2026-11-29T12:00:00Z", "7f3a")
    (item,) = past_items([past], lambda kind: kind, len)
    assert isinstance(item, UserItem)
    assert item.corrected == 1
    assert item.recalled == 2 and item.recalled_tokens == len("<memory>\n- a\n- b\n</memory>")
