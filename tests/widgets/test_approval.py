"""The approval under real keys (STYLE 7, 8, 14; mock 07)."""

import asyncio
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from app.events import ApprovalAnswer, ApprovalQuestion, DiffLine, Finding
from app.text import Words
from tests.widgets.desk import Desk, has_row, rows, text
from widgets.dialogs.approval import ApprovalDialog
from widgets.dialogs.base import Dialog
from widgets.glyphs import ASCII
from widgets.look import Look

COMMAND = "rm -rf target/ && ./mvnw -q clean verify \\\n  -pl order-core -am"
QUESTION = ApprovalQuestion(
    id="c1",
    tool="execute_command",
    risk="command",
    subject=COMMAND,
    place="~/code/order-service",
    marked=((0, 6),),
    findings=(
        Finding(
            label="Deletes files",
            text="rm -rf target/  412 files, 86 MB, all git-ignored",
            severity="warn",
        ),
        Finding(label="Network", text="may download Maven artifacts"),
        Finding(label="Why", text="stale classes compiled for 17 break the test run"),
    ),
    scope="./mvnw *  but never rm",
    editable=True,
)
NO_SCOPE = QUESTION.model_copy(update={"scope": ""})


class ApprovalDesk(Desk):
    """Asks one question; the clock only moves when told to."""

    def __init__(self, question: ApprovalQuestion = QUESTION, look: Look | None = None) -> None:
        super().__init__()
        self.now = 50.0
        self.dialog = ApprovalDialog(question, look or Look(), clock=lambda: self.now)
        self.answers: list[ApprovalAnswer | None] = []
        self.draft = ""

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.answers.append)

    def on_dialog_typed(self, message: Dialog.Typed) -> None:
        self.draft += message.text

    async def ready(self, pilot: Pilot[None]) -> None:
        await pilot.pause()
        self.now += 5


async def settle(app: ApprovalDesk, pilot: Pilot[None]) -> None:
    for _ in range(100):
        await asyncio.sleep(0.01)
        if app.answers:
            return


def answer(verdict: Any, **more: Any) -> ApprovalAnswer:
    return ApprovalAnswer(verdict=verdict, **more)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("enter",), answer("refuse")),
        (("y",), answer("once")),
        (("a",), answer("always")),
        (("n",), answer("refuse")),
        (("1",), answer("once")),
        (("2",), answer("always")),
        (("3",), answer("refuse")),
        (("tab", "enter"), answer("once")),
        (("right", "right", "enter"), answer("always")),
        (("left", "enter"), answer("always")),
        (("shift+tab", "shift+tab", "enter"), answer("once")),
        (("escape", "escape"), answer("refuse")),
        (("escape", *"too risky", "enter"), answer("refuse", reason="too risky")),
        (("escape", "enter"), answer("refuse")),
    ],
)
async def test_answers(keys: tuple[str, ...], expected: ApprovalAnswer) -> None:
    app = ApprovalDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await app.ready(pilot)
        await pilot.press(*keys)
        await settle(app, pilot)
        assert app.answers == [expected]


async def test_before_the_pause_only_esc_acts_and_text_goes_to_the_draft() -> None:
    app = ApprovalDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        await pilot.press("enter", "tab", "enter", "y", "e", "s")
        await pilot.pause(0.12)
        assert app.answers == []
        assert app.draft == "yes"
        await pilot.press("escape")
        assert app.dialog.mode == "why"


async def test_a_committed_word_and_a_paste_press_nothing() -> None:
    app = ApprovalDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await app.ready(pilot)
        for letter in "yes":
            app.post_message(events.Key(letter, letter))
        await pilot.pause(0.12)
        app.now += 5
        app.post_message(events.Key("好", "好"))
        await pilot.pause()
        app.now += 5
        app.post_message(events.Paste("y"))
        await pilot.pause(0.12)
        assert app.answers == []
        assert app.draft == "yes好y"


async def test_without_a_scope_always_is_not_offered() -> None:
    app = ApprovalDesk(NO_SCOPE)
    async with app.run_test(size=(120, 36)) as pilot:
        await app.ready(pilot)
        assert "Always" not in text(app) and "always covers" not in text(app)
        await pilot.press("2")
        await settle(app, pilot)
        assert app.answers == [answer("refuse")]


async def test_the_command_can_be_changed_before_it_runs() -> None:
    app = ApprovalDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await app.ready(pilot)
        await pilot.press("e")
        await pilot.pause(0.12)
        assert app.dialog.mode == "edit"
        await pilot.press(*" -X", "enter")
        await pilot.pause()
        assert "edited by you" in text(app) and "Deletes files" not in text(app)
        assert "Always" not in text(app)
        app.now += 5
        await pilot.press("y")
        await settle(app, pilot)
        assert app.answers == [answer("once", edited=COMMAND + " -X")]


async def test_leaving_the_edit_changes_nothing() -> None:
    app = ApprovalDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await app.ready(pilot)
        await pilot.press("e")
        await pilot.pause(0.12)
        await pilot.press("x", "escape")
        app.now += 5
        await pilot.press("y")
        await settle(app, pilot)
        assert app.answers == [answer("once")]


async def test_an_edit_key_means_nothing_where_nothing_can_be_edited() -> None:
    app = ApprovalDesk(QUESTION.model_copy(update={"editable": False}))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.ready(pilot)
        assert "edit command" not in text(app)
        await pilot.press("e")
        await pilot.pause(0.12)
        assert app.dialog.mode == "ask"
        assert app.draft == "e"


@pytest.mark.parametrize(("size", "first", "last"), [((120, 36), 8, 26), ((80, 24), 3, 19)])
async def test_it_stands_where_the_mock_has_it(
    size: tuple[int, int], first: int, last: int
) -> None:
    app = ApprovalDesk()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        shown = rows(app)
        width = 84 if size[0] == 120 else 74
        left = (size[0] - width) // 2
        assert shown[first][left:].startswith("╭─ Approve command ─")
        assert shown[last][left:].startswith("╰──")
        assert has_row(app, "execute_command in ~/code/order-service")
        assert has_row(app, "$ rm -rf target/ && ./mvnw -q clean verify \\")
        assert has_row(app, "! Deletes files   rm -rf target/  412 files")
        assert has_row(app, "· Network         may download")
        assert has_row(app, " 1 y Run once    2 a Always this session    3 n Refuse ")
        assert has_row(app, "always covers: ./mvnw *  but never rm")
        assert has_row(app, "Tab ← → choose   e edit command   Esc refuse and say why")


async def test_questions_behind_it_are_counted() -> None:
    app = ApprovalDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        app.dialog.waiting = 1
        await pilot.pause()
        assert has_row(app, "execute_command in", "● ○  1 of 2")


async def test_chinese() -> None:
    app = ApprovalDesk(look=Look(Words("zh")))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert has_row(app, " 1 y 执行一次    2 a 本会话总是允许    3 n 拒绝 ")
        assert has_row(app, "总是允许的范围：", "./mvnw *")


async def test_ascii() -> None:
    app = ApprovalDesk(look=Look(glyphs=ASCII))
    async with app.run_test(size=(80, 24)) as pilot:
        app.dialog.waiting = 2
        await pilot.pause()
        assert text(app).isascii()


async def test_a_long_command_scrolls_and_the_buttons_stay() -> None:
    long = QUESTION.model_copy(update={"subject": "\n".join(f"echo {n}" for n in range(200))})
    app = ApprovalDesk(long)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.ready(pilot)
        assert "3 n Refuse" in text(app) and "echo 0" in text(app)
        assert has_row(app, "Esc refuse and say why   PgDn more")
        await pilot.press("pagedown")
        await pilot.pause()
        assert "echo 0" not in rows(app)[6]
        assert "3 n Refuse" in text(app)


async def test_what_scrolls_only_on_a_smaller_screen_says_so_there() -> None:
    long = QUESTION.model_copy(update={"subject": "\n".join(f"echo {n}" for n in range(12))})
    app = ApprovalDesk(long)
    async with app.run_test(size=(120, 36)) as pilot:
        await app.ready(pilot)
        assert "PgDn" not in text(app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert has_row(app, "Esc refuse and say why   PgDn more")
        await pilot.resize_terminal(120, 36)
        await pilot.pause()
        assert "PgDn" not in text(app)


async def test_a_low_screen_has_no_blank_rows_while_the_command_is_cut() -> None:
    words = "word " * 16  # two rows each
    findings = tuple(Finding(label=f"Risk {n}", text=words.rstrip()) for n in range(3))
    commands = [f"echo {n}" for n in range(5)]
    update = {"subject": "\n".join(commands), "findings": findings, "scope": ""}
    app = ApprovalDesk(QUESTION.model_copy(update=update))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.ready(pilot)
        assert [one for one in commands if not has_row(app, one)] == []
        assert "PgDn" not in text(app) and has_row(app, "Esc refuse and say why")


async def test_control_characters_are_shown_and_the_mark_stays_in_place() -> None:
    sneaky = QUESTION.model_copy(update={"subject": "\x1brm -rf x", "marked": ((1, 7),)})
    app = ApprovalDesk(sneaky)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert "$ \\x1brm -rf x" in text(app)
        y = next(i for i, row in enumerate(rows(app)) if "rm -rf" in row)
        strip = app.screen._compositor.render_strips()[y]
        danger = [s.text for s in strip if s.style and s.style.bold and "rm" in s.text]
        assert danger == ["rm -rf"]


async def test_a_write_shows_its_change() -> None:
    question = ApprovalQuestion(
        id="w",
        tool="edit_file",
        risk="write",
        subject="pom.xml",
        place="~/code/order-service",
        scope="src/",
        diff=(
            DiffLine(number=41, sign="-", text="<java.version>17</java.version>"),
            DiffLine(number=41, sign="+", text="<java.version>21</java.version>"),
        ),
    )
    app = ApprovalDesk(question)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert "Approve change" in text(app)
        assert has_row(app, "41 - <java.version>17")
        assert has_row(app, "41 + <java.version>21")


async def test_many_findings_leave_the_buttons_in_view() -> None:
    many = tuple(Finding(label=f"Risk {n}", text="word " * 30) for n in range(20))
    command = "\n".join(f"echo {n}" for n in range(12))
    app = ApprovalDesk(QUESTION.model_copy(update={"findings": many, "subject": command}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.ready(pilot)
        await pilot.pause()
        assert "3 n Refuse" in text(app) and "Risk 0" in text(app)
        assert "more lines" in text(app)
        await pilot.press("e")
        await pilot.pause(0.12)
        await pilot.pause()
        assert has_row(app, "Run once", "Refuse") and "Risk 0" in text(app)
        assert has_row(app, "Enter", "Esc leave it as it was")


async def test_in_a_field_the_buttons_name_no_letters_or_digits() -> None:
    """There they are text (STYLE 14); out of it they name them again."""
    app = ApprovalDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.ready(pilot)
        assert has_row(app, "1 y Run once", "3 n Refuse")
        for key in ("e", "escape"):
            await pilot.press(key)
            await pilot.pause(0.12)
            await pilot.pause()
            assert has_row(app, "Run once", "Refuse") and "n Refuse" not in text(app)
            if key == "e":
                await pilot.press("escape")
                await pilot.pause()
                assert has_row(app, "1 y Run once", "3 n Refuse")


async def test_too_small_to_read_is_too_small_to_answer() -> None:
    app = ApprovalDesk()
    async with app.run_test(size=(70, 20)) as pilot:
        await app.ready(pilot)
        assert "Haima needs 80×24, now 70×20" in text(app)
        await pilot.press("y", "enter", "escape")
        await pilot.pause(0.12)
        assert app.answers == [] and app.draft == ""
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        await pilot.press("y")
        await settle(app, pilot)
        assert app.answers == [answer("once")]
