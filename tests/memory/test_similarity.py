"""Conflicts, by rule and in both languages; questions; and what the rules must leave alone."""

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.memory.canonical import is_duplicate
from app.memory.claim_related import related_words
from app.memory.similarity import (
    COMPARED,
    Similar,
    compare,
    conflict_of,
    dice,
    find_similar,
    question_of,
)
from app.memory.slots import Cut, Words, characters, jieba_words
from tests.growth import GENEROUS, growth, on_texts
from tests.memory import pairs

RULES = {
    "values": (pairs.VALUES, pairs.NOT_VALUES),
    "negation": (pairs.NEGATION, pairs.NOT_NEGATION),
    "antonym": (pairs.ANTONYM, pairs.NOT_ANTONYM),
    "instead": (pairs.INSTEAD, pairs.NOT_INSTEAD),
    "slot": (pairs.SLOT, pairs.NOT_SLOT),
}
FOUND = [(rule, *pair) for rule, (found, _) in RULES.items() for pair in found]
LEFT = [pair for _, left in RULES.values() for pair in left] + list(pairs.BOTH_HOLD)


def in_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)


@pytest.mark.parametrize(("rule", "one", "other"), FOUND)
def test_a_conflict_is_found_by_its_rule_either_way_round(rule: str, one: str, other: str) -> None:
    assert conflict_of(one, other) == conflict_of(other, one) == rule


@pytest.mark.parametrize(("one", "other"), LEFT)
def test_what_may_both_hold_is_no_conflict(one: str, other: str) -> None:
    assert conflict_of(one, other) is None
    assert conflict_of(other, one) is None


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_has_cases_of_both_kinds_in_both_languages(rule: str) -> None:
    for cases in RULES[rule]:
        languages = {in_chinese(one + other) for one, other in cases}
        assert languages == {True, False}


def test_a_chinese_conflict_found_with_jieba_and_missed_without() -> None:
    """The 用 of 用户名 is no verb, which only a dictionary knows."""
    one, other = "用户名是 admin", "用户名是 root"
    assert conflict_of(one, other, jieba_words) == "slot"
    assert conflict_of(one, other, characters) is None


def test_a_false_conflict_without_jieba() -> None:
    """The 别 of 别名 forbids nothing."""
    one, other = "变量别名是 foo", "变量名是 foo"
    assert conflict_of(one, other, jieba_words) is None
    assert conflict_of(one, other, characters) == "negation"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("порт 8080 сервера", "порт 9090 отладчика"),
        ("サーバーのポートは8080", "デバッガのポートは9229"),
        ("Ölwechsel 3", "Übertrag 4"),
    ],
)
def test_other_scripts_have_words_too(one: str, other: str) -> None:
    assert conflict_of(one, other) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("File a1.py uses lib1", "File a2.py uses lib2"),
        ("a1.py uses lib", "a2.py uses lib"),
        ("Server web1 listens on port 80", "Server web2 listens on port 81"),
        ("Module 3 uses port 8081", "Module 4 uses port 8082"),
        ("src/m1.py handles orders", "src/m2.py handles orders"),
        ("文件 a1.py 使用 lib1", "文件 a2.py 使用 lib2"),
        ("服务1的端口是 8081", "服务2的端口是 8082"),
    ],
)
def test_subjects_with_other_numbers_are_other_subjects(one: str, other: str) -> None:
    assert conflict_of(one, other) is None
    assert conflict_of(other, one) is None
    assert question_of(one, other) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a1.py uses lib1", "a1.py uses lib2"),
        ("db1 is the primary", "db2 is the primary"),
        ("We use log4j1", "We use log4j2"),
        ("java8 uses 4 GB", "java17 uses 8 GB"),
        ("We need 4 cores and 8 GB", "We need 8 cores and 16 GB"),
        ("The limit 3 is used for 5 workers", "The limit 4 is used for 6 workers"),
        ("项目用 JDK 17", "项目用 JDK 21"),
    ],
)
def test_the_number_that_is_said_is_no_subject(one: str, other: str) -> None:
    assert conflict_of(one, other) == "values"


def test_equal_but_for_numbers_is_a_conflict_in_any_script() -> None:
    assert conflict_of("порт сервера 8080", "порт сервера 9090") == "values"


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("same", "The linter of the backend is ruff", "The linter of our backend: always ruff"),
        ("same", "后端接口的文档在 wiki", "后端接口文档都在 wiki 里"),
        (
            "near",
            "Run the whole test suite before a push",
            "Run the whole test suite before merges",
        ),
        ("near", "发布前要更新变更日志和版本号", "发布前要更新变更日志和文档"),
        (None, "The backend is in Go", "Reviews take two people"),
        (None, "后端在 server 目录", "评审要两个人"),
        (None, "a before b before c", "c before b before a"),
        (None, "Reviews end with 👍", "Reviews start 👎"),
        (None, "Java 17", "java17。"),
        (None, "项目用 Java 17", "项目用 Java 21"),
    ],
)
def test_questions_are_no_conflicts(kind: str | None, one: str, other: str) -> None:
    assert question_of(one, other) == question_of(other, one) == kind
    if kind:
        assert conflict_of(one, other) is None


def test_dice_counts_repeats() -> None:
    assert dice("abab", "ab") == 0.5
    assert dice("a", "a") == 0.0
    assert dice("abcd", "abcd") == 1.0


async def test_candidates_are_compared_in_a_thread_and_only_the_first_for_conflicts() -> None:
    threads: set[int] = set()

    def reading() -> Cut:
        threads.add(threading.get_ident())
        return characters

    far = [f"fact {letter}" for letter in "abcdefghijklmnopqrst"]
    assert len(far) == COMPARED
    found = await find_similar("中 17", ["中 21", "中17。", *far, "中 25", "中 17"], Words(reading))
    assert found == (Similar(0, "values"), Similar(1, "duplicate"), Similar(23, "duplicate"))
    assert [one.is_conflict for one in found] == [True, False, False]
    assert threads.isdisjoint({threading.get_ident()})


def test_a_question_is_told_from_a_conflict() -> None:
    (one,) = compare("发布前要更新变更日志和版本号", ["发布前要更新变更日志和文档"])
    assert one == Similar(0, "near")
    assert one.is_question
    assert not one.is_conflict


def test_punctuation_alone_repeats_only_itself() -> None:
    assert compare("，", ["。", "，"]) == (Similar(1, "duplicate"),)


def test_words_to_find_a_conflict_that_shares_none() -> None:
    found = related_words("项目用 MySQL")
    assert {"postgresql", "数据库"} <= set(found)
    assert "java" in related_words("JDK 是 17")
    assert {"空格"} <= set(related_words("Indent with tabs"))
    assert "关闭" in related_words("默认开启缓存")
    assert related_words("完全不相干") == ()


@pytest.mark.parametrize(
    "piece",
    ["switch from ", "prefer over ", "从换", "1.", "不", "a@", "，不用", "replace with "],
)
def test_hostile_texts_cost_what_they_are_long(piece: str) -> None:
    """Whatever a pattern could be made to try."""
    compared = on_texts(
        lambda text: compare(text, [text + "x"], CHARACTERS),
        lambda length: piece * (length // len(piece)),
    )
    assert growth(compared, 100, 1_000) < GENEROUS
    assert growth(compared, 2_000, 20_000) < GENEROUS


CHARACTERS = Words(lambda: characters)

WORDS = (
    "项目 用 不 不要 Java 17 21 MySQL PostgreSQL 数据库 是 instead of not tabs spaces 而不是 从 "
    "换成 the server port 8080 我 同事 叫 在 上班 if 不 ， . : 👍 ß 的"
)
PIECES = st.lists(st.sampled_from(WORDS.split()), max_size=9)


@pytest.fixture(scope="module", autouse=True)
def read_dictionary() -> Iterator[None]:
    """Once, so that no property is measured with the reading in it."""
    jieba_words.load()
    yield


@settings(max_examples=150, deadline=None)
@given(PIECES.map(" ".join) | st.text(), PIECES.map("".join))
def test_symmetric_and_never_at_odds_with_itself(one: str, other: str) -> None:
    assert conflict_of(one, other) == conflict_of(other, one)
    assert question_of(one, other) == question_of(other, one)
    assert conflict_of(one, one) is None
    assert question_of(one, one) is None
    if is_duplicate(one, other):
        assert conflict_of(one, other) is None
    assert conflict_of(one, other) == conflict_of(one, other)
