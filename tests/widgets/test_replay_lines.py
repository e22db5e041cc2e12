"""The replay's plots and numbers, drawn: widths, words, signs; what isn't known yet."""

from dataclasses import replace

import pytest

from app.view.replay_view import Figures, Pane, ReplayView
from tests.view.some_replays import SOME, A, B, short
from tests.widgets.inks import EN, PLAIN, ZH, colour_of, texts, widest
from widgets.ink import Ink
from widgets.pen import Pen
from widgets.replay_numbers import numbers
from widgets.replay_plots import plots

SIZES = [(75, 21), (79, 33), (109, 45), (59, 21), (180, 60)]
BOTH = pytest.mark.parametrize("ink", [EN, ZH, PLAIN], ids=["en", "zh", "ascii"])


def pen_of(ink: Ink, *, letters: bool = False) -> Pen:
    return Pen(ink, letters=letters or ink is PLAIN)


@BOTH
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "view",
    [
        SOME,
        short(1),
        short(3, 3),
        short(20_000, 9_999),
        replace(SOME, window=1_000_000),
        replace(SOME, a=replace(A, track=None, done=3), b=replace(B, track=None, failed=True)),
    ],
    ids=["some", "one", "three", "many", "large", "unplayed"],
)
def test_everything_fits(view: ReplayView, size: tuple[int, int], ink: Ink) -> None:
    drawn = plots(view, size, pen_of(ink), alone=True)
    assert len(drawn) <= size[1]
    assert widest(drawn) <= size[0]
    for width in (32, 42, 76):
        told = numbers(view, (width, size[1]), pen_of(ink))
        assert len(told) <= size[1]
        assert widest(told) <= width


def test_the_speed_takes_the_place_of_numbers_that_it_would_cut() -> None:
    view = replace(SOME, playing=True, speed=512)
    (axis,) = (line for line in texts(plots(view, (59, 33), pen_of(EN))) if "512/s" in line)
    assert "…" not in axis and axis.split()[0] == "0"
    still = replace(SOME, says_speed=True, speed=512)
    assert any(line.endswith("512/s") for line in texts(plots(still, (59, 33), pen_of(EN))))
    for width, there in ((32, False), (76, True)):
        told = texts(numbers(still, (width, 21), pen_of(EN)))
        assert ("512/s" in told[1]) == there and "…" not in told[1]


def test_the_rows_of_the_picture() -> None:
    """Mock 08 at 120 columns."""
    drawn = texts(plots(SOME, (79, 33), pen_of(EN)))
    assert drawn[0].startswith("A haima  offload, clear 12.0k, summarise 20.0k")
    assert drawn[0].endswith("9.2k 29%")
    assert drawn[1].startswith("32k ")
    assert drawn[5].endswith(" 4") and drawn[7].endswith(" 1")
    assert drawn[6].startswith("16k ")
    assert drawn[11].startswith("  0 ")
    assert "Σ" in drawn[12] and "⇲" in drawn[12] and "∅" in drawn[12]
    assert drawn[14].startswith("B summarise-80  summarise 80%")
    assert drawn[28].index("●") == 56
    assert drawn[29].split() == ["0", "12", "24", "36", "48", "60", "72", "84"]


def test_the_scrubber_stands_in_one_column_of_both_plots() -> None:
    drawn = texts(plots(SOME, (79, 33), pen_of(EN)))
    for first in (1, 15):
        column = [line[56:57] for line in drawn[first : first + 11]]
        assert column.count("●") == 1
        assert set(column) <= {"│", "●"}


def test_past_and_future_differ_without_colours() -> None:
    drawn = texts(plots(SOME, (79, 33), pen_of(EN, letters=True)))
    assert "#" in drawn[11][4:56] and ":" not in drawn[11][4:56]
    assert ":" in drawn[11][57:] and "#" not in drawn[11][57:]


def test_an_example_is_called_one_where_it_is_seen() -> None:
    small = plots(SOME, (75, 21), pen_of(EN), alone=True)
    assert texts(small)[0].startswith("A haima  example · offload")
    assert colour_of(small, "example") == "info"
    assert "example" not in texts(plots(SOME, (79, 33), pen_of(EN)))[0]
    told = numbers(SOME, (32, 33), pen_of(EN))
    assert texts(told)[0].endswith("example")
    assert colour_of(told, "example") == "info"
    own = replace(SOME, example=False)
    assert "example" not in "".join(texts(numbers(own, (32, 33), pen_of(EN))))


def test_how_far_a_policy_is() -> None:
    view = replace(SOME, b=replace(B, track=None, done=40))
    assert texts(plots(view, (79, 33), pen_of(EN)))[14].endswith("⠋ 40 / 96")
    assert texts(numbers(view, (32, 33), pen_of(EN)))[5] == "· B …"
    failed = replace(SOME, b=replace(B, track=None, failed=True))
    assert texts(plots(failed, (79, 33), pen_of(EN)))[14].endswith("✗ could not be played")


def test_more_than_the_window_is_said_in_danger() -> None:
    drawn = plots(replace(SOME, window=8_000), (79, 33), pen_of(EN))
    assert colour_of(drawn, "115%") == "danger"
    assert colour_of(plots(SOME, (79, 33), pen_of(EN)), "29%") == "text3"


def test_how_fast_it_plays() -> None:
    playing = replace(SOME, playing=True)
    assert texts(plots(playing, (79, 33), pen_of(EN)))[29].endswith("▸ 4/s")
    assert "/s" not in texts(plots(SOME, (79, 33), pen_of(EN)))[29]
    assert texts(numbers(playing, (76, 21), pen_of(ZH)))[1].endswith("▸ 4 步/秒")


def test_the_numbers_of_the_picture() -> None:
    """Mock 08b."""
    told = texts(numbers(SOME, (76, 21), pen_of(EN)))
    assert len(told) == 20
    assert told[0].split() == ["STEP", "70", "/", "96", "example"]
    assert told[1] == "window 32k · recorded 15:22:08"
    assert told[3] == "✓ execute_command mvnw dependency:tree"
    assert told[4:6] == ["⇲ A kept 2,800 of 36,902 chars", "· B kept all 36,902 chars"]
    assert told[7].split() == ["Whole", "session", "haima", "summarise"]
    assert told[10].split() == ["B", "past", "window", "4.9", "%", "15.4", "%"]
    assert told[-1].split() == ["summarise", "Σ", "2", "1"]


def test_the_better_figure_of_a_pair_is_bold() -> None:
    told = numbers(SOME, (32, 33), pen_of(EN))
    bold = {text.strip() for line in told for text, style in line.spans if style.bold}
    assert {"4.9 %", "100 %", "2 / 2", "1.27M"} <= bold
    assert not bold & {"15.4 %", "12 %", "0 / 2", "1.55M", "17", "8", "12"}


def test_a_figure_that_is_not_there_is_a_dash() -> None:
    assert A.track is not None
    bare = replace(A, track=replace(A.track, figures=Figures()))
    view = replace(SOME, a=bare, b=bare)
    for pen, dash in ((pen_of(EN), "—"), (pen_of(PLAIN), "-")):
        told = texts(numbers(view, (76, 21), pen))
        assert told[10].split()[-2:] == [dash, dash]


def test_a_wide_panel_has_more_rows_and_room_for_what_is_missing() -> None:
    told = "\n".join(texts(numbers(SOME, (42, 45), pen_of(EN))))
    assert "B past the window" in told and "prefix cache reused" in told
    assert "! B lacks OrderCodec.java, V17__orders.sql" in told
    assert "A lacks" not in told
    assert "Nothing is generated" in told


def test_what_a_step_did() -> None:
    step = replace(SOME.steps[69], ok=False, more=2, at="", asked="a" * 90)
    view = replace(SOME, steps=(*SOME.steps[:69], step, *SOME.steps[70:]))
    told = texts(numbers(view, (32, 33), pen_of(EN)))
    assert told[1] == "window 32k"
    assert told[3].startswith("✗ execute_command aaa") and told[3].endswith("… +2")
    path = replace(step, more=0, asked="src/test/java/com/acme/order/OrderCodec.java")
    view = replace(SOME, steps=(*SOME.steps[:69], path, *SOME.steps[70:]))
    told = texts(numbers(view, (36, 33), pen_of(EN)))
    assert told[3] == "✗ execute_command …/OrderCodec.java"
    answer = texts(numbers(short(3, 2), (32, 33), pen_of(EN)))
    assert answer[3] == "· an answer, no tool"
    assert answer[4] == "· A sent 2,000 tokens"


@BOTH
@pytest.mark.parametrize(
    "policy",
    [
        *("haima", "no-worklog", "clear-only", "summarise-80", "keep-10-turns-at-70"),
        *("head-tail-at-85", "truncate", "none"),
    ],
)
def test_every_policy_says_what_it_does(policy: str, ink: Ink) -> None:
    view = replace(SOME, a=replace(A, policy=policy), b=Pane(policy))
    title = texts(plots(view, (75, 21), pen_of(ink), alone=True))[0]
    assert len(title.split("  ")[1]) > 4
    assert "…" not in title and "{" not in title
