"""Where two facts differ."""

from collections.abc import Callable

import pytest

from app.view.conflict import Stretch, difference
from tests.growth import growth


def words(text: str, stretches: tuple[Stretch, ...]) -> list[str]:
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("existing", "incoming", "old", "new"),
    [
        ("builds on Java 17 (Temurin)", "builds on Java 21 (Temurin)", ["17"], ["21"]),
        ("服务用 Java 17 构建", "服务用 Java 21 构建", ["17"], ["21"]),
        ("缩进使用空格", "缩进使用制表符", ["空格"], ["制表符"]),
        ("eclipse-temurin:17-jre", "eclipse-temurin:21-jre", ["17"], ["21"]),
        ("Gradle 1.20.3 here", "Gradle 1.21.3 here", ["1.20.3"], ["1.21.3"]),
        ("we ship at 10:30", "we ship at 10:45", ["10:30"], ["10:45"]),
        ("out on Friday evening", "out on Monday morning", ["Friday evening"], ["Monday morning"]),
        ("Tests never use mocks", "Tests use mocks", ["never"], []),
        ("written in C++ only", "written in C only", ["C++"], ["C"]),
        ("first line\nport 80", "first line\nport 443", ["80"], ["443"]),
        ("the cafe\u0301 is open", "the cafe is open", ["cafe\u0301"], ["cafe"]),
        ("same text", "same text", [], []),
        ("same text", "same  text", [], []),
        ("", "Java", [], []),
    ],
)  # fmt: skip
def test_the_words_that_only_one_has(
    existing: str, incoming: str, old: list[str], new: list[str]
) -> None:
    found = difference(existing, incoming)
    assert words(existing, found.existing) == old
    assert words(incoming, found.incoming) == new


def test_where_hardly_anything_is_shared_only_figures_are_marked() -> None:
    english, chinese = "Service builds on Java 17", "服务用 Java 21 构建"
    found = difference(english, chinese)
    assert words(english, found.existing) == ["17"]
    assert words(chinese, found.incoming) == ["21"]
    assert difference("We deploy with Helm", "发布脚本归运维管") == difference("a", "a")


def test_stretches_are_in_order_and_never_begin_or_end_in_spaces() -> None:
    old, new = "a  b c d e f g h", "a  x y d e z g h"
    found = difference(old, new)
    assert words(old, found.existing) == ["b c", "f"]
    assert words(new, found.incoming) == ["x y", "z"]


def test_long_texts_do_not_keep_a_key_waiting() -> None:
    def compared(length: int) -> Callable[[], object]:
        old = " ".join(f"w{n % 7}" for n in range(length))
        new = " ".join(f"w{n % 5} v{n}" for n in range(length))
        return lambda: difference(old, new)

    # Three times the size: word by word it costs 26 times as much, and no end is seen at thirty.
    assert growth(compared, 100, 300, repeats=5, enough=10) < 10
