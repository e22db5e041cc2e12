"""Code keeps its text, gains few colours, and is never refused."""

import pytest

from widgets.code_lines import MOST_CHARACTERS, code_lines
from widgets.palette import DARK
from widgets.spans import Span

JAVA = 'class Order {\n\n  // note\n  String name = "x";\n}'


def words(lines: list[list[Span]]) -> str:
    return "\n".join("".join(text for text, _ in line) for line in lines)


@pytest.mark.parametrize("language", ["java", "py", "diff", "no-such-language", ""])
@pytest.mark.parametrize("code", [JAVA, "", "\n", "a\n\n", "\n\nx", "中文 = 1"])
def test_not_a_character_is_lost(language: str, code: str) -> None:
    assert words(code_lines(code, language, DARK, "surface")) == code


def test_keywords_and_strings_have_the_code_colour_and_comments_are_quiet() -> None:
    spans = [span for line in code_lines(JAVA, "Java", DARK, "surface") for span in line]
    styles = {text.strip(): style for text, style in spans}
    assert styles["class"] == DARK.style("code", "surface", bold=True)
    assert styles["// note"] == DARK.style("text3", "surface")
    assert styles["String name ="] == DARK.style("text", "surface")


def test_added_and_removed_lines_of_a_diff() -> None:
    first, second = code_lines("-old\n+new", "diff", DARK, "surface")
    assert first[0] == ("-old", DARK.style("danger", "surface"))
    assert second[0] == ("+new", DARK.style("ok", "surface"))


def test_very_long_code_stays_plain() -> None:
    lines = code_lines("x = 1\n" * (MOST_CHARACTERS // 5), "py", DARK, "surface")
    assert {style for line in lines for _, style in line} == {DARK.style("text", "surface")}
