"""The conversation in a real app: what is said shows up, keys open it, the place is kept."""

from collections.abc import Iterator

import pytest
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input

from app.events import (
    ApprovalRequested,
    Cancelled,
    DiffLine,
    Event,
    HistoryCleared,
    MessageFinished,
    Queued,
    Reasoning,
    Retry,
    Text,
    ToolFinished,
    ToolStarted,
    TurnStarted,
    Unqueued,
)
from app.text import Words
from app.view.transcript import TranscriptStore
from tests.widgets.list_app import screen, settled, wheel
from widgets.glyphs import ASCII, UNICODE
from widgets.list_messages import CopyRequested
from widgets.look import Look
from widgets.palette import DARK, LIGHT, PALETTES
from widgets.transcript_view import TranscriptView


class Desk(App[None]):
    """A conversation above a field."""

    AUTO_FOCUS = None
    CSS = "Screen { background: $bg; } Input { height: 3; }"

    def __init__(self, look: Look | None = None) -> None:
        super().__init__()
        for palette in PALETTES:
            self.register_theme(palette.theme())
        self.theme = DARK.name
        self.now = 100.0
        self.store = TranscriptStore(clock=lambda: self.now)
        self.view = TranscriptView(self.store, look or Look(Words("en"), UNICODE))
        self.told: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.view
        yield Input()

    def on_transcript_view_card_activated(self, message: TranscriptView.CardActivated) -> None:
        self.told.append(message)

    def on_transcript_view_go_on_requested(self, message: TranscriptView.GoOnRequested) -> None:
        self.told.append(message)

    def on_virtual_list_copy_requested(self, message: CopyRequested) -> None:
        self.told.append(message)

    def say(self, *events: Event) -> None:
        for event in events:
            self.store.apply(event)


def call(
    id: str, tool: str = "read_file", subject: str = "pom.xml", **result: object
) -> list[Event]:
    values = {"ok": True, "characters": 3104, "seconds": 0.2} | result
    return [
        ToolStarted(id=id, tool=tool, arguments={}, subject=subject),
        ToolFinished(id=id, tool=tool, **values),
    ]


DIFF = (
    DiffLine(number=41, sign="-", text="  <java.version>17</java.version>"),
    DiffLine(number=41, sign="+", text="  <java.version>21</java.version>"),
)


def scene() -> Iterator[Event]:
    """The middle of mock 01."""
    yield TurnStarted(
        message="u1", text="先盘点残留的 javax.*，再升到 Java 21。\nKeep the migrations."
    )
    yield Text(message="a1", text="I'll list what is left.")
    yield MessageFinished(message="a1")
    yield from call("c1")
    yield from call(
        "c2", "execute_command", "mvn -q compile", ok=False, seconds=41.8, characters=2377,
        reason="exit 1 · Unsafe is not visible",
    )  # fmt: skip
    yield from call("c3", "edit_file", "pom.xml", added=1, removed=1, diff=DIFF, seconds=0.1)
    yield ToolStarted(id="c4", tool="execute_command", arguments={}, subject="mvn -q test")


SHOWN = """
  ▌ 先盘点残留的 javax.*，再升到 Java 21。
  ▌ Keep the migrations.

  I'll list what is left.

   ✓ read_file       pom.xml                                   0.2s    3,104
   ✗ execute_command mvn -q compile                           41.8s    2,377
     exit 1 · Unsafe is not visible
   ✓ edit_file       pom.xml                                   0.1s    +1 -1
       41 -   <java.version>17</java.version>
       41 +   <java.version>21</java.version>
   ⠙ execute_command mvn -q test                              12.1s        …
"""


async def test_a_turn_looks_like_the_mock() -> None:
    app = Desk()
    app.say(*scene())
    app.now += 12.13
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot, app.view)
        assert screen(app.view)[:13] == SHOWN.rstrip("\n").split("\n")
        assert all(strip.cell_length == 80 for strip in app.view.render_lines(app.view.region))


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 48)])
@pytest.mark.parametrize("look", [Look(Words("zh"), UNICODE), Look(Words("en"), ASCII)])
async def test_every_size_language_and_glyph_set_fits(size: tuple[int, int], look: Look) -> None:
    app = Desk(look)
    app.say(*scene(), Queued(id="q1", text="and 中文 " * 30), Reasoning(message="a2", text="hm"))
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app.view)
        strips = app.view.render_lines(app.view.region)
        assert {strip.cell_length for strip in strips} == {size[0]}
        if look.glyphs is ASCII:
            ours = "".join(strip.text for strip in strips)
            for foreign in ("先盘点残留的", "，再升到", "。", "·", "中文", "更"):
                ours = ours.replace(foreign, "")
            assert ours.isascii()


async def test_an_answer_streams_with_a_caret_and_is_followed() -> None:
    app = Desk()
    async with app.run_test(size=(80, 24)) as pilot:
        app.say(Text(message="a1", text="Waiting for the "))
        await settled(pilot, app.view)
        assert screen(app.view)[1] == "  Waiting for the ▍"
        app.say(Text(message="a1", text="tests\n\n" + "word " * 601))
        await settled(pilot, app.view)
        assert screen(app.view)[-1].endswith("▍")
        app.say(MessageFinished(message="a1"))
        await settled(pilot, app.view)
        assert not any("▍" in line for line in screen(app.view))


async def test_the_caret_blinks_unless_motion_is_off() -> None:
    for motion in (True, False):
        app = Desk(Look(Words("en"), UNICODE, motion=motion))
        app.now = 100.6
        async with app.run_test(size=(80, 24)) as pilot:
            app.say(Text(message="a1", text="word"))
            await settled(pilot, app.view)
            assert ("▍" in screen(app.view)[1]) is not motion


async def press(pilot: Pilot[None], app: Desk, *keys: str) -> list[str]:
    await pilot.press(*keys)
    await settled(pilot, app.view)
    return screen(app.view)


async def test_enter_opens_a_card_in_steps_and_keeps_its_place() -> None:
    app = Desk()
    app.say(*call("c1", body="\n".join(f"line {number}" for number in range(40))))
    async with app.run_test(size=(80, 30)) as pilot:
        app.view.focus()
        lines = await press(pilot, app, "enter")
        assert lines[2] == "     line 0"
        assert lines[14] == "     … 28 more lines  Enter shows all"
        lines = await press(pilot, app, "enter")
        assert lines[1].startswith("▸  ✓ read_file")
        assert lines[2] == "     line 0"
        assert app.view.viewport.total == 41
        lines = await press(pilot, app, "enter")
        assert app.view.viewport.total == 1
        assert [type(message).__name__ for message in app.told] == ["CardActivated"] * 3


async def test_what_enter_opens_comes_into_view() -> None:
    """At the lower edge too; of what is longer than the view, its beginning."""
    app = Desk()
    app.say(*(TurnStarted(message=f"u{number}", text=f"Go on, {number}.") for number in range(9)))
    app.say(*call("c1", body="first\nsecond\nlast\n"))
    app.say(*call("c2", body="\n".join(f"line {number}" for number in range(40))))
    async with app.run_test(size=(80, 14)) as pilot:
        app.view.focus()
        lines = await press(pilot, app, "end", "up", "enter")
        assert lines[-3:] == [f"     {word}" for word in ("first", "second", "last")]
        lines = await press(pilot, app, "down", "enter")
        assert lines[1].startswith("▸  ✓ read_file") and lines[2] == "     line 0"


async def test_a_card_its_reader_opened_stays_open_when_its_burst_folds() -> None:
    app = Desk()
    app.say(*call("c0", body="what I read"))
    async with app.run_test(size=(80, 30)) as pilot:
        app.view.focus()
        await press(pilot, app, "enter")
        for number in range(1, 9):
            app.say(*call(f"c{number}"))
        await settled(pilot, app.view)
        lines = screen(app.view)
        assert lines[2] == "     what I read"
        assert lines[3] == "   ✓ 8 calls  read_file ×8  1.6s"
        lines = await press(pilot, app, "down", "enter")
        assert lines[3].startswith("▸  ✓ 8 calls")
        assert lines[4].startswith("   ✓ read_file")
        lines = await press(pilot, app, "enter")
        assert lines[4] == ""


async def test_reasoning_and_long_code_open_too() -> None:
    app = Desk()
    code = "```\n" + "\n".join(f"row {number}" for number in range(300)) + "\n```"
    app.say(Reasoning(message="a1", text="first\nsecond"), Text(message="a1", text=code))
    app.say(MessageFinished(message="a1"))
    async with app.run_test(size=(80, 30)) as pilot:
        app.view.focus()
        lines = await press(pilot, app, "home")
        assert lines[1] == "▸ thought for 0.0s  first"
        lines = await press(pilot, app, "enter")
        assert lines[1:4] == ["▸ thought for 0.0s", "    first", "    second"]
        await press(pilot, app, "down", "enter")
        assert app.view.viewport.total == 3 + 1 + 300


async def test_what_the_cursor_is_on_is_copied_as_it_was_written() -> None:
    app = Desk()
    app.say(
        TurnStarted(message="u1", text="do **this**"),
        Text(message="a1", text="1. `one`\n\n```py\nx = 1\n```"),
        *call("c1", body="the result"),
        *call("c2", "edit_file", diff=DIFF),
    )
    async with app.run_test(size=(80, 30)) as pilot:
        app.view.focus()
        await press(pilot, app, "home", "c", "down", "c", "down", "c", "down", "c", "down", "c")
        texts = [message.text for message in app.told if isinstance(message, CopyRequested)]
        assert texts == [
            "do **this**",
            "1. `one`",
            "```py\nx = 1\n```",
            "the result",
            "-  <java.version>17</java.version>\n+  <java.version>21</java.version>",
        ]


async def test_a_stopped_turn_goes_on_with_enter_while_nothing_followed() -> None:
    app = Desk()
    app.say(TurnStarted(message="u1", text="go"), Cancelled())
    async with app.run_test(size=(80, 24)) as pilot:
        app.view.focus()
        lines = await press(pilot, app, "end", "enter")
        assert lines[3] == "▸   stopped by you · Enter to go on"
        assert [type(message).__name__ for message in app.told] == ["GoOnRequested"]
        app.say(TurnStarted(message="u2", text="go on"))
        await settled(pilot, app.view)
        assert screen(app.view)[3] == "▸   stopped by you"
        await press(pilot, app, "enter")
        assert len(app.told) == 1


async def test_queued_messages_wait_below_and_can_be_taken_back() -> None:
    app = Desk()
    app.say(
        TurnStarted(message="u1", text="go"), Queued(id="q1", text="a"), Queued(id="q2", text="b")
    )
    async with app.run_test(size=(80, 24)) as pilot:
        app.say(*call("c1"))
        await settled(pilot, app.view)
        lines = screen(app.view)
        assert lines[5] == "  ▌ a" + " " * 66 + "queued"
        assert lines[7] == "    sent when this turn is over   ↑ takes the last one back"
        app.say(Unqueued(id="q2", taken_back=True))
        await settled(pilot, app.view)
        assert screen(app.view)[5:7] == [
            "  ▌ a" + " " * 66 + "queued",
            "    sent when this turn is over   ↑ takes the last one back",
        ]


async def test_who_reads_above_stays_there_while_the_answer_streams() -> None:
    app = Desk()
    app.say(Text(message="a1", text="\n\n".join(f"paragraph {number}" for number in range(60))))
    async with app.run_test(size=(80, 24)) as pilot:
        await wheel(pilot, app.view, up=True)
        before = screen(app.view)
        for number in range(30):
            app.say(Text(message="a1", text=f"\n\nmore {number}"), *call(f"c{number}"))
        await settled(pilot, app.view)
        after = screen(app.view)
        assert after[:-1] == before[:-1]
        assert after[-1].endswith("new below")
        await pilot.click(app.view, offset=(74, 20))
        await settled(pilot, app.view)
        assert app.view.following
        assert "new below" not in screen(app.view)[-1]


async def test_a_waiting_and_a_discarded_step_say_so() -> None:
    app = Desk()
    app.say(
        Text(message="a1", text="half an answer"),
        Retry(attempt=2, reason="The connection broke", wait=0.5, discarded=14, message="a1"),
        ToolStarted(id="c1", tool="execute_command", arguments={}, subject="docker push"),
        ApprovalRequested(id="c1", tool="execute_command", subject="docker push", risk="command"),
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot, app.view)
        lines = screen(app.view)
        assert lines[1] == "  half an answer"
        assert lines[3] == "  ! The connection broke · try 2"
        assert lines[6] == "     needs your approval"
        (first,) = [segment for segment in app.view.render_lines(app.view.region)[1]
                    if segment.text == "half an answer"]  # fmt: skip
        assert first.style == DARK.style("text3", strike=True) + DARK.style(None, "bg")


async def test_a_silent_model_is_said_to_be_silent() -> None:
    app = Desk()
    async with app.run_test(size=(80, 24)) as pilot:
        app.say(TurnStarted(message="u1", text="go"))
        app.now += 5
        while len(app.store) == 1:
            await pilot.pause(0.02)
        await settled(pilot, app.view)
        assert screen(app.view)[3].endswith("waiting for the model  5.0s")


async def test_words_glyphs_and_colours_change_at_once() -> None:
    app = Desk()
    app.say(*scene())
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot, app.view)
        app.view.look = Look(Words("zh"), ASCII)
        app.say(Cancelled())
        await settled(pilot, app.view)
        lines = screen(app.view)
        assert lines[1].startswith("  | ")
        assert lines[-1] == "" or "已由你停止" in "".join(lines)
        app.theme = LIGHT.name
        await settled(pilot, app.view)
        colours = {
            segment.style.color
            for strip in app.view.render_lines(app.view.region)
            for segment in strip
            if segment.style and segment.text.strip()
        }
        assert LIGHT.style("text", "bg").color in colours
        assert DARK.style("text", "bg").color not in colours


async def test_clearing_starts_again_with_a_divider() -> None:
    app = Desk()
    app.say(*scene())
    async with app.run_test(size=(80, 24)) as pilot:
        app.view.focus()
        await settled(pilot, app.view)
        app.say(HistoryCleared())
        await settled(pilot, app.view)
        lines = screen(app.view)
        assert lines[1].startswith("  ──── new conversation · the old one is kept ──")
        assert not any(lines[2:])


async def test_leaving_the_screen_ends_the_following_of_the_store() -> None:
    app = Desk()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.view.remove()
        await pilot.pause()
        app.say(TurnStarted(message="u1", text="go"))
        assert app.store.rows.listeners == []
