"""The canonical form (FACTS 1.10): what is one fact, and what must never be merged."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.memory.canonical import canonical, is_duplicate, is_same_form, without_numbers

ODD = st.text(alphabet="aAbB 0１19.,'’!-+#的是İßﬁǅ́é👍\ufe0f\u200bمक्ष한")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ｊａｖａ　１７。", "java17."),
        ("Use  Tabs", "use tabs."),
        ("项目使用的是 Java 17 来构建", "项目使用 Java 17 来构建"),
        ("The user's name", "the user’s name"),
        ("“中文”注释", "中文注释"),
        ("thumbs up 👍", "thumbs up 👍\ufe0f"),
        ("Cafe\u0301", "Café"),
    ],
)
def test_one_fact(one: str, other: str) -> None:
    assert is_duplicate(one, other)
    assert is_duplicate(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Java 17", "Java 21"),
        ("Use C", "Use C++"),
        ("Use C", "Use C#"),
        ("注释用中文", "注释用繁体中文"),
        ("允许直接推送", "不允许直接推送"),
        ("Reviews end with 👍", "Reviews end with 👎"),
        ("version 1.1", "version 1.10"),
        ("ports 80, 81", "ports 8081"),
        ("版本 3.11", "版本 3 11"),
        ("-v prints more", "v prints more"),
        ("价格 5€", "价格 5$"),
        ("कि", "की"),
        ("是的", "是"),  # shorter than 8: particles count
        ("a项目用的是的是的是", "a项目用"),  # under 82 %
        ("项目的目的地是北京城", "项目的目的在北京城"),
    ],
)
def test_two_facts(one: str, other: str) -> None:
    assert not is_duplicate(one, other)
    assert not is_duplicate(other, one)


def test_the_bounds_of_a_particle_variant() -> None:
    """Eight code points, and 82 % of the longer one."""
    assert is_same_form("a" * 8, "a" * 8 + "的")
    assert not is_same_form("a" * 7, "a" * 7 + "的")
    assert is_same_form("a" * 41, "a" * 41 + "的" * 9)  # 0.82 exactly
    assert not is_same_form("a" * 40, "a" * 40 + "的" * 9)


def test_texts_without_content_equal_only_themselves() -> None:
    assert canonical("？，…") == canonical("。") == ""
    assert not is_duplicate("，，", "。")
    assert is_duplicate("，，", " ，，")
    assert not is_same_form("", "")


def test_numbers_are_one_sign() -> None:
    assert without_numbers("Java 1.10.2") == without_numbers("java 21") != without_numbers("java")


@settings(max_examples=60)
@given(ODD | st.text())
def test_applied_twice_it_changes_nothing(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)


@given(ODD, ODD)
def test_symmetric_and_reflexive(one: str, other: str) -> None:
    assert is_duplicate(one, other) == is_duplicate(other, one)
    assert is_duplicate(one, one)
    assert is_duplicate(one, canonical(one)) or not canonical(one)
