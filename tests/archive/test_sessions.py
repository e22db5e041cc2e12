"""Which sessions there are: found by id and prefix, the newest one, never a hang."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.archive.sessions import (
    AmbiguousNode,
    NodeNotFound,
    chain_nodes,
    children,
    find_node,
    list_nodes,
    newest_node,
)
from app.text import Words
from tests.archive.chains import Chains, answer, system, user


@pytest.fixture
def chains() -> Chains:
    return Chains()


def talk(chains: Chains, id: str, **more: object) -> None:
    """A chain in which one thing was said."""
    chains.node(id, made=[system(f"s{id}")], **more)  # type: ignore[arg-type]
    chains.say(id, user(f"u{id}"))


def test_a_record_says_what_the_list_shows(chains: Chains) -> None:
    talk(chains, "aa01", title="Fix the parser", project="/work")
    chains.sql("UPDATE nodes SET prompt = 900, completion = 100, cost = 0.5, peak = 700")
    (node,) = list_nodes(chains.connection, "/work")
    assert (node.id, node.parent, node.chain, node.relation, node.ledger) == (
        "aa01",
        None,
        "aa01",
        None,
        "aa01",
    )
    assert (node.project, node.title, node.model, node.mode) == (
        "/work",
        "Fix the parser",
        "m",
        "react",
    )
    assert (node.tokens, node.cost, node.peak, node.deleted) == (1000, 0.5, 700, None)
    assert node.created < node.used


def test_the_list_has_the_last_used_first(chains: Chains) -> None:
    talk(chains, "aa")
    talk(chains, "bb")
    talk(chains, "cc", project="/elsewhere")
    chains.say("aa", answer("aa1"))
    chains.node("dd", parent="aa", relation="agent", conversation="task-1")
    assert [node.id for node in list_nodes(chains.connection, "/p")] == ["aa", "bb"]
    assert [node.id for node in list_nodes(chains.connection, None)] == ["aa", "cc", "bb"]
    assert list_nodes(chains.connection, "/p", agents=True)[0].id == "dd"


def test_deleted_chains_are_apart(chains: Chains) -> None:
    talk(chains, "aa")
    chains.sql("UPDATE nodes SET deleted = '2026-01-02T00:00:00.000Z' WHERE id = 'aa'")
    chains.node("ab", parent="aa", relation="fork")  # its ledger was taken in after the mark
    assert list_nodes(chains.connection, "/p") == ()
    everything = list_nodes(chains.connection, "/p", deleted=True)
    assert {node.id for node in everything} == {"aa", "ab"}
    assert all(node.deleted for node in everything)
    with pytest.raises(NodeNotFound):
        find_node(chains.connection, "a")
    assert find_node(chains.connection, "ab").id == "ab"
    assert newest_node(chains.connection, "/p") is None


@pytest.mark.parametrize("asked", ["7f3a", "#7f3a", " 7F3A", "7f3a9c01d2e4", "#7F3A9C01D2E4"])
def test_a_prefix_finds_its_node(chains: Chains, asked: str) -> None:
    talk(chains, "7f3a9c01d2e4")
    talk(chains, "7f3b9c01d2e4")
    assert find_node(chains.connection, asked).id == "7f3a9c01d2e4"


@pytest.mark.parametrize(
    "asked", ["", "#", "zz", "7f3%", "7f3_", "%", "\x00", "\ud800", "'; DROP TABLE nodes", "##7f"]
)
def test_what_is_no_prefix_is_not_found(chains: Chains, asked: str) -> None:
    talk(chains, "7f3a9c01d2e4")
    with pytest.raises(NodeNotFound) as caught:
        find_node(chains.connection, asked)
    assert caught.value.code == "not_found"
    caught.value.sentence(Words("en")).encode()


def test_a_whole_id_wins_over_longer_ones(chains: Chains) -> None:
    talk(chains, "7f3a")
    talk(chains, "7f3a9c")
    assert find_node(chains.connection, "7f3a").id == "7f3a"


def test_only_case_may_make_a_whole_id_ambiguous(chains: Chains) -> None:
    talk(chains, "abc")
    talk(chains, "ABC")
    assert find_node(chains.connection, "ABC").id == "ABC"
    with pytest.raises(AmbiguousNode):
        find_node(chains.connection, "Abc")


def test_an_underscore_is_no_wildcard(chains: Chains) -> None:
    talk(chains, "a_1")
    talk(chains, "ab1")
    assert find_node(chains.connection, "a_").id == "a_1"


def test_an_ambiguous_prefix_names_the_candidates(chains: Chains) -> None:
    talk(chains, "7f3a00", title="Fix \x1b[31mit")
    talk(chains, "7f3b00")
    with pytest.raises(AmbiguousNode) as caught:
        find_node(chains.connection, "7F3")
    assert [node.id for node in caught.value.candidates] == ["7f3b00", "7f3a00"]
    assert caught.value.code == "ambiguous"
    said = caught.value.sentence(Words("en"))
    assert "2 sessions" in said
    assert "7f3b00 (untitled), 7f3a00 (Fix \\x1b[31mit)" in said
    zh = Words("zh")
    assert f"7f3b00 ({zh('sessions.untitled')})" in caught.value.sentence(zh)


def test_many_candidates_are_counted(chains: Chains) -> None:
    for number in range(13):
        talk(chains, f"ab{number:02}")
    with pytest.raises(AmbiguousNode) as caught:
        find_node(chains.connection, "ab")
    assert len(caught.value.candidates) == 13
    assert caught.value.sentence(Words("en")).count("(untitled)") == 10
    assert "and 3 more" in caught.value.sentence(Words("en"))


def test_another_projects_node_is_not_found(chains: Chains) -> None:
    talk(chains, "aa11", project="/a")
    talk(chains, "aa22", project="/b")
    assert find_node(chains.connection, "aa", "/b").id == "aa22"
    with pytest.raises(NodeNotFound):
        find_node(chains.connection, "aa11", "/b")


def test_continue_takes_the_last_node_of_the_chain_used_last(chains: Chains) -> None:
    talk(chains, "aa")
    talk(chains, "bb")
    chains.node("a2", parent="aa", relation="summary", made=[user("sum")], kept=["uaa"])
    chains.say("a2", user("u2"))
    newest = newest_node(chains.connection, "/p")
    assert newest is not None
    assert newest.id == "a2"


def test_continue_goes_to_the_fork_used_last(chains: Chains) -> None:
    talk(chains, "aa")
    chains.node("a2", parent="aa", relation="fork", fork_at="uaa", kept=["uaa"])
    chains.say("a2", user("u2"))
    assert newest_node(chains.connection, "/p").id == "a2"  # type: ignore[union-attr]
    chains.say("aa", user("u3"))
    assert newest_node(chains.connection, "/p").id == "aa"  # type: ignore[union-attr]


def fork(chains: Chains, id: str, parent: str, *, after: tuple[str, int] | None) -> None:
    """A fork in which something was said, while the clock was a year behind."""
    chains.node(id, parent=parent, relation="fork", fork_at=f"u{parent}", kept=[f"u{parent}"])
    chains.say(id, user(f"u{id}"))
    chains.sql(
        """UPDATE nodes SET used = '2025-01-01T00:00:00.000Z', after_ledger = ?, after_seq = ?
        WHERE id = ?""",
        *(after or (None, None)),
        id,
    )


def test_a_fork_is_later_than_a_parent_that_never_went_on_whatever_the_clock_said(
    chains: Chains,
) -> None:
    talk(chains, "aa")
    fork(chains, "a2", "aa", after=("aa", 2))
    assert newest_node(chains.connection, "/p").id == "a2"  # type: ignore[union-attr]
    fork(chains, "a3", "a2", after=("a2", 2))
    assert newest_node(chains.connection, "/p").id == "a3"  # type: ignore[union-attr]
    passed = {node.id: node.passed for node in list_nodes(chains.connection, "/p")}
    assert passed == {"aa": True, "a2": True, "a3": False}
    chains.say("aa", user("u4"))
    assert newest_node(chains.connection, "/p").id == "aa"  # type: ignore[union-attr]


def test_a_summary_made_before_the_fork_is_passed_with_its_ledger(chains: Chains) -> None:
    talk(chains, "aa")
    chains.node("a2", parent="aa", relation="summary", made=[user("sum")])
    chains.say("a2", user("u2"))
    fork(chains, "a3", "aa", after=("aa", 4))
    assert newest_node(chains.connection, "/p").id == "a3"  # type: ignore[union-attr]


def test_forks_that_name_each_other_leave_a_session_to_go_on_with(chains: Chains) -> None:
    talk(chains, "aa")
    fork(chains, "a2", "aa", after=("aa", 99))
    chains.sql(
        "UPDATE nodes SET relation = 'fork', after_ledger = 'a2', after_seq = 9 WHERE id = 'aa'"
    )
    assert newest_node(chains.connection, "/p").id == "aa"  # type: ignore[union-attr]


def test_a_fork_of_an_older_version_is_ordered_by_the_clock(chains: Chains) -> None:
    talk(chains, "aa")
    fork(chains, "a2", "aa", after=None)
    assert newest_node(chains.connection, "/p").id == "aa"  # type: ignore[union-attr]


def test_in_one_ledger_sequence_orders_not_the_clock(chains: Chains) -> None:
    talk(chains, "aa")
    chains.node("a2", parent="aa", relation="summary", made=[user("sum")])
    chains.say("a2", user("u2"))
    chains.sql("UPDATE nodes SET used = '2020-01-01T00:00:00.000Z' WHERE id = 'a2'")
    assert newest_node(chains.connection, "/p").id == "a2"  # type: ignore[union-attr]


def test_continue_passes_over_agents_and_silence(chains: Chains) -> None:
    talk(chains, "aa")
    chains.node("ag", parent="aa", relation="agent", conversation="task-1")
    chains.say("ag", user("task"))
    chains.node("as", parent="ag", relation="summary", conversation="task-1")
    chains.say("as", user("more"))
    assert newest_node(chains.connection, "/p").id == "aa"  # type: ignore[union-attr]
    chains.node("bb", made=[system("sbb")])
    chains.node("cc", parent="aa", relation="clear", made=[system("scc")])
    assert newest_node(chains.connection, "/p").id == "aa"  # type: ignore[union-attr]
    assert newest_node(chains.connection, "/other") is None


def test_ties_in_time_are_decided_the_same_way_always() -> None:
    for order in (["aa", "bb"], ["bb", "aa"]):
        chains = Chains()
        for id in order:
            talk(chains, id)
        chains.sql("UPDATE nodes SET used = '2026-01-01T00:00:00.000Z'")
        assert newest_node(chains.connection, "/p").id == "bb"  # type: ignore[union-attr]
        chains.sql("UPDATE ledgers SET seq = 99 WHERE name = 'aa'")
        assert newest_node(chains.connection, "/p").id == "aa"  # type: ignore[union-attr]


def test_children_and_the_chain(chains: Chains) -> None:
    talk(chains, "bb")
    chains.node("zz", parent="bb", relation="summary")
    chains.node("cc", parent="bb", relation="fork")
    chains.node("dd", parent="bb", relation="clear")
    chains.node("aa", parent="bb", relation="agent", conversation="task-1")
    found = [node.id for node in children(chains.connection, "bb")]
    assert found == ["zz", "cc", "dd", "aa"]
    assert [node.id for node in chain_nodes(chains.connection, "bb")] == ["bb", "zz", "cc", "aa"]


ids = st.sampled_from([f"{n:x}{m:x}" for n in range(10, 14) for m in range(10, 13)])
trees = st.lists(
    st.tuples(
        ids,
        st.none() | ids,
        st.sampled_from([None, "summary", "fork", "agent", "clear"]),
        st.booleans(),
        st.integers(1, 3),
    ),
    max_size=10,
    unique_by=lambda node: node[0],
)


@given(trees)
def test_random_trees_with_lost_parents_and_cycles_never_hang(
    tree: Sequence[tuple[str, str | None, str | None, bool, int]],
) -> None:
    chains = Chains()
    said = set[str]()
    for id, parent, relation, speaks, used in tree:
        chains.node(id, parent=parent, relation=relation, chain=f"c{used}")
        if speaks:
            chains.say(id, user(f"u{id}"))
            if relation != "agent":
                said.add(f"c{used}")
    found = newest_node(chains.connection, "/p")
    assert (found is None) == (not said)
    if found is not None:
        assert found.relation != "agent"
        assert found.chain in said
    for id, *_ in tree:
        assert find_node(chains.connection, id).id == id
