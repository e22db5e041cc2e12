"""Which texts may stand for messages (FACTS 6, "Summary quality gates")."""

import pytest

from app.compaction.instruction import Brief, for_record, headings, in_session, repair
from app.compaction.summary_check import check_summary, cleaned
from app.text import LANGUAGES, Language, Words
from tests.compaction.summarizing import good

LINES = headings(Words("en")).split("\n")


def of(*lines: str) -> str:
    return "\n".join(lines)


FILLED = of(*(f"{line}\n- a" for line in LINES))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (FILLED, None),
        (good(language="zh"), None),
        ("", "empty"),
        (" \r\n\t", "empty"),
        (of(*LINES), "bare"),
        (of(*(f"{line}\n- none\n\n--" for line in LINES)), "bare"),
        (of(*(f"{line}\n- 无" for line in LINES)), "bare"),
        ("Only words", "headings"),
        (of(*(f"{line}\n- a" for line in reversed(LINES))), "headings"),
        (of(*(f"{line}\n- a" for line in LINES[:3])), "headings"),
        (FILLED + "\n" + FILLED, "headings"),
        (FILLED + "\n" + LINES[0], "headings"),
        (FILLED.replace("\n", " \t\r\n"), None),
        (FILLED.replace("\n", "\r"), None),
        ("  " + FILLED.replace("\n", "\n  "), None),
        (f"Here it is:\n{FILLED}\nThat is all.", None),
        (FILLED.replace("- a", "### more\n- a", 1), None),
        (FILLED.replace(LINES[0], LINES[0] + " and more"), "headings"),
        (FILLED.replace(LINES[0], "So " + LINES[0]), "headings"),
        (FILLED.replace(LINES[0], LINES[0][3:]), "headings"),
        (FILLED.replace("## ", "# ").upper(), None),
        (FILLED.replace("## ", "### 1. "), None),
        (FILLED.replace(LINES[0], f"**{LINES[0][3:]}:**"), None),
        (f"```markdown\n{FILLED}\n```", "headings"),
        (f"~~~\n{FILLED}", "headings"),
        (FILLED.replace(LINES[3], f"```\n{LINES[3]}\n```"), "headings"),
        (FILLED.replace("- a", f"- a\n```\n{LINES[2]}\n```", 1), None),
        (FILLED.replace("- a", f"- a\n````\n```\n{LINES[2]}\n````", 1), None),
        (FILLED.replace("- a", "- a `` ```x``` b", 1), None),
        (FILLED.replace("- a", "- {port} %s %d {{}} {0} 100%"), None),
    ],
)
def test_faults(text: str, fault: str | None) -> None:
    assert check_summary(text, limit=8_000) == fault


def test_mixed_languages_pass() -> None:
    chinese = headings(Words("zh")).split("\n")
    assert check_summary(of(LINES[0], "- a", chinese[1], LINES[2], chinese[3]), limit=8_000) is None


@pytest.mark.parametrize(("more", "fault"), [(0, None), (1, "too_long")])
def test_the_limit_is_in_characters_of_what_is_kept(more: int, fault: str | None) -> None:
    text = FILLED + "b" * (8_000 - len(FILLED) + more)
    assert len(cleaned(text)) == 8_000 + more
    assert check_summary(f"\n\n{text}  \r\n", limit=8_000) == fault


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_instruction_has_the_headings_once_and_no_blank_left(language: Language) -> None:
    words = Words(language)
    brief = Brief(8_000, focus="ports {x} %s\n second line", in_turn=True)
    told = (
        in_session(words, brief),
        for_record(words, brief, "@@abc123"),
        for_record(words, brief, "@@abc123", merge=True),
    )
    for text in told:
        assert text.count(headings(words)) == 1
        assert text.count("{") == 1  # the user's own
        assert "ports {x} %s second line" in text
        assert "8000" in text
        assert "6000" in text
    assert headings(words) in repair(words, brief, "headings")
    assert "9001" in repair(words, brief, "too_long", characters=9_001)


def test_both_languages_say_as_much() -> None:
    """The same lists, line by line: what one model is told, the other is."""
    english, chinese = (
        in_session(Words(language), Brief(8_000)).split("\n") for language in ("en", "zh")
    )
    assert [line[:2] for line in english] == [
        line[:2] if line[:1] in {"#", "-", " "} else english[place][:2]
        for place, line in enumerate(chinese)
    ]
