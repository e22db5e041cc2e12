"""The past of a node: everything that was said, in order, each once, over all that happened."""

import json
import sqlite3
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.archive.lineage import FAILURES, MESSAGES, past_page, system_message, whole_past
from app.conversation.messages import Message, TextPart
from app.conversation.outcome import ToolOutcome
from app.conversation.past import Cursor, Past, PastFailure, PastMark, PastMessage
from app.conversation.standing import BodyRef, Standing
from tests.archive.chains import Chains, answer, result, system, user


@pytest.fixture
def chains() -> Chains:
    return Chains()


def short(items: Iterable[Past]) -> list[str]:
    """Messages by id, marks as `summary>node`, failures by text."""
    return [shortly(item) for item in items]


def shortly(item: Past) -> str:
    match item:
        case PastMessage(message=message):
            return message.id
        case PastMark(kind=kind, node=node):
            return f"{kind}>{node}"
        case PastFailure(text=text):
            return text


def past(chains: Chains, node: str) -> list[str]:
    return short(whole_past(chains.connection, node))


def paged(chains: Chains, node: str, limit: int) -> list[str]:
    """All pages put together; counts and cursors must agree."""
    found: list[str] = []
    before: Cursor | None = None
    counts: list[int] = []
    messages = 0
    while True:
        page = past_page(chains.connection, node, before, limit)
        found = short(page.items) + found
        messages += sum(isinstance(item, PastMessage) for item in page.items)
        assert page.earlier is None or len(page.items) >= limit
        counts.append(page.earlier_count + messages)
        if page.earlier is None:
            assert page.earlier_count == 0
            assert len(set(counts)) == 1
            return found
        before = page.earlier


def test_the_root_shows_what_was_said_without_the_system_message(chains: Chains) -> None:
    chains.node("a", made=[system()])
    half = Message("half", "assistant", (TextPart("ha"),), discarded=True)
    chains.say("a", user("u1"), half)
    chains.fail("a", "no answer")
    chains.say("a", answer("a1"))
    assert past(chains, "a") == ["u1", "half", "no answer", "a1"]


def test_a_message_comes_with_all_that_is_known_of_it(chains: Chains) -> None:
    chains.node("a")
    chains.say("a", user("u1"), answer("a1", "", "c1"))
    outcome = ToolOutcome(False, 1.5, 2000, "exit 1", added=3)
    chains.say("a", result("r1", "c1", "long output"), outcome=outcome)
    pointer = Standing("cleared", pinned=True, body=BodyRef("a", 9))
    chains.entry("a", "r1", pointer)
    *_, item = whole_past(chains.connection, "a")
    assert item == PastMessage(
        result("r1", "c1", "long output"), pointer, outcome, "2026-01-01T00:04:00.000Z", "a"
    )


def test_a_summary_shows_all_of_its_parent_then_the_mark(chains: Chains) -> None:
    chains.node("a", made=[system()])
    chains.say("a", user("u1"), answer("a1"), user("u2"), answer("a2"))
    chains.node("b", parent="a", relation="summary", made=[system("s2"), user("sum")])
    chains.entry("b", "a2", Standing("cleared"))
    chains.say("b", user("u3"))
    assert past(chains, "b") == ["u1", "a1", "u2", "a2", "summary>b", "u3"]
    *_, mark, _ = whole_past(chains.connection, "b")
    assert mark == PastMark("summary", "b", "a", "2026-01-01T00:06:00.000Z", count=3)
    by_id = {
        item.message.id: item
        for item in whole_past(chains.connection, "b")
        if isinstance(item, PastMessage)
    }
    assert [id for id, item in by_id.items() if item.present] == ["a2", "u3"]
    assert by_id["a2"].standing.state == "cleared"
    assert by_id["u1"].node == "a"


def test_a_summary_that_kept_its_system_message_hides_its_own_text(chains: Chains) -> None:
    chains.node("a", made=[system()])
    chains.say("a", user("u1"))
    chains.node("b", parent="a", relation="summary", made=[user("sum")], kept=["sys"])
    chains.say("b", user("u2"))
    assert past(chains, "b") == ["u1", "summary>b", "u2"]


def test_a_summary_whose_own_text_is_lost_hides_nothing_else(chains: Chains) -> None:
    chains.node("a")
    chains.say("a", user("u1"))
    chains.node("b", parent="a", relation="summary")
    chains.say("b", user("u2"))
    assert past(chains, "b") == ["u1", "summary>b", "u2"]


def test_a_fork_shows_its_parent_up_to_where_it_began(chains: Chains) -> None:
    chains.node("a", made=[system()])
    chains.say("a", user("u1"), answer("a1"))
    chains.node("f", parent="a", relation="fork", fork_at="a1", fork_turn=1)
    chains.say("f", user("f1"))
    chains.say("a", user("u2"))
    chains.fail("a", "later")
    assert past(chains, "f") == ["u1", "a1", "fork>f", "f1"]
    assert past(chains, "a") == ["u1", "a1", "u2", "later"]
    marks = [item for item in whole_past(chains.connection, "f") if isinstance(item, PastMark)]
    assert marks == [PastMark("fork", "f", "a", "2026-01-01T00:04:00.000Z", turn=1)]


def test_a_fork_in_a_turn_has_its_steps_results_however_they_came(chains: Chains) -> None:
    chains.node("a")
    chains.say("a", user("u1"), answer("a1", "", "c1", "c2", "c3"))
    chains.say("a", result("r3", "c3"), result("r1", "c1"), result("r2", "c2"), answer("a2"))
    chains.node("f", parent="a", relation="fork", fork_at="r3")
    assert past(chains, "f") == ["u1", "a1", "r1", "r2", "r3", "fork>f"]


def test_a_fork_at_a_message_from_before_the_summary_leaves_the_summary_out(
    chains: Chains,
) -> None:
    chains.node("a", made=[system()])
    chains.say("a", user("u1"), answer("a1"), user("u2"), answer("a2"))
    chains.node("b", parent="a", relation="summary", made=[user("sum")], kept=["u2", "a2"])
    chains.say("b", user("u3"))
    chains.node("f", parent="b", relation="fork", fork_at="a1")
    chains.say("f", user("f1"))
    assert past(chains, "f") == ["u1", "a1", "fork>f", "f1"]


@pytest.mark.parametrize("fork_at", [None, "gone"])
def test_a_fork_that_does_not_say_where_has_what_was_said_before(
    chains: Chains, fork_at: str | None
) -> None:
    chains.node("a")
    chains.say("a", user("u1"), answer("a1"))
    chains.node("f", parent="a", relation="fork", fork_at=fork_at)
    chains.say("a", user("u2"))
    assert past(chains, "f") == ["u1", "a1", "fork>f"]


def test_clear_begins_afresh_and_says_after_what(chains: Chains) -> None:
    chains.node("a")
    chains.say("a", user("u1"))
    chains.node("b", parent="a", relation="clear")
    chains.say("b", user("u2"))
    assert past(chains, "b") == ["clear>b", "u2"]


def test_an_agent_has_its_own_past(chains: Chains) -> None:
    chains.node("a")
    chains.say("a", user("u1"))
    chains.node("t", parent="a", relation="agent", made=[system("s"), user("task")])
    chains.say("t", answer("t1"))
    chains.node("t2", parent="t", relation="summary", made=[user("sum")])
    assert past(chains, "t2") == ["task", "t1", "summary>t2"]


@pytest.mark.parametrize("relation", ["summary", "fork", "clear", None])
def test_with_a_lost_parent_the_past_just_begins(chains: Chains, relation: str | None) -> None:
    chains.node("b", parent="gone", relation=relation, chain="gone")
    chains.say("b", user("u2"))
    assert past(chains, "b") == ["u2"]
    assert paged(chains, "b", 1) == ["u2"]


def test_a_cycle_of_parents_ends(chains: Chains) -> None:
    for node, parent in (("a", "c"), ("b", "a"), ("c", "b")):
        chains.node(node, parent=parent, relation="summary", chain="x")
        chains.say(node, user(f"u{node}"))
    assert past(chains, "c") == ["ua", "summary>b", "ub", "summary>c", "uc"]
    chains.node("s", parent="s", relation="fork", chain="x")
    assert past(chains, "s") == []


def test_a_node_nobody_knows_has_no_past(chains: Chains) -> None:
    assert past(chains, "nobody") == []
    assert past_page(chains.connection, "nobody", None, 10).items == ()


def test_a_message_of_a_later_version_is_told_not_dropped(chains: Chains) -> None:
    chains.node("a")
    chains.say("a", user("u1"), user("u2"))
    newer = json.dumps({"id": "u1", "role": "user", "parts": [{"kind": "hologram"}]})
    chains.sql("UPDATE messages SET content = ? WHERE id = 'u1'", newer)
    chains.sql("UPDATE messages SET content = '{' WHERE id = 'u2'")
    first, second = whole_past(chains.connection, "a")
    assert isinstance(first, PastFailure)
    assert isinstance(second, PastFailure)
    assert "hologram" in first.text


def long_session(chains: Chains, turns: int, summaries: Sequence[int]) -> list[str]:
    """Turns with a call each, and summaries before some; what its past must be."""
    chains.node("n0", made=[system("s0")])
    node, wanted = "n0", list[str]()
    for turn in range(turns):
        if turn in summaries:
            child = f"n{turn}"
            kept = [f"a{turn - 1}"]
            made = [system(f"s{turn}"), user(f"sum{turn}")]
            chains.node(child, parent=node, relation="summary", made=made, kept=kept)
            wanted.append(f"summary>{child}")
            node = child
        said = [user(f"u{turn}"), answer(f"k{turn}", "", f"c{turn}")]
        said += [result(f"r{turn}", f"c{turn}"), answer(f"a{turn}")]
        chains.say(node, *said)
        wanted += [message.id for message in said]
    chains.sql("UPDATE nodes SET title = 'last' WHERE id = ?", node)
    return wanted


def test_five_hundred_turns_and_three_summaries_are_all_there_in_order(chains: Chains) -> None:
    wanted = long_session(chains, 500, [150, 300, 450])
    assert len(set(wanted)) == len(wanted) == 2003
    assert past(chains, "n450") == wanted
    assert paged(chains, "n450", 97) == wanted


def test_cursors_hold_while_the_chain_grows(chains: Chains) -> None:
    wanted = long_session(chains, 20, [10])
    page = past_page(chains.connection, "n10", None, 7)
    chains.say("n10", user("new"), answer("newer"))
    earlier = past_page(chains.connection, "n10", page.earlier, 7)
    found = short(earlier.items) + short(page.items)
    assert found == wanted[-len(found) :]
    assert earlier.earlier_count == len(wanted) - len(found) - 1  # the mark is no message


def test_a_cursor_of_another_path_gives_nothing(chains: Chains) -> None:
    long_session(chains, 3, [])
    assert past_page(chains.connection, "n0", Cursor("else", 3, 0, 2), 5).items == ()


def test_a_page_never_begins_between_a_call_and_its_results(chains: Chains) -> None:
    chains.node("a")
    chains.say("a", user("u1"), answer("a1", "", "c1", "c2"), result("r2", "c2"))
    chains.fail("a", "trouble")
    chains.say("a", result("r1", "c1"), answer("a2"))
    page = past_page(chains.connection, "a", None, 2)
    assert short(page.items) == ["a1", "r2", "trouble", "r1", "a2"]
    assert page.earlier_count == 1


def steps(connection: sqlite3.Connection, before: Cursor | None, node: str) -> int:
    """What a page costs: hundreds of instructions of SQLite's machine."""
    count = 0

    def tick() -> int:
        nonlocal count
        count += 1
        return 0

    connection.set_progress_handler(tick, 100)
    past_page(connection, node, before, 50)
    connection.set_progress_handler(None, 0)
    return count


def test_a_page_costs_the_same_in_a_long_chain() -> None:
    costs = []
    for turns in (60, 1500):
        chains = Chains()
        long_session(chains, turns, [20])
        first = past_page(chains.connection, "n20", None, 50)
        costs.append(
            (steps(chains.connection, None, "n20"), steps(chains.connection, first.earlier, "n20"))
        )
    (short_first, short_second), (long_first, long_second) = costs
    assert long_second <= short_second * 1.1
    assert long_first <= short_first * 1.1


@pytest.mark.parametrize("order", ["ASC", "DESC"])
@pytest.mark.parametrize(
    ("query", "index"), [(MESSAGES, "messages_node"), (FAILURES, "failures_node")]
)
def test_the_queries_run_along_an_index(chains: Chains, query: str, index: str, order: str) -> None:
    values = {"viewed": "a", "node": "a", "after": 0, "seq": 9, "part": 0}
    plan = [
        row[3]
        for row in chains.connection.execute(
            f"EXPLAIN QUERY PLAN {query.format(order=order)}", values
        )
    ]
    assert any(f"USING INDEX {index} (node=?" in step for step in plan), plan
    assert not any("SCAN" in step or "TEMP B-TREE" in step for step in plan), plan


def test_the_system_message_is_that_of_the_node(chains: Chains) -> None:
    chains.node("a", made=[system("s1", "one")])
    chains.say("a", user("u1"))
    chains.node("b", parent="a", relation="summary", made=[system("s2", "two"), user("sum")])
    chains.node("f", parent="b", relation="fork", kept=["s1"])
    chains.node("g", parent="b", relation="fork")
    found = [system_message(chains.connection, node) for node in "abfg"]
    assert [message and message.text for message in found] == ["one", "two", "one", "two"]
    assert system_message(chains.connection, "nobody") is None


@st.composite
def trees(draw: st.DrawFn) -> list[tuple[int, str, int]]:
    """Nodes as (parent, relation, messages); node n's parent is an earlier one."""
    nodes = [(0, "", draw(st.integers(0, 4)))]
    for number in range(1, draw(st.integers(1, 6))):
        parent = draw(st.integers(0, number - 1))
        relation = draw(st.sampled_from(["summary", "fork"]))
        nodes.append((parent, relation, draw(st.integers(0, 4))))
    return nodes


@given(trees(), st.integers(1, 5))
def test_random_trees_page_as_they_stream_each_message_once(
    tree: list[tuple[int, str, int]], limit: int
) -> None:
    chains = Chains()
    wanted: dict[int, list[str]] = {}
    for number, (parent, relation, count) in enumerate(tree):
        said = [user(f"m{number}.{index}") for index in range(count)]
        if not relation:
            chains.node(f"n{number}", made=[system()])
            before: list[str] = []
        else:
            shared = [id for id in wanted[parent] if ">" not in id]
            at = shared[-1] if relation == "fork" and shared else None
            made = [user(f"sum{number}")] if relation == "summary" else []
            chains.node(f"n{number}", parent=f"n{parent}", relation=relation, made=made, fork_at=at)
            upto = wanted[parent].index(at) + 1 if at else len(wanted[parent])
            before = [*wanted[parent][:upto], f"{relation}>n{number}"]
        chains.say(f"n{number}", *said)
        wanted[number] = before + [message.id for message in said]
    for number in range(len(tree)):
        found = past(chains, f"n{number}")
        assert found == wanted[number]
        assert paged(chains, f"n{number}", limit) == found
