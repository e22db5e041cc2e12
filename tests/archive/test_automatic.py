"""When the summaries of a chain began by themselves."""

from dataclasses import replace
from datetime import UTC, datetime

from app.archive.automatic import automatic_summaries
from app.conversation.summary_mark import SummaryMark
from tests.archive.chains import Chains, user

MARK = SummaryMark(messages=3, tokens=20, tokens_before=900, tokens_after=300)


def chain_of(*marks: SummaryMark | None) -> Chains:
    """A chain, one child after the other; the first row stands a minute after midnight."""
    chains = Chains()
    chains.node("n0", made=[user("u0")])
    for number, mark in enumerate(marks, 1):
        chains.node(f"n{number}", parent=f"n{number - 1}", relation="summary", summary=mark)
    return chains


def asked(chains: Chains, most: int = 12) -> list[datetime]:
    return list(automatic_summaries(chains.connection, "n0", most))


def times(chains: Chains, *nodes: str) -> list[datetime]:
    found = dict(chains.connection.execute("SELECT id, created FROM nodes"))
    return [datetime.fromisoformat(found[node]) for node in nodes]


def test_the_newest_of_the_chain_the_oldest_first() -> None:
    chains = chain_of(*[MARK] * 4)
    chains.node("m0", made=[user("v0")])
    chains.node("m1", parent="m0", relation="summary", summary=MARK)
    chains.node("f", parent="n2", relation="fork", fork_at="u0")
    assert asked(chains) == times(chains, "n1", "n2", "n3", "n4")
    assert asked(chains, 2) == times(chains, "n3", "n4")
    assert all(one.tzinfo is not None for one in asked(chains))


def test_what_was_undone_counts_and_a_cut_does_not() -> None:
    chains = chain_of(MARK, replace(MARK, how="cut"), MARK)
    chains.sql("UPDATE nodes SET undone = created WHERE id = 'n3'")
    assert asked(chains) == times(chains, "n1", "n3")


def test_one_that_the_user_asked_for_begins_the_count_anew() -> None:
    chains = chain_of(MARK, replace(MARK, by_hand=True), MARK)
    assert asked(chains) == times(chains, "n3")


def test_a_time_that_cannot_be_read_is_left_out_and_one_without_a_zone_is_utc() -> None:
    chains = chain_of(MARK, None, MARK)
    chains.sql("UPDATE nodes SET created = '' WHERE id = 'n1'")
    chains.sql("UPDATE nodes SET created = '2026-01-01T08:00:00' WHERE id = 'n2'")
    found = asked(chains)
    assert len(found) == 2
    assert datetime(2026, 1, 1, 8, tzinfo=UTC) in found
