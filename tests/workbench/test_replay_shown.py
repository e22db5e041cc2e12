"""What a replay came to, as the screen shows it."""

from dataclasses import replace

import pytest

from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.window import thresholds
from app.replay.happened import Happened
from app.replay.policy import POLICIES, PolicyName
from app.replay.recording import Recorded, Recording
from app.replay.replayed import Kept, Measures, Replayed, Step, Totals
from app.view.plot import TurnEvent
from app.workbench.replay_shown import items, stretches, told, track, waiting
from widgets.glyphs import ASCII, UNICODE

READ = ToolCall("c1", "read_file", '{"path": "pom.xml"}')
RUN = ToolCall("c2", "execute_command", '{"command": "mvn -q test"}')


def said(role: str, text: str = "", *calls: ToolCall, **named: str) -> Message:
    parts = (TextPart(text),) if text else ()
    return Message("m", role, parts, calls=calls, **named)  # type: ignore[arg-type]


RECORDING = Recording(
    source="x",
    format="openai",
    title="x",
    entries=(
        Recorded(said("user", "Do it.")),
        Recorded(said("assistant", "I look.", READ, RUN), at="2026-11-27T14:39:34+00:00"),
        Recorded(said("tool", "<project/>", call_id="c1", tool="read_file")),
        Recorded(said("tool", "no\x1b[31m" + "x" * 90, call_id="c2", tool="run"), ok=False),
        Recorded(said("user", "Go on.")),
        Recorded(said("assistant", "Done."), at="yesterday"),
    ),
)


def step(number: int, *happened: Happened) -> Step:
    return Step(
        number, 0, "", (), "", 100 * number, 0, 0, 0, 0.0, False, None, happened,
        0, False, False, (), frozenset(), Kept(), None,
    )  # fmt: skip


def replayed(*steps: Step, policy: PolicyName = "haima") -> Replayed:
    totals = Totals(
        len(steps), 1_000, 400, 500, 612.6, 3, 2, 1, 0, 0, 0, 0, 1.0, 0.5, None, 3, 2, (),
        Measures(None, 0.25, None, None, None, 0.5),
    )  # fmt: skip
    return Replayed(RECORDING, policy, 32_000, thresholds(32_000), steps, totals)


def test_what_a_step_is() -> None:
    first, last = items(RECORDING)
    assert (first.tool, first.asked, first.more, first.ok) == ("read_file", "pom.xml", 1, False)
    assert first.characters == 10 + 97
    assert len(first.at) == 8 and first.at.endswith(":39:34")
    assert (last.tool, last.ok, last.characters, last.at) == ("", None, 0, "")


def test_a_step_in_full() -> None:
    first, last = stretches(RECORDING)
    text = told(first, UNICODE)
    for piece in (
        "I look.",
        '▸ read_file {"path": "pom.xml"}',
        "✓ read_file\n<project/>",
        "✗ run\n",
    ):
        assert piece in text
    assert told(last, UNICODE) == "Done."
    assert told(first, ASCII).isascii()


def test_a_moved_result_stands_under_its_own_step_and_the_rest_under_the_request() -> None:
    moved = Happened("offloaded", 1, tool="run", characters=9_000, kept=2_800)
    done = track(
        replayed(
            step(1),
            step(2, moved, replace(moved, characters=5_000)),
            step(3, Happened("cleared", 4), Happened("summarized", 9)),
            step(4, Happened("cut", 2), Happened("guarded", 1), Happened("too_large", 1)),
        )
    )
    assert done.tokens == (100, 200, 300, 400)
    assert done.events == (
        *(TurnEvent(1, "offload"), TurnEvent(1, "offload")),
        *(TurnEvent(3, "clear"), TurnEvent(3, "summary")),
        TurnEvent(4, "summary"),
    )
    assert done.left_out == (6_200 + 2_200, 0, 0)


def test_messages_that_stay_left_out_are_marked_once() -> None:
    """`truncate` says before each request how many it leaves out."""
    gone = [Happened("dropped", count) for count in (2, 2, 2, 5)]
    done = track(replayed(*(step(n, one) for n, one in enumerate(gone, 1)), policy="truncate"))
    assert done.events == (TurnEvent(1, "clear"), TurnEvent(4, "clear"))
    assert done.figures.clear == 2
    real = Happened("dropped", 3, tokens_before=900, tokens_after=500)
    again = track(replayed(step(1, real), step(2, real), policy="head-tail-at-85"))
    assert again.figures.clear == 2


def test_the_totals() -> None:
    figures = track(replayed(step(1))).figures
    assert (figures.b, figures.c, figures.f) == (0.25, None, 0.5)
    assert (figures.goal, figures.rules) == (1.0, (2, 3))
    assert (figures.sent, figures.cost, figures.peak, figures.cache) == (1_000, 613, 400, 0.5)
    assert (figures.offload, figures.clear, figures.summary, figures.invalid) == (3, 2, 1, 0)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_has_a_short_name_and_its_marks(policy: PolicyName) -> None:
    marks = thresholds(32_000)
    pane = waiting(policy, marks)
    assert 0 < len(pane.short) <= 10
    expected = {
        "haima": (marks.clear, marks.summary),
        "no-worklog": (marks.clear, marks.summary),
        "clear-only": (marks.clear, None),
        "summarise-80": (None, 25_600),
        "keep-10-turns-at-70": (None, 22_400),
        "head-tail-at-85": (27_200, None),
        "truncate": (25_600, None),
        "none": (None, None),
    }
    assert (pane.clear, pane.summary) == expected[policy]
