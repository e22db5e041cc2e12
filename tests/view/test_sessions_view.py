"""Chains as trees: their order, letters, rails, days, and what folding does to the rows."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from app.view.sessions_view import (
    LEVELS,
    ChainRow,
    HeadRow,
    NodeRow,
    Row,
    SessionNode,
    SessionsModel,
    letter,
)
from tests.view.some_sessions import AUDIT, JAVA, NOW, SOME, at, node


def plain(model: SessionsModel) -> list[str]:
    """The rows in short: days, titles, letters with their ids; `+` is folded, a blank a gap."""
    said: list[str] = []
    for row in model.rows:
        said += [""] * getattr(row, "gap", 0)
        said.append(one(row))
    return said


def one(row: Row) -> str:
    match row:
        case HeadRow():
            return f"[{row.group}]"
        case ChainRow():
            return ("" if row.open else "+") + row.chain.title
        case NodeRow():
            return f"{len(row.rails)} {row.letter} {row.node.id[:4]}"


def test_days_chains_and_trees() -> None:
    assert plain(SessionsModel(reversed(SOME), NOW)) == [
        "[today]",
        "Upgrade to Java 21",
        "0 A 7f3a",
        "1 B 6b91",
        "2 C c41d",
        "2 D 8e10",
        "",
        "[yesterday]",
        "+搭建 CI",
        "",
        "[this_week]",
        "+Order timeout refactor",
        "",
        "[last_week]",
        "+Audit log filter",
        "",
        "[earlier]",
        "+Flyway baseline",
        "+",
    ]


def test_rails_tell_where_siblings_follow() -> None:
    children = [
        node(id, f"11-29 1{n}:00", "11-29 15:00", chain="a", parent=parent, relation="summary")
        for n, (id, parent) in enumerate([("b", "a"), ("c", "b"), ("d", "a"), ("e", "d")])
    ]
    model = SessionsModel([node("a", "11-29 09:00", "11-29 15:00"), *children], NOW)
    rails = {row.node.id[0]: row.rails for row in model.rows if isinstance(row, NodeRow)}
    assert rails == {
        "a": (),
        "b": (True,),
        "c": (True, False),
        "d": (False,),
        "e": (False, False),
    }


def test_agents_hide_and_a_node_whose_parent_is_gone_is_a_root() -> None:
    agent = node(
        "aaaa", "11-29 10:00", "11-29 17:44", chain="7f3a", parent="7f3a", relation="agent"
    )
    model = SessionsModel([*JAVA[1:], agent], NOW)
    assert plain(model)[1:] == ["", "0 A 6b91", "1 B c41d", "1 C 8e10"]
    assert model.chains[0].newest.id.startswith("c41d")


def test_parents_in_a_circle_hide_no_session() -> None:
    circle = [
        node("b", "11-29 10:00", "11-29 11:00", chain="a", parent="c", relation="summary"),
        node("c", "11-29 10:00", "11-29 11:00", chain="a", parent="b", relation="summary"),
    ]
    chain = SessionsModel(circle, NOW).chains[0]
    assert len(chain.nodes) == 2 and chain.title_of(circle[0]) == ""


def test_a_hundred_summaries_stay_on_the_screen() -> None:
    nodes: list[SessionNode] = [node("000", "11-29 08:00", "11-29 08:00")]
    for number in range(1, 3_000):
        nodes.append(
            replace(
                nodes[0],
                id=f"{number:012d}",
                chain=nodes[0].chain,
                parent=nodes[-1].id,
                relation="summary",
                created=at("11-29 08:00") + timedelta(seconds=number),
            )
        )
    rows = [row for row in SessionsModel(nodes, NOW).rows if isinstance(row, NodeRow)]
    assert [row.node.id for row in rows] == [one.id for one in nodes]
    assert max(len(row.rails) for row in rows) == LEVELS


def test_letters() -> None:
    assert [letter(n) for n in (0, 25, 26, 51, 52, 701, 702)] == [
        "A",
        "Z",
        "AA",
        "AZ",
        "BA",
        "ZZ",
        "AAA",
    ]


def test_days_are_the_users() -> None:
    """18:30 in London the day before is past midnight here."""
    model = SessionsModel([], NOW)
    assert model.group(at("11-29 00:30")) == "today"
    assert model.group(at("11-28 23:59")) == "yesterday"
    assert model.group(at("11-23 00:00")) == "this_week"
    assert model.group(at("11-22 23:00")) == "last_week"
    assert model.group(at("11-16 00:00")) == "last_week"
    assert model.group(at("11-15 23:00")) == "earlier"
    assert model.group(at("12-01 09:00")) == "today"  # a clock that was wrong


def test_what_a_row_stands_for() -> None:
    model = SessionsModel(SOME, NOW)
    assert model.node(0) is None and model.node(99) is None
    assert model.node(1) == JAVA[2]  # the chain: its newest
    assert model.node(3) == JAVA[1]
    audit = model.find(AUDIT[0].id)
    assert audit is not None and model.node(audit) == AUDIT[1]
    assert model.find("nothing") is None


def test_titles_belong_to_roots_and_forks() -> None:
    chain = SessionsModel(JAVA, NOW).chains[0]
    assert chain.titled(JAVA[2]) == JAVA[0]
    assert chain.titled(JAVA[3]) == JAVA[3]
    assert chain.title_of(JAVA[2]) == "Upgrade to Java 21"
    assert chain.title_of(JAVA[3]) == "try GraalVM"
    assert chain.title_of(replace(JAVA[3], title="")) == "Upgrade to Java 21"
    into, forked = chain.child(JAVA[1].id, "summary"), chain.child(JAVA[1].id, "fork")
    assert (into, forked) == (JAVA[2], JAVA[3])
    assert chain.child(JAVA[2].id, "summary") is None


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=12))
def test_folding_is_one_splice(steps: list[tuple[int, bool]]) -> None:
    """However it is folded, the rows are those of a model that began so."""
    model = SessionsModel(SOME, NOW)
    mirror = list(model.rows)
    for index, open in steps:
        changed = model.fold(index, open=open)
        if changed is not None:
            fresh = model.rows[changed.start : changed.start + changed.added]
            mirror[changed.start : changed.start + changed.removed] = fresh
            assert isinstance(model.rows[changed.start], ChainRow)
    assert mirror == model.rows
    again = SessionsModel(SOME, NOW)
    again.keep_open(model)
    assert plain(again) == plain(model)


def test_what_is_new_is_unfolded_as_in_the_beginning() -> None:
    old = SessionsModel(AUDIT, NOW)
    new = SessionsModel([*AUDIT, *JAVA], NOW)
    new.keep_open(old)
    assert plain(new)[1] == "Upgrade to Java 21" and plain(new)[-1] == "+Audit log filter"


def test_past_warn_by_the_windows_own_mark() -> None:
    assert JAVA[1].past_warn and not JAVA[2].past_warn
    assert not replace(JAVA[1], window=0).past_warn
    assert JAVA[1].window_label == "256k"
