"""Chains as trees: who stands under whom, and the lines between them."""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.archive.nodes import Relation
from app.archive.sessions import NodeRecord
from app.cli.tree import chains, tree
from tests.cli.nodes import CHAIN, ROOT, ago, node


def drawn(chain: tuple[NodeRecord, ...], *, ascii_only: bool = False) -> list[str]:
    return [branch.lines + branch.node.id[:4] for branch in tree(chain, ascii_only=ascii_only)]


def test_summaries_go_down_and_forks_go_in() -> None:
    assert drawn(CHAIN) == [
        "7f3a",
        "├─ 6b91",
        "│  ├─ 8e10",
        "│  └─ 8e11",
        "└─ c41d",
    ]
    assert drawn(CHAIN, ascii_only=True)[1:4] == ["|- 6b91", "|  |- 8e10", "|  `- 8e11"]


def test_an_expansion_goes_down_as_a_summary_does() -> None:
    back = node("e0000000aaaa", "c41d0000aaaa", "expand", created=50)
    assert drawn((*CHAIN, back))[-2:] == ["├─ c41d", "└─ e000"]


def test_what_was_undone_goes_in_and_what_goes_on_goes_down() -> None:
    undone = replace(node("0d000000aaaa", ROOT.id, "summary", created=90), undone=ago(85))
    assert drawn((*CHAIN, undone)) == [
        "7f3a",
        "├─ 0d00",
        "├─ 6b91",
        "│  ├─ 8e10",
        "│  └─ 8e11",
        "└─ c41d",
    ]
    again = replace(node("0d000000aaaa", "6b910000aaaa", "summary", created=78), undone=ago(75))
    assert drawn((*CHAIN, again))[1:] == [
        "├─ 6b91",
        "│  ├─ 0d00",
        "│  ├─ 8e10",
        "│  └─ 8e11",
        "└─ c41d",
    ]


def test_fifty_summaries_stay_in_their_column() -> None:
    ids = [f"{number:012x}" for number in range(51)]
    chain = [node(ids[0], created=200, chain=ids[0])]
    for number in range(1, 51):
        made = 200 - number
        chain.append(node(ids[number], ids[number - 1], "summary", created=made, chain=ids[0]))
    branches = list(tree(chain))
    assert [branch.node.id for branch in branches] == ids
    assert {branch.lines for branch in branches[1:]} == {"├─ ", "└─ "}


def test_forks_of_forks_end_somewhere() -> None:
    ids = [f"{number:012x}" for number in range(2_000)]
    chain = [node(ids[0], chain=ids[0])]
    chain += [node(ids[n], ids[n - 1], "fork", created=90, chain=ids[0]) for n in range(1, 2_000)]
    assert max(len(branch.lines) for branch in tree(chain)) < 30


def test_a_lost_parent_and_a_circle_lose_nobody() -> None:
    lost = node("aaaa00000000", "gone00000000", "summary")
    own = node("bbbb00000000", "bbbb00000000", "fork")
    assert set(drawn((lost, own))) == {"aaaa", "bbbb"}


def test_sessions_that_follow_each_other_in_a_ring_are_shown_once() -> None:
    first, last = (
        node("aa00aaaaaaaa", "bb00aaaaaaaa", "summary", created=90),
        node("bb00aaaaaaaa", "aa00aaaaaaaa", "summary", created=80),
    )
    assert drawn((first, last)) == ["aa00", "└─ bb00"]


@given(st.integers(0, 2**32), st.integers(1, 30))
def test_every_session_is_shown_once_below_its_parent(seed: int, count: int) -> None:
    chance = random.Random(seed)
    ids = [f"{chance.getrandbits(48):012x}" for _ in range(count)]
    chain = [node(ids[0])]
    for number in range(1, count):
        parent = chance.choice(ids[:number])
        relation: Relation = "summary" if chance.random() < 0.5 else "fork"
        chain.append(node(ids[number], parent, relation, created=100 - number))
    chance.shuffle(chain)
    branches = list(tree(chain))
    order = [branch.node.id for branch in branches]
    assert sorted(order) == sorted(ids)
    for branch in branches:
        if branch.node.parent is not None:
            assert order.index(branch.node.parent) < order.index(branch.node.id)
    assert branches[-1].lines == "" or branches[-1].lines.endswith("└─ ")


def test_chains_used_last_come_first() -> None:
    old = node("0000aaaa0000", chain="0000aaaa0000", used=500)
    new = node("1111aaaa0000", chain="1111aaaa0000", used=1)
    assert [chain[0].chain for chain in chains((old, *CHAIN, new))] == [
        "1111aaaa0000",
        "7f3a9c01d2e4",
        "0000aaaa0000",
    ]
