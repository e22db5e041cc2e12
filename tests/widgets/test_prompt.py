"""The prompt under real keys."""

import asyncio

import pytest
from textual import events
from textual.message import Message

from tests.widgets.desk import Desk, rows, text
from tests.widgets.test_graphemes import FAMILY, FLAG, THUMB
from widgets.completing import Candidate
from widgets.look import Look
from widgets.prompt import Prompt
from widgets.prompt_input import PromptInput

COMMANDS = (
    Candidate("/help", note="keys and commands", runs=True),
    Candidate("/model", note="choose a model"),
    Candidate("/quit", note="leave", runs=True),
)


def commands(word: str) -> tuple[Candidate, ...]:
    return tuple(c for c in COMMANDS if c.text[1:].startswith(word[1:].casefold()))


async def files(query: str) -> tuple[Candidate, ...]:
    await asyncio.sleep(0)
    known = ("pom.xml", "src/Main.java", "src/Order.java")
    return tuple(Candidate(f"@{name}") for name in known if query in name)


class PromptDesk(Desk):
    def __init__(self) -> None:
        super().__init__(Prompt(Look(), commands=commands, files=files))

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)

    @property
    def input(self) -> PromptInput:
        return self.query_one(PromptInput)

    def on_mount(self) -> None:
        self.input.focus()

    def on_prompt_input_submitted(self, message: PromptInput.Submitted) -> None:
        self.note(message)

    def on_prompt_input_take_back(self, message: Message) -> None:
        self.note(message)

    def on_prompt_input_leave(self, message: Message) -> None:
        self.note(message)

    @property
    def sent(self) -> list[str]:
        return [m.text for m in self.seen if isinstance(m, PromptInput.Submitted)]


async def test_enter_sends_and_empties() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press(*"hi", "enter")
        assert app.sent == ["hi"]
        assert app.input.text == ""


async def test_keys_typed_at_once_keep_their_order() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        for key in ("a", "x", "backspace", "enter", "c", "left", "b", "end"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert app.sent == ["a"]
        assert app.input.text == "bc"


@pytest.mark.parametrize("keys", [("ctrl+j",), ("shift+enter",), ("backslash", "enter")])
async def test_line_breaks(keys: tuple[str, ...]) -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press("a", *keys, "b")
        assert app.input.text == "a\nb"
        assert app.sent == []
        await pilot.press("enter")
        assert app.sent == ["a\nb"]


async def test_it_grows_to_eight_rows_and_then_scrolls() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        heights = []
        for _ in range(10):
            heights.append(app.input.size.height)
            await pilot.press("ctrl+j", "x")
            await pilot.pause()
        assert heights[:3] == [1, 2, 3]
        assert app.input.size.height == 8
        assert app.input.scroll_offset.y == 3


@pytest.mark.parametrize("character", [FAMILY, FLAG, THUMB, "海"])
async def test_backspace_takes_a_whole_character(character: str) -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        app.post_message(events.Paste(f"a{character}b"))
        await pilot.pause()
        await pilot.press("left", "backspace")
        assert app.input.text == "ab"
        await pilot.press("ctrl+z")
        await pilot.press("home", "right", "delete")
        assert app.input.text == "ab"


async def test_a_typed_joiner_is_kept() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        for character in FAMILY:
            app.post_message(events.Key(character, character))
        await pilot.pause()
        assert app.input.text == FAMILY


async def test_a_paste_has_plain_line_ends_and_no_escape_sequences() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        app.post_message(events.Paste("one\r\ntwo\rthree\x1b[31m"))
        await pilot.pause()
        assert app.input.text == "one\ntwo\nthree\\x1b[31m"


async def test_a_big_paste_is_taken_whole() -> None:
    app = PromptDesk()
    pasted = "\n".join(f"line {n} 海马" for n in range(5_000))
    async with app.run_test(size=(80, 12)) as pilot:
        app.post_message(events.Paste(pasted))
        await pilot.pause()
        await pilot.press("enter")
        assert app.sent == [pasted]


async def test_a_big_paste_can_be_undone() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press("a")
        app.post_message(events.Paste("line\n" * 5_000))
        await pilot.pause()
        await pilot.press("ctrl+z")
        await pilot.pause()
        assert app.input.text == "a"


async def test_the_terminals_cursor_follows() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press("a", "b")
        await pilot.pause()
        row = next(y for y, line in enumerate(rows(app)) if "ab" in line)
        assert app.cursor_position == (rows(app)[row].index("ab") + 2, row)
        await pilot.press("ctrl+j")
        await pilot.pause()
        assert app.cursor_position.y == row + 1


async def test_history_at_the_edges_keeps_the_draft() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press(*"one", "enter", *"two", "ctrl+j", *"lines", "enter", *"draft")
        await pilot.press("up")
        assert app.input.text == "two\nlines"
        await pilot.press("up", "up")
        assert app.input.text == "one"
        await pilot.press("down", "down", "down")
        assert app.input.text == "draft"


async def test_up_in_an_empty_prompt_asks_for_a_queued_message_first() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press(*"one", "enter")
        app.prompt.queued = 1
        await pilot.press("up")
        assert app.kinds()[-1] == "TakeBack"
        assert app.input.text == ""
        app.prompt.queued = 0
        await pilot.press("up")
        assert app.input.text == "one"


@pytest.mark.parametrize("opener", ["/", "、", "／"])
async def test_the_command_list_opens_at_the_start(opener: str) -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 16)) as pilot:
        app.post_message(events.Key(opener, opener))
        await pilot.pause()
        assert "keys and commands" in text(app)
        await pilot.press("escape")
        await pilot.pause()


async def test_a_whole_command_runs_while_its_list_is_open() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot.press(*"/model")
        await pilot.pause()
        assert app.input.offer is not None
        await pilot.press("enter")
        assert app.sent == ["/model"]


async def test_enter_runs_the_chosen_command_and_completes_one_with_an_argument() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot.press(*"/he", "enter")
        assert app.sent == ["/help"]
        await pilot.press(*"/mo", "enter")
        assert app.sent == ["/help"]
        assert app.input.text == "/model "
        await pilot.press("enter")
        assert app.sent == ["/help", "/model"]


async def test_arrows_choose_and_tab_completes() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot.press("/", "down", "down", "tab")
        assert app.input.text == "/quit "
        assert app.input.offer is None
        assert app.sent == []


async def test_esc_closes_the_list_and_it_stays_closed_for_this_word() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot.press("/", "h")
        assert app.input.close_offer()
        await pilot.press("e")
        assert app.input.offer is None
        assert not app.input.close_offer()
        await pilot.press("backspace", "backspace", "backspace", "/")
        assert app.input.offer is not None


async def test_files_are_completed_in_the_middle_of_a_line() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot.press(*"see @Ord")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "src/Order.java" in text(app)
        await pilot.press("tab", *"now")
        assert app.input.text == "see @src/Order.java now"


async def test_tab_without_anything_to_complete_leaves() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press(*"text", "tab")
        assert app.kinds() == ["Leave"]
        assert app.input.text == "text"


async def test_search_in_the_history() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot.press(*"run tests", "enter", *"read pom", "enter", *"draft")
        app.input.search_history()
        await pilot.press(*"test")
        await pilot.pause()
        assert "run tests" in text(app) and "read pom" not in text(app)
        await pilot.press("enter")
        assert app.input.text == "run tests"
        assert app.sent == ["run tests", "read pom"]


async def test_leaving_the_search_brings_the_draft_back() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot.press(*"one", "enter", *"draft")
        app.input.search_history()
        await pilot.press(*"zzz", "enter")
        assert app.sent == ["one"]
        app.input.search_history()
        app.input.close_offer()
        assert app.input.text == "zzz"


async def test_a_draft_set_aside_comes_back_with_up() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press(*"draft")
        assert app.input.set_aside()
        assert app.input.text == ""
        assert not app.input.set_aside()
        await pilot.press("up")
        assert app.input.text == "draft"


async def test_a_queued_message_goes_before_the_draft() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press(*"late")
        app.prompt.put_back("queued")
        assert app.prompt.draft == "queued\nlate"


@pytest.mark.parametrize("width", [80, 120])
async def test_frame_and_hint(width: int) -> None:
    app = PromptDesk()
    async with app.run_test(size=(width, 12)) as pilot:
        await pilot.pause()
        shown = rows(app)
        hint = next(line for line in shown if "Enter send" in line)
        assert hint.startswith(" ╰─") and hint.endswith("─╯")
        assert ("@ files" in hint) == (width >= 100)
        assert any(line.startswith(" │ ❯ ") for line in shown)


async def test_ascii_frame() -> None:
    app = PromptDesk()
    async with app.run_test(size=(80, 12)) as pilot:
        from widgets.glyphs import ASCII

        app.prompt.look = Look(glyphs=ASCII)
        await pilot.pause()
        assert text(app).isascii()
        assert "| > " in text(app)
