"""Memories as lines of a run without a screen, in both languages."""

import pytest

from app.events import (
    FactConflict,
    FactDuplicate,
    FactReplaced,
    FactSaved,
    InjectedFact,
    MemoryInjected,
)
from app.text import Words
from app.view.plain_lines import Remembered, memory_line

FACTS = tuple(
    InjectedFact(id=f"f{n}", content="x", scope="project", state="fresh") for n in range(3)
)


@pytest.mark.parametrize(
    ("event", "english", "chinese"),
    [
        (MemoryInjected(message="m"), "", ""),
        (
            MemoryInjected(message="m", facts=FACTS, tokens=412),
            "◆  3 memories recalled, 412 tokens",
            "◆  想起 3 条记忆，412 tokens",
        ),
        (
            MemoryInjected(message="m", facts=FACTS[:1], tokens=40),
            "◆  1 memory recalled, 40 tokens",
            "◆  想起 1 条记忆，40 tokens",
        ),
        (
            MemoryInjected(message="m", facts=FACTS[:1], tokens=40, corrected=2),
            "◆  1 memory recalled, 40 tokens\n◆  2 memories corrected",
            "◆  想起 1 条记忆，40 tokens\n◆  更正 2 条记忆",
        ),
        (
            MemoryInjected(message="m", corrected=1),
            "◆  1 memory corrected",
            "◆  更正 1 条记忆",
        ),
        (
            FactSaved(id="f", content="Java\n 21", scope="project"),
            "◆  remembered for this project: Java 21",
            "◆  已为本项目记住：Java 21",
        ),
        (
            FactSaved(id="f", content="tabs", scope="global"),
            "◆  remembered for all projects: tabs",
            "◆  已为所有项目记住：tabs",
        ),
        (
            FactDuplicate(id="f", content="tabs", scope="global"),
            "◆  known already: tabs",
            "◆  早已记住：tabs",
        ),
        (
            FactReplaced(id="f", content="Java 21", scope="project", old=("g",)),
            "◆  memory replaced: Java 21",
            "◆  记忆已替换：Java 21",
        ),
        (
            FactConflict(incoming="Java 21", existing=("g",)),
            "≠  contradicts a memory and waits for your decision (haima memory inbox): Java 21",
            "≠  与一条记忆冲突，等你决定（haima memory inbox）：Java 21",
        ),
    ],
)
def test_a_line(event: Remembered, english: str, chinese: str) -> None:
    assert memory_line(event, Words("en")) == english
    assert memory_line(event, Words("zh")) == chinese


def test_a_long_fact_is_cut() -> None:
    line = memory_line(FactSaved(id="f", content="x" * 500, scope="project"), Words("en"))
    assert line.endswith("…")
    assert len(line) < 150
