"""The rows of Work tab and Work view as lines: nothing is too wide, nothing is cut in silence."""

from dataclasses import replace

import pytest

from app.conversation.work import Done, Goal, Progress
from app.view.work_rows import left_rows, right_rows, tab_rows
from app.view.work_shown import NameShown
from tests.view.some_work import NOW, WORK
from tests.widgets.inks import EN, PLAIN, ZH
from widgets.ink import Ink
from widgets.look import Look
from widgets.paragraph import first_lines, lines_of, paragraph
from widgets.pen import Pen
from widgets.work_lines import Drawing, work_lines
from widgets.work_list import WorkSource

LONG = "把订单服务升级到 Java 21，并保持 all tests green。"
FULL = replace(
    WORK,
    goal=Goal(LONG * 40, "u1", 1),
    first=Goal("What was asked first\n" * 9, "u0", 1),
    untold_rules=frozenset({"r1"}),
    revoked=WORK.rules,
    names=tuple(NameShown("symbol", f"OrderCodec#part{n}") for n in range(40)),
    progress=Progress((LONG * 5, "b"), (Done(LONG, "mvn -q -DskipTests verify -pl order-core"),)),
    told_progress=Progress(("b",)),
)
ROWS = (*left_rows(FULL), *right_rows(FULL), *tab_rows(FULL, 40, goal_lines=2))


INKS = pytest.mark.parametrize("ink", [EN, ZH, PLAIN], ids=["en", "zh", "ascii"])


def pen_of(ink: Ink) -> Pen:
    return Pen(ink, "bg")


@INKS
@pytest.mark.parametrize("width", [30, 40, 51, 64, 76, 116])
def test_no_line_is_wider_than_the_column(ink: Ink, width: int) -> None:
    pen = pen_of(ink)
    for row in ROWS:
        for current in (False, True):
            lines = work_lines(row, Drawing(width, NOW, current=current, lit=True), pen)
            assert lines and max(line.cells for line in lines) <= width, row


@INKS
def test_what_is_cut_ends_with_an_ellipsis(ink: Ink) -> None:
    pen = pen_of(ink)
    for width in range(8, 60):
        lines = paragraph(LONG * 3, width, 2, "text", pen)
        assert lines[-1].text.endswith(pen.glyphs.ellipsis) and lines[-1].cells <= width
        assert lines_of(LONG * 3, width, 2) == len(lines) == 2
    assert [line.text for line in paragraph("a\n\n b", 9, 2, "text", pen)] == ["a", "b"]


def test_of_a_long_text_only_the_beginning_is_broken_into_lines() -> None:
    assert first_lines(LONG * 9_000, 40, 2) == first_lines(LONG * 9, 40, 2)
    assert len(first_lines("a\n" * 9_000, 40, 2)) == 3


@pytest.mark.parametrize("width", [30, 44, 51, 76])
def test_heights_are_right_before_anything_is_drawn(width: int) -> None:
    source = WorkSource(Look(), "bg", lambda: NOW)
    source.rows = ROWS
    drawn = [len(source.render(at, width, current=False).strips) for at in range(len(ROWS))]
    assert source.estimate(0, len(ROWS), width) == drawn


def test_the_whole_text_of_a_task_stands_there() -> None:
    row = next(row for row in ROWS if getattr(row, "text", "") == LONG * 5)
    lines = work_lines(row, Drawing(50, NOW), pen_of(EN))
    assert "".join(line.text.strip(" ●…") for line in lines[:-1]).replace(" ", "") in (
        (LONG * 5).replace(" ", "")
    )
