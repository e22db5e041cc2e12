"""Ranking of candidates."""

import pytest

from widgets.fuzzy import best, score

FILES = [
    "src/main/java/OrderCodec.java",
    "src/test/java/OrderCodecTest.java",
    "docs/codec.md",
    "pom.xml",
    "src/order/__init__.py",
]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("pom", "pom.xml"),
        ("codec", "docs/codec.md"),
        ("ordercodec", "src/main/java/OrderCodec.java"),
        ("oct", "src/test/java/OrderCodecTest.java"),
        ("order/", "src/order/__init__.py"),
    ],
)
def test_what_was_meant_comes_first(query: str, first: str) -> None:
    assert best(query, FILES, 3)[0] == first


def test_letters_out_of_order_do_not_fit() -> None:
    assert score("lmx", "pom.xml") is None
    assert best("zzz", FILES, 3) == []


def test_without_a_query_the_short_ones_come_first() -> None:
    assert best("", FILES, 2) == ["pom.xml", "docs/codec.md"]


def test_case_is_ignored() -> None:
    assert score("POM", "pom.xml") == score("pom", "pom.xml")
