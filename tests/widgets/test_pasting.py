"""Long pastes in the prompt under real keys: a mark, the text whole, and back."""

import asyncio

from textual import events

from tests.widgets.desk import text
from tests.widgets.test_prompt import PromptDesk
from widgets.pasting import mark_ending, mark_near

LONG = "line 海马\n" * 5_000


class Keeper:
    """Keeps what is longer than a hundred characters; slow, if a test wants."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.gone = False
        self.may: asyncio.Event | None = None

    async def keep(self, text: str) -> str | None:
        if self.may is not None:
            await self.may.wait()
        if len(text) <= 100:
            return None
        path = f".haima/pastes/abc123/{len(self.kept) + 1:03}-paste.txt"
        self.kept[path] = text
        return f"[pasted: {path}, {len(text):,} characters]"

    async def whole(self, path: str) -> str | None:
        return None if self.gone else self.kept[path]


class PasteDesk(PromptDesk):
    def __init__(self) -> None:
        super().__init__()
        self.keeper = Keeper()

    def on_mount(self) -> None:
        super().on_mount()
        self.input.pastes = self.keeper


MARK = "[pasted: .haima/pastes/abc123/001-paste.txt, 40,000 characters]"
SECOND = "[pasted: .haima/pastes/abc123/002-paste.txt, 200 characters]"


async def test_a_long_paste_is_a_mark_and_its_text_is_kept() -> None:
    app = PasteDesk()
    async with app.run_test(size=(100, 12)) as pilot:
        await pilot.press(*"why ")
        app.post_message(events.Paste(LONG.replace("\n", "\r\n")))
        await pilot.pause()
        await pilot.press(*" so")
        assert app.input.text == f"why {MARK} so"
        assert list(app.keeper.kept.values()) == [LONG]
        await pilot.press("enter")
        assert app.sent == [f"why {MARK} so"]


async def test_a_short_one_stands_there_as_ever() -> None:
    app = PasteDesk()
    async with app.run_test(size=(100, 12)) as pilot:
        app.post_message(events.Paste("one\r\ntwo"))
        await pilot.pause()
        assert app.input.text == "one\ntwo"
        assert "Ctrl+O" not in text(app)


async def test_keys_typed_while_it_is_written_stand_behind_it() -> None:
    app = PasteDesk()
    app.keeper.may = asyncio.Event()
    async with app.run_test(size=(100, 12)) as pilot:
        app.post_message(events.Paste(LONG))
        for letter in "ab":
            app.post_message(events.Key(letter, letter))
        await asyncio.sleep(0)
        assert app.input.text == ""
        app.keeper.may.set()
        await pilot.pause()
        assert app.input.text == f"{MARK}ab"


async def test_a_key_has_it_whole_and_undo_the_mark_again() -> None:
    app = PasteDesk()
    async with app.run_test(size=(100, 12)) as pilot:
        await pilot.press(*"a ")
        app.post_message(events.Paste(LONG))
        await pilot.pause()
        assert "Ctrl+O keeps the paste whole" in text(app)
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert app.input.text == f"a {LONG}"
        assert "Ctrl+O" not in text(app)
        await pilot.press("ctrl+z")
        await pilot.pause()
        assert app.input.text == f"a {MARK}"
        assert "Ctrl+O keeps the paste whole" in text(app)


async def test_the_one_at_the_cursor_is_meant() -> None:
    app = PasteDesk()
    async with app.run_test(size=(100, 12)) as pilot:
        for pasted in (LONG, "x" * 200):
            app.post_message(events.Paste(pasted))
            await pilot.pause()
            await pilot.press("ctrl+j")
        await pilot.press("home", "up", "up", "right", "ctrl+o")
        await pilot.pause()
        assert app.input.text == f"{LONG}\n{SECOND}\n"
        await pilot.press("ctrl+end", "ctrl+o")
        await pilot.pause()
        assert app.input.text == f"{LONG}\n{'x' * 200}\n"
        await pilot.press("ctrl+o")
        assert app.input.text == f"{LONG}\n{'x' * 200}\n"


async def test_one_that_is_gone_leaves_its_mark() -> None:
    app = PasteDesk()
    async with app.run_test(size=(100, 12)) as pilot:
        app.post_message(events.Paste(LONG))
        await pilot.pause()
        app.keeper.gone = True
        await pilot.press("ctrl+o")
        assert app.input.text == MARK


async def test_backspace_takes_a_mark_as_a_whole() -> None:
    app = PasteDesk()
    async with app.run_test(size=(100, 12)) as pilot:
        await pilot.press(*"a ", "ctrl+j")
        app.post_message(events.Paste(LONG))
        await pilot.pause()
        await pilot.press("b", "backspace", "backspace")
        assert app.input.text == "a \n"
        await pilot.press("ctrl+z")
        assert app.input.text == f"a \n{MARK}"
        await pilot.press("left", "backspace")
        assert app.input.text == f"a \n{MARK[:-2]}]"


async def test_a_mark_comes_back_from_the_history_and_a_draft() -> None:
    app = PasteDesk()
    async with app.run_test(size=(100, 12)) as pilot:
        app.post_message(events.Paste(LONG))
        await pilot.pause()
        await pilot.press("enter", "up")
        assert app.input.text == MARK
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert app.input.text == LONG
        app.input.fill("")
        app.prompt.put_back(MARK)
        await pilot.pause()
        assert app.prompt.draft == MARK
        assert "Ctrl+O" in text(app)


def test_which_mark_is_near() -> None:
    both = f"a {MARK} b {SECOND} c"
    assert mark_near("none", 0) is None
    for place, number in ((0, "001"), (2, "001"), (len(MARK) + 3, "001"), (len(both), "002")):
        near = mark_near(both, place)
        assert near is not None
        assert number in near.path
    assert mark_ending(both, 2 + len(MARK)) == mark_near(both, 0)
    assert mark_ending(both, 3) is None
