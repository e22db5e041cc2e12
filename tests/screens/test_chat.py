"""Talking to a session, with real keys on the real app."""

import asyncio
import gc
from functools import partial
from pathlib import Path

import pytest
from rich.color import Color
from textual import events

from app.events import TurnFinished
from app.llm.demo_story import SUGGESTIONS
from app.ports import Reply, TextDelta
from app.text import Words
from tests.screens.stage import Stage, clock_of, make_app, opened, until
from tests.session.support import ScriptedModel, call, says
from tests.widgets.desk import has_row, rows, text
from widgets.dialogs.approval import ApprovalDialog
from widgets.palette import DARK


def prompt(app: Stage) -> str:
    assert app.chat is not None
    return app.chat.prompt.draft


def busy(app: Stage) -> bool:
    return app.session is not None and app.session.busy


def asks_about(app: Stage, name: str) -> bool:
    screen = app.screen
    return isinstance(screen, ApprovalDialog) and name in screen.question.subject


async def test_a_prompt_is_answered(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel(says("Three files import **javax**.")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        assert "Nothing has been said in this session yet." in text(app)
        await pilot.press(*"which files?", "enter")
        await until(pilot, lambda: "Three files import javax." in text(app))
        assert has_row(app, "▌ which files?")
        assert "Nothing has been said" not in text(app)
        assert has_row(app, "≋ haima  order-service   scripted", "which files?  #7f3a")


async def test_a_message_typed_meanwhile_is_queued_shown_and_sent_in_order(tmp_path: Path) -> None:
    gate = asyncio.Event()
    model = ScriptedModel([TextDelta("working"), gate, Reply("working")], says("second"))
    app = make_app(tmp_path, model)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"one", "enter")
        await until(pilot, lambda: "working" in text(app))
        assert "Esc Stop" in rows(app)[-1]
        await pilot.press(*"two", "enter", *"drei", "enter")
        await until(pilot, lambda: text(app).count("queued") == 2)
        assert has_row(app, "drei", "queued")
        await pilot.press("up")
        await until(pilot, lambda: text(app).count("queued") == 1)
        assert prompt(app) == "drei"
        gate.set()
        await until(pilot, lambda: len(model.requests) == 2 and not busy(app))
        sent = [m["content"] for m in model.requests[1].messages if m["role"] == "user"]
        assert sent == ["one", "two"]
        assert "Esc Stop" not in rows(app)[-1]
        await until(pilot, lambda: has_row(app, "second"))
        assert has_row(app, "▌ two") and "queued" not in text(app)
        assert "takes the last one back" not in text(app)


async def test_esc_stops_and_enter_goes_on(tmp_path: Path) -> None:
    model = ScriptedModel([TextDelta("half an ans"), asyncio.Event()], says("the rest"))
    app = make_app(tmp_path, model)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "half an ans" in text(app))
        await pilot.press("escape")
        await until(pilot, lambda: "stopped by you · Enter to go on" in text(app))
        await pilot.press("enter")
        await until(pilot, lambda: "the rest" in text(app))


async def test_the_keys_shown_are_the_keys_that_work_on_what_the_cursor_is_on(
    tmp_path: Path,
) -> None:
    model = ScriptedModel(says("all said"), [TextDelta("half an ans"), asyncio.Event()])
    app = make_app(tmp_path, model)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        assert "F7 Compact  F8 Replay" in rows(app)[-1]
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "all said" in text(app))
        await pilot.press("tab")
        await until(pilot, lambda: "c Copy" in rows(app)[-1])
        assert "Enter" not in rows(app)[-1]
        await pilot.press("escape", *"on", "enter")
        await until(pilot, lambda: "half an ans" in text(app))
        await pilot.press("escape")
        await until(pilot, lambda: "stopped by you · Enter to go on" in text(app))
        await pilot.press("tab", "end")
        await until(pilot, lambda: "Enter Go on" in rows(app)[-1])


async def test_esc_closes_the_list_first_then_leaves_the_conversation_then_stops(
    tmp_path: Path,
) -> None:
    app = make_app(tmp_path, ScriptedModel([TextDelta("talking"), asyncio.Event()]))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "talking" in text(app))
        assert app.chat is not None and app.session is not None
        await pilot.press("/")
        await pilot.pause()
        assert "keys and commands" in text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "keys and commands" not in text(app) and app.session.busy
        await pilot.press("backspace", "tab")
        await pilot.pause()
        assert app.chat.transcript.has_focus
        assert "Esc Prompt" in rows(app)[-1]
        await pilot.press("escape")
        await pilot.pause()
        assert app.chat.prompt.input.has_focus and app.session.busy
        await pilot.press("escape")
        await until(pilot, lambda: app.session is not None and not app.session.busy)


async def test_ctrl_c_copies_then_stops_then_clears_then_asks_then_quits(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel([TextDelta("talking"), asyncio.Event()]))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "talking" in text(app))
        await pilot.press(*"draft", "shift+home", "ctrl+c")
        assert app.clipboard == "draft"
        assert app.session is not None and app.session.busy
        await pilot.press("end", "ctrl+c")
        await until(pilot, lambda: app.session is not None and not app.session.busy)
        assert prompt(app) == "draft"
        await pilot.press("ctrl+c")
        assert prompt(app) == ""
        await pilot.press("up")
        assert prompt(app) == "draft"
        await pilot.press("ctrl+c", "ctrl+c")
        await pilot.pause()
        assert "Press Ctrl+C again to quit" in text(app)
        clock_of(app).seconds += 2.1
        await pilot.press("ctrl+c")
        assert app.is_running
        await pilot.press("ctrl+c")
        await pilot.pause()
    assert app.return_value == 0


async def test_ctrl_q_does_nothing(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press("ctrl+q", "ctrl+p")
        await pilot.pause()
        assert app.is_running and app.screen is app.chat


async def test_an_approval_opens_and_its_answer_counts(tmp_path: Path) -> None:
    write = call("write_file", path="notes.md", content="hello\n")
    app = make_app(tmp_path, ScriptedModel(says("I write.", write), says("Written.")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: isinstance(app.screen, ApprovalDialog))
        clock_of(app).seconds += 5
        await pilot.press("y")
        await until(pilot, lambda: "Written." in text(app))
        assert (tmp_path / "order-service" / "notes.md").read_text() == "hello\n"
        assert app.screen is app.chat


async def test_keys_meant_for_the_prompt_end_up_there(tmp_path: Path) -> None:
    write = call("write_file", path="notes.md", content="hello\n")
    gate = asyncio.Event()
    app = make_app(tmp_path, ScriptedModel([gate, *says("", write)], says("So be it.")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter", *"also ")
        gate.set()
        await until(pilot, lambda: isinstance(app.screen, ApprovalDialog))
        for letter in "say yes":
            app.post_message(events.Key("space" if letter == " " else letter, letter))
        app.post_message(events.Paste("!\nn"))
        await pilot.pause(0.1)
        assert isinstance(app.screen, ApprovalDialog)
        assert prompt(app) == "also say yes!\nn"
        clock_of(app).seconds += 5
        await pilot.press("n")
        await until(pilot, lambda: "So be it." in text(app))
        assert not (tmp_path / "order-service" / "notes.md").exists()


async def test_stopping_takes_the_question_off(tmp_path: Path) -> None:
    write = call("write_file", path="notes.md", content="hello\n")
    app = make_app(tmp_path, ScriptedModel(says("", write)))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: isinstance(app.screen, ApprovalDialog))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.screen is app.chat)
        await until(pilot, lambda: has_row(app, "✗ write_file", "notes.md", "stopped"))
        await until(pilot, lambda: "stopped by you" in text(app))
        assert text(app).count("stopped") == 2, "in the card's row, and once as the user's doing"
        assert _ink(app, "✗") == DARK.style("text3").color


async def test_two_questions_come_one_after_the_other(tmp_path: Path) -> None:
    one = call("write_file", path="a/one.md", content="1")
    two = call("write_file", path="b/two.md", content="2")
    app = make_app(tmp_path, ScriptedModel(says("", one, two), says("Done.")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        for name in ("one.md", "two.md"):
            await until(pilot, partial(asks_about, app, name))
            clock_of(app).seconds += 5
            await pilot.press("enter")
            await until(
                pilot, lambda: not isinstance(app.screen, ApprovalDialog) or "two" in text(app)
            )
        await until(pilot, lambda: "Done." in text(app))
        assert text(app).count("refused by you") == 2


async def test_toasts_wait_for_a_modal(tmp_path: Path) -> None:
    write = call("write_file", path="notes.md", content="hello\n")
    app = make_app(tmp_path, ScriptedModel(says("", write), says("ok")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: isinstance(app.screen, ApprovalDialog))
        app.toast("chat.copied")
        await pilot.pause()
        assert "Copied" not in text(app)
        clock_of(app).seconds += 5
        await pilot.press("n")
        await until(pilot, lambda: "Copied" in text(app))


async def test_an_unknown_command_is_said_and_stays_in_the_prompt(tmp_path: Path) -> None:
    model = ScriptedModel()
    app = make_app(tmp_path, model)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"/modle", "enter")
        await pilot.pause()
        assert "/model" in text(app) and "Not run" in text(app)
        assert prompt(app) == "/modle"
        assert model.requests == []


async def test_commands(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel(says("Hello.")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"/export", "enter")
        await until(pilot, lambda: "Not run" in text(app))
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: "Hello." in text(app))
        await pilot.press(*"/export", "enter")
        await until(pilot, lambda: "Exported" in text(app))
        assert len(list((tmp_path / "order-service").glob("*.md"))) == 1
        await pilot.press(*"/theme light", "enter")
        await until(pilot, lambda: app.theme == "haima-light")
        await until(pilot, (tmp_path / "home/.haima/config.toml").exists)
        assert 'theme = "light"' in (tmp_path / "home/.haima/config.toml").read_text()
        before = app.session.node if app.session else ""
        await pilot.press(*"/clear", "enter")
        await until(pilot, lambda: app.session is not None and app.session.node != before)
        await pilot.press(*"/help", "enter")
        await until(pilot, lambda: "Keys and help" in text(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        await pilot.press(*"/quit", "enter")
        await pilot.pause()
    assert app.return_value == 0


async def test_the_language_changes_everywhere_at_once(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel(says("Hello.")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: "Hello." in text(app))
        await pilot.press("ctrl+g", "8")
        await until(pilot, lambda: "Enter 发送 · Ctrl+J 换行 · / 命令 · @ 文件" in text(app))
        assert "F1 帮助" in rows(app)[-1]
        await pilot.press("ctrl+g", "l")
        await until(pilot, lambda: "Enter send" in text(app))
        assert app.focused is not None and app.chat is not None
        assert app.chat.prompt.input.has_focus


async def test_page_keys_scroll_the_conversation_from_the_prompt(tmp_path: Path) -> None:
    long = "\n\n".join(f"Paragraph {n}." for n in range(60))
    app = make_app(tmp_path, ScriptedModel(says(long)))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: "Paragraph 59." in text(app))
        await pilot.press("pageup")
        await pilot.pause()
        assert "Paragraph 59." not in text(app)
        await pilot.press("pagedown", "pagedown")
        await until(pilot, lambda: "Paragraph 59." in text(app))


async def test_the_answer_of_a_command_comes_into_view_wherever_one_was_reading(
    tmp_path: Path,
) -> None:
    long = "\n\n".join(f"Paragraph {n}." for n in range(60))
    app = make_app(tmp_path, ScriptedModel(says(long)))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: "Paragraph 59." in text(app))
        await pilot.press("pageup", "pageup")
        await pilot.pause()
        assert "Paragraph 59." not in text(app)
        await pilot.press(*"/usage", "enter")
        await until(pilot, lambda: "Nothing has been counted yet." in text(app))
        assert "Paragraph 59." in text(app)


async def test_files_are_offered_and_ignored_ones_are_not(tmp_path: Path) -> None:
    root = tmp_path / "order-service"
    root.mkdir()
    (root / ".gitignore").write_text("build/\n")
    (root / "build").mkdir()
    (root / "build" / "OrderOut.java").write_text("")
    (root / "Order.java").write_text("")
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"see @order")
        await until(pilot, lambda: "Order.java" in text(app))
        assert "OrderOut" not in text(app)
        await pilot.press("enter")
        assert prompt(app) == "see @Order.java "


def _ink(app: Stage, glyph: str) -> Color | None:
    """The colour of a sign on the screen."""
    return next(
        segment.style.color
        for strip in app.screen._compositor.render_strips()
        for segment in strip
        if segment.style and glyph in segment.text
    )


async def test_only_where_the_focus_is_stands_the_accent(tmp_path: Path) -> None:
    """STYLE 1.5: the prompt's sign is grey while its keys aren't the ones that count."""
    app = make_app(tmp_path, ScriptedModel(says("Done.")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        accent, grey = DARK.style("accent").color, DARK.style("text3").color
        assert _ink(app, "❯") == _ink(app, "╭") == accent
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "Done." in text(app))
        await pilot.press("f5")
        await until(pilot, lambda: _ink(app, "❯") == grey)
        assert _ink(app, "╭") == DARK.style("line2").color
        await pilot.press("escape")
        await until(pilot, lambda: _ink(app, "❯") == accent)


async def test_a_screen_that_is_too_small_says_so_and_the_session_goes_on(tmp_path: Path) -> None:
    gate = asyncio.Event()
    app = make_app(tmp_path, ScriptedModel([gate, *says("Done meanwhile.")]))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await pilot.resize_terminal(72, 20)
        await until(pilot, lambda: "Haima needs 80×24, now 72×20" in text(app))
        gate.set()
        await until(pilot, lambda: app.session is not None and not app.session.busy)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "Done meanwhile." in text(app))
        await pilot.press("x")
        assert prompt(app) == "x"


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_demo_proposes_a_start_and_takes_its_number(
    tmp_path: Path, language: str
) -> None:
    app = make_app(tmp_path, demo=True, language=language)
    words = Words("zh" if language == "zh" else "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        assert has_row(app, "order-service", words("header.demo"))
        for number, key in enumerate(SUGGESTIONS, 1):
            assert has_row(app, f"{number}   {words(key)}")
        await pilot.press("3", "enter")
        await until(pilot, lambda: app.session is not None and len(app.session.history) > 2)
        assert app.session is not None
        assert app.session.history[1].text == words(SUGGESTIONS[2])
        assert str(app.session.parts.project.root).startswith(str(tmp_path / "home" / ".haima"))


async def test_copying_from_the_conversation(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel(says("Copy me.")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: "Copy me." in text(app))
        await pilot.press("tab", "end", "c")
        await until(pilot, lambda: app.clipboard.strip() == "Copy me.")
        assert "Copied" in text(app)


@pytest.mark.parametrize("ends", [False, True])
async def test_work_that_is_dropped_before_it_began_leaves_no_warning(
    ends: bool, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    """A turn that ends right behind another one, or as the app is closed."""
    gc.freeze()  # what is older needs no look: half a second
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        assert app.chat is not None and app.session is not None
        told = partial(TurnFinished, at=app.session.parts.clock.now(), session=app.session.node)
        for _ in range(2):
            app.chat.take(told(chain="", ok=True, steps=1, seconds=0.1))
        if ends:
            app.workers.cancel_all()
            app.exit()
        else:
            await until(pilot, lambda: not [one for one in app.workers if one.group == "git"])
    gc.collect()
    assert [str(one.message) for one in recwarn if one.category is RuntimeWarning] == []


async def test_the_hints_of_commands_are_whole_where_there_is_room(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"/sa")
        said = "/save [--global] [--force] text  remember something across sessions"
        await until(pilot, lambda: has_row(app, said))
        await pilot.press("backspace", "backspace", *"mem")
        said = "/memory [list|search|delete|verify|replace|clear]  what is remembered:"
        await until(pilot, lambda: has_row(app, said))
