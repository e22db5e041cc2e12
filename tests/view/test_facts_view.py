"""The memory browser's model: order, filter, rail, selection, where the cursor goes."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from app.view.facts_filter import only, parse_filter, toggled
from app.view.facts_record import SOURCES, STATES
from app.view.facts_view import FactsModel, RailRow
from tests.growth import GENEROUS, growth
from tests.view.some_facts import SOME, ago, fact, many, stale


def texts(model: FactsModel) -> list[str]:
    return [item.content for item in model.rows]


def rail_row(model: FactsModel, name: str) -> RailRow:
    (row,) = (row for row in model.rail() if row.name == name and row.can_choose)
    return row


def test_conflicting_first_then_contradicted_then_those_used_last() -> None:
    mixed = list(SOME)
    random.Random(1).shuffle(mixed)
    assert FactsModel(mixed).items == SOME
    unused = replace(fact(90, "never used", uses=0), verified=ago(0))
    assert FactsModel([unused, *SOME]).items == (*SOME, unused)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("is:stale", ["JDK on this laptop is Temurin 17"]),
        ("is:过时", ["JDK on this laptop is Temurin 17"]),
        ("IS：sta", ["JDK on this laptop is Temurin 17"]),
        ("is:pinned in:global", ["Reply in Chinese, code comments in English"]),
        ("temurin 17 is:contradicted", ["Dockerfile starts from eclipse-temurin:17"]),
        ("ＪＤＫ", ["JDK on this laptop is Temurin 17"]),
        ("by:imported", ["Squash-merge; subject ≤ 72 chars"]),
        ("by:extracted by:导入", [SOME[4].content, "Squash-merge; subject ≤ 72 chars"]),
        ("超时", [SOME[2].content]),
        ("fact-00000009", ["Use jakarta.*, never javax.*"]),
        ("is:nothing", []),
        ("nowhere", []),
    ],
)
def test_filter(query: str, wanted: list[str]) -> None:
    assert texts(FactsModel(SOME).under(query)) == wanted
    assert texts(FactsModel(SOME, query)) == wanted


def test_an_unknown_value_is_a_word() -> None:
    assert parse_filter("is:odd by:").words == ("is:odd", "by:")
    assert not parse_filter("  ")
    colon = fact(1, "the flag is:odd")
    assert texts(FactsModel([colon, *SOME], "is:odd")) == ["the flag is:odd"]


def test_each_group_of_the_rail_adds_up() -> None:
    model = FactsModel(SOME, "is:stale")
    rows = {(row.kind, row.name): row.count for row in model.rail()}
    assert sum(rows["state", one] for one in STATES) == len(SOME)
    assert sum(rows["source", one] for one in SOURCES) == len(SOME)
    assert rows["radio", "project"] + rows["radio", "global"] == rows["radio", "all"] == len(SOME)
    assert (rows["inbox", "inbox"], rows["pinned", "pinned"]) == (1, 2)


def test_the_rail_writes_the_filter() -> None:
    model = FactsModel(SOME, "java")
    for name, query in (
        ("stale", "java is:stale"),
        ("fresh", "java is:stale is:fresh"),
        ("project", "java is:stale is:fresh in:project"),
        ("global", "java is:stale is:fresh in:global"),
        ("extraction", "java is:stale is:fresh in:global by:extracted"),
        ("pinned", "java is:stale is:fresh in:global by:extracted is:pinned"),
        ("stale", "java is:fresh in:global by:extracted is:pinned"),
        ("all", "java is:fresh by:extracted is:pinned"),
    ):
        model = model.under(model.chosen(rail_row(model, name)))
        assert model.query == query
    assert rail_row(model, "fresh").on and rail_row(model, "all").on
    assert not rail_row(model, "stale").on


def test_a_value_typed_in_chinese_is_switched_off_too() -> None:
    assert toggled("is:过时 java", "is", "stale") == "java"
    assert only("in：全局 java", "in", "project") == "java in:project"


def test_marked_facts_are_meant_listed_or_not() -> None:
    model = FactsModel(SOME, "is:stale", [SOME[0].id, "gone"])
    assert [item.id for item in model.meant(0)] == [SOME[0].id]
    model.toggle(SOME[0].id)
    assert [item.content for item in model.meant(0)] == ["JDK on this laptop is Temurin 17"]
    model.toggle(SOME[3].id)
    model.toggle(SOME[1].id)
    assert model.under("").meant(0) == (SOME[1], SOME[3])
    assert FactsModel().meant(None) == ()


def test_the_cursor_stays_on_its_fact_or_goes_to_the_next() -> None:
    before = FactsModel(stale(5), "is:stale")
    second = before.rows[1]
    verified = [replace(item, state="fresh") if item == second else item for item in before.items]
    after = FactsModel(verified, "is:stale")
    assert after.row(after.place_after(before, 1)) == before.rows[2]
    assert after.row(after.place_after(before, 2)) == before.rows[2]
    last = FactsModel([item for item in before.items if item != before.rows[-1]], "is:stale")
    assert last.place_after(before, len(before.rows) - 1) == len(last.rows) - 1
    assert FactsModel().place_after(before, 1) is None
    assert before.place_after(FactsModel(), None) == 0


def test_what_waits_longest_comes_first() -> None:
    assert FactsModel(SOME).oldest_waiting == "wait-1"
    assert FactsModel(SOME[1:]).oldest_waiting == ""


def test_a_filter_costs_what_the_list_is_long() -> None:
    question = "module port is:stale"

    def filtered(facts: int) -> Callable[[], object]:
        model = FactsModel(many(facts))
        assert len(model.under(question).rows) == facts // 5
        return lambda: model.under(question)

    assert growth(filtered, 300, 3_000) < GENEROUS
