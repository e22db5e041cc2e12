"""The detail of a fact, drawn: what changed is never cut off."""

from dataclasses import replace
from datetime import timedelta

import pytest

from app.text import Words
from app.view.facts_record import FactDetail, FactItem, Happened, Source, Waiting
from tests.view.some_sessions import NOW
from widgets.fact_detail_lines import detail_lines
from widgets.glyphs import UNICODE
from widgets.ink import Ink
from widgets.palette import DARK
from widgets.pen import Pen

PENS = {language: Pen(Ink(DARK, UNICODE, Words(language))) for language in ("en", "zh")}
LONG = "Everything that this service does, in every module and on every machine, "


def drawn(detail: FactDetail, language: str, width: int = 38) -> list[str]:
    pen = PENS[language]
    return [row.line.text.rstrip() for row in detail_lines(detail, width, NOW, pen)]


def replaced(before: str, after: str) -> FactDetail:
    item = FactItem(id="f", content=after, state="fresh")
    at = NOW - timedelta(days=1)
    return FactDetail(item, history=(Happened(at, "replaced", before=before, after=after),))


@pytest.mark.parametrize("width", [38, 50, 76])
@pytest.mark.parametrize("language", PENS)
@pytest.mark.parametrize("text", ["myapp 的 JDK 版本是 {}", f"{LONG}builds on Java {{}}"])
def test_what_was_replaced_shows_what_differs(text: str, language: str, width: int) -> None:
    rows = drawn(replaced(text.format("17"), text.format("21")), language, width)
    said = rows[rows.index("History" if language == "en" else "变更历史") + 1 :]
    assert len(said) <= 3 and any("17" in row for row in said)
    assert said[0].startswith("→") and all(row.startswith(" " * 10) for row in said[1:])


@pytest.mark.parametrize(
    ("existing", "incoming", "said"),
    [
        ("Service builds on Java 17", "Service builds on Java 21", "Java 21"),
        ("Gateway timeout is 3 s", "Gateway timeout is 9 s", "timeout is 9"),
        ("网关超时 3 秒", "网关超时 9 秒", "网关超时 9"),
        ("17", "21", "21"),
    ],
)
def test_a_conflict_is_told_with_the_word_it_is_about(
    existing: str, incoming: str, said: str
) -> None:
    item = FactItem(id="f", content=existing, state="conflicting")
    waiting = (Waiting("w", incoming, "you", NOW),)
    rows = drawn(FactDetail(replace(item, waits=waiting), history=()), "en", 60)
    assert rows[-1].endswith(f"conflict: incoming {said}")


@pytest.mark.parametrize(
    ("source", "en", "zh"),
    [
        ("you", "written by you", "由你写入"),
        ("import", "imported", "导入"),
        ("extraction", "extracted from the conversation", "从对话自动提取"),
    ],
)
def test_who_wrote_it_is_said_in_plain_words(source: Source, en: str, zh: str) -> None:
    item = FactItem(id="f", content="x", state="fresh", source=source)
    detail = FactDetail(item, history=(Happened(NOW, "written", source),))
    assert drawn(detail, "en", 60)[-1].endswith(f"  {en}")
    assert drawn(detail, "zh", 60)[-1].endswith(f"  {zh}")


def test_where_it_comes_from_and_when_stay_on_one_row() -> None:
    item = FactItem(id="f", content="x", state="fresh", source="model", written=NOW)
    narrow, wide = drawn(FactDetail(item), "en"), drawn(FactDetail(item), "en", 50)
    (row,) = (row for row in narrow if row.startswith("Source"))
    assert row.startswith("Source    on request  20") and len(row) == 38
    assert any(row.startswith("Source    model on request  20") for row in wide)
