"""The preview of a compaction under real keys on the real app, over HTTP (mock 04)."""

from pathlib import Path

from textual import events

from app.conversation.messages import SummaryPart
from app.events import Summarised
from tests.endpoint import Say
from tests.screens.stage import clock_of
from tests.session.summing import Summariser, counted, request, summary
from tests.widgets.desk import has_row, rows, text
from tests.workbench.play import Play, filled, playing
from tests.workbench.test_summaries import Slow
from widgets.dialogs.compaction import CompactionDialog


def dialog_of(play: Play) -> CompactionDialog:
    """The preview that is open."""
    assert isinstance(play.app.screen, CompactionDialog)
    return play.app.screen


async def opened(play: Play, *, written: bool = True) -> CompactionDialog:
    """F7, until the preview is there, with its text, and takes keys."""
    await play.pilot.press("f7")
    await play.until(lambda: isinstance(play.app.screen, CompactionDialog))
    if written:
        await play.until(lambda: dialog_of(play).preview.phase == "ready")
    wait(play)
    return dialog_of(play)


def wait(play: Play) -> None:
    """Typing has paused."""
    clock_of(play.app).seconds += 5


async def press(play: Play, *keys: str) -> None:
    """Keys one after the other, each alone."""
    for key in keys:
        wait(play)
        await play.pilot.press(key)
        await play.pilot.pause(0.1 if len(key) == 1 else 0)


async def closed(play: Play) -> None:
    """Until the conversation is back."""
    await play.until(lambda: play.app.screen is play.app.chat)


def history(play: Play) -> str:
    """The next request, byte for byte."""
    assert play.app.session is not None
    return request(play.app.session)


def summary_told(play: Play) -> str:
    """The summary that stands in the history."""
    assert play.app.session is not None
    parts = [part for one in play.app.session.history for part in one.parts]
    return next(part.text for part in parts if isinstance(part, SummaryPart))


class TestLooking:
    async def test_both_sides_and_accept_has_the_focus(self, tmp_path: Path) -> None:
        async with playing(tmp_path) as play:
            await play.fill()
            before = history(play)
            dialog = await opened(play)
            assert has_row(play.app, "─ Compact this session ─")
            assert has_row(play.app, "Before", "k ")
            assert has_row(play.app, "After", "≈ ")
            assert has_row(play.app, "frees", "tokens · then", "summary costs ≈")
            assert has_row(play.app, "Will be summarised", "messages")
            assert has_row(play.app, "■ 1–", "Question 0?")
            assert has_row(play.app, "Stays as it is", "messages")
            assert has_row(play.app, "Carried over")
            assert has_row(play.app, "1 Goal")
            assert has_row(play.app, "- one")
            assert has_row(play.app, "tokens · written by scripted in")
            assert dialog.buttons.has_focus
            assert dialog.buttons.buttons[dialog.buttons.at].name == "accept"
            assert history(play) == before
            assert play.marks == []

    async def test_a_long_list_hides_nothing_of_the_way_back(self, tmp_path: Path) -> None:
        async with playing(tmp_path, size=(120, 36)) as play:
            app = play.app
            await play.fill(14, 1_200)
            dialog = await opened(play)

            def told() -> bool:
                return has_row(app, "The parent session stays whole.") and has_row(
                    app, "↩ undo; later expand or branch."
                )

            await play.until(lambda: told() and has_row(app, " more "))
            await press(play, "tab", "end")
            await play.until(lambda: told() and has_row(app, "▸", "recovery"))
            assert "▸" in next(row for row in rows(app) if "recovery" in row)
            await play.pilot.resize_terminal(120, 30)
            await play.until(told)
            assert dialog.list.size.height < 9
            await play.pilot.resize_terminal(80, 24)
            await play.until(lambda: has_row(app, "▸", "recovery") and not told())

    async def test_keys_wait_until_typing_has_paused(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            await play.pilot.press("f7")
            await play.until(lambda: isinstance(play.app.screen, CompactionDialog))
            await play.until(lambda: dialog_of(play).preview.phase == "ready")
            await play.pilot.press("enter", "h", "i", "1", "enter")
            await play.pilot.pause()
            dialog_of(play)
            assert play.marks == []
            assert play.app.chat is not None
            assert play.app.chat.prompt.input.text.startswith("hi")
            await press(play, "enter")
            await play.summarised()

    async def test_what_was_promised_is_what_comes(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            dialog = await opened(play)
            balance = dialog.preview.balance
            seen: list[Summarised] = []
            assert play.app.session is not None
            play.app.session.publish.listeners.append(
                lambda event: seen.append(event) if isinstance(event, Summarised) else None
            )
            await press(play, "1")
            await play.summarised()
            await closed(play)
            assert seen[0].tokens_before - seen[0].tokens_after == balance.freed
            assert seen[0].tokens == balance.summary

    async def test_nothing_older_is_said_and_nothing_opens(self, tmp_path: Path) -> None:
        async with playing(tmp_path) as play:
            await play.say("hello")
            await play.pilot.press("f7")
            await play.until(lambda: has_row(play.app, "Nothing was summarised"))
            assert play.app.screen is play.app.chat
            assert play.script.asked == []

    async def test_esc_leaves_all_and_the_text_isnt_paid_for_twice(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            before = history(play)
            await opened(play)
            await play.pilot.press("escape")
            await closed(play)
            assert history(play) == before
            await opened(play)
            assert len(play.script.asked) == 1
            await press(play, "enter")
            await play.summarised()

    async def test_what_frees_too_little_is_said_before_it_is_accepted(
        self, tmp_path: Path
    ) -> None:
        async with playing(tmp_path) as play:
            await play.fill(3)
            before = history(play)
            dialog = await opened(play)
            await press(play, "e")
            play.app.post_message(events.Paste("\n- a line of it" * 200))
            await play.until(lambda: "- a line of it" in dialog.sections.bodies[0])
            await play.pilot.press("escape")
            await play.until(lambda: has_row(play.app, "! A summary would free too little"))
            await press(play, "down", "enter")
            await play.until(lambda: has_row(play.app, "! A summary would free too little"))
            assert dialog.preview.phase == "ready"
            assert history(play) == before


class TestWriting:
    async def test_the_list_stands_while_the_model_writes(self, tmp_path: Path) -> None:
        async with filled(tmp_path, Slow()) as play:
            before = history(play)
            await opened(play, written=False)
            await play.until(lambda: has_row(play.app, "scripted is writing …", "5s"))
            assert has_row(play.app, "■ 1–", "Question 0?")
            assert has_row(play.app, "1 Esc Stop writing")
            await press(play, "enter", "1")
            await closed(play)
            assert play.app.session is not None
            await play.until(lambda: play.app.session and not play.app.session.busy)
            assert history(play) == before
            assert not has_row(play.app, "summarising")

    async def test_esc_at_once_stops_it(self, tmp_path: Path) -> None:
        async with filled(tmp_path, Slow()) as play:
            await play.pilot.press("f7")
            await play.until(lambda: play.script.asked)
            await play.pilot.press("escape")
            await closed(play)
            await play.until(lambda: play.app.session and not play.app.session.busy)
            assert play.marks == []

    async def test_again_gives_another_and_esc_keeps_the_old(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            await opened(play)
            play.script.answers = [
                lambda body: Say(summary("a better goal"), usage=counted(body, 80)),
                Say(summary("never seen"), chunk=4, pause=0.2),
            ]
            await press(play, "g")
            await play.until(lambda: has_row(play.app, "- a better goal"))
            assert dialog_of(play).preview.phase == "ready"
            await press(play, "4")
            await play.until(lambda: dialog_of(play).preview.phase == "writing")
            await play.pilot.press("escape")
            await play.until(lambda: dialog_of(play).preview.phase == "ready")
            assert has_row(play.app, "- a better goal")
            await press(play, "enter")
            await play.summarised()
            assert "a better goal" in summary_told(play)

    async def test_a_failure_says_why_and_what_to_do(self, tmp_path: Path) -> None:
        script = Summariser(Say("no headings"), Say("still none"))
        async with filled(tmp_path, script) as play:
            before = history(play)
            dialog = await opened(play, written=False)
            await play.until(lambda: has_row(play.app, "✗ There is no summary"))
            assert has_row(play.app, "lacked its four headings twice")
            assert has_row(play.app, "1 g Write again", "2 x Cut without a summary", "3 Esc Cancel")
            assert history(play) == before
            await press(play, "enter")
            await play.until(lambda: dialog.preview.phase == "ready")
            await press(play, "enter")
            await play.summarised()

    async def test_after_a_failure_it_can_be_cut(self, tmp_path: Path) -> None:
        script = Summariser(Say("no headings"), Say("still none"))
        async with filled(tmp_path, script) as play:
            await opened(play, written=False)
            await play.until(lambda: has_row(play.app, "✗ There is no summary"))
            await press(play, "x")
            await play.summarised()
            await closed(play)
            assert play.marks[0].cut

    async def test_a_history_that_moved_is_said(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            dialog = await opened(play)
            assert play.app.session is not None
            play.app.session.send("something else")
            await play.until(lambda: dialog.preview.phase == "stale")
            assert has_row(play.app, "The conversation went on meanwhile")
            assert has_row(play.app, "1 g Write again", "2 Esc Cancel")
            await play.until(lambda: play.app.session and not play.app.session.busy)
            await press(play, "g")
            await play.until(lambda: dialog.preview.phase == "ready")
            await press(play, "enter")
            await play.summarised()


class TestEditing:
    async def test_letters_are_text_and_what_is_typed_is_taken(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            dialog = await opened(play)
            await press(play, "e")
            await play.until(lambda: has_row(play.app, "Compact this session · editing"))
            assert has_row(play.app, "1 Goal   editing")
            assert has_row(play.app, " Accept    Pin    Write again    Cancel")
            assert has_row(play.app, "Ctrl+J newline", "Tab next section", "Esc leave the field")
            await play.pilot.press(*" peg 1 汉", "ctrl+j", *"two")
            await play.pilot.press("tab", *" 5", "shift+tab", "shift+tab")
            await play.until(lambda: has_row(play.app, "4 Open   editing"))
            await play.pilot.press("escape")
            await play.until(lambda: has_row(play.app, "edited by you"))
            assert dialog.preview.bodies == ("- one peg 1 汉\ntwo", "- two 5", "- three", "- four")
            await press(play, "enter")
            await play.summarised()
            told = summary_told(play)
            assert "- one peg 1 汉\ntwo" in told
            assert told.count("## ") == 4
            assert play.endpoint.violations == []

    async def test_accepting_from_the_menu_takes_the_last_letter_too(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            await opened(play)
            await press(play, "e")
            await play.pilot.press(*" last", "f9")
            await play.until(lambda: has_row(play.app, "─ Actions ─"))
            await play.pilot.press("enter")
            await play.summarised()
            assert "- one last" in summary_told(play)

    async def test_what_cant_stand_is_said_and_nothing_is_lost(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            dialog = await opened(play)
            before = history(play)
            await press(play, "e")
            await play.pilot.press("ctrl+j", *"## Done, with evidence", "escape")
            await press(play, "enter")
            await play.until(lambda: has_row(play.app, "! A line in a section reads like"))
            assert history(play) == before
            assert "## Done, with evidence" in dialog.sections.bodies[0]
            await press(play, "e")
            await play.pilot.press(*["backspace"] * 23, "escape")
            await press(play, "enter")
            await play.summarised()

    async def test_a_fast_hand_gets_its_lines_where_they_were_typed(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            dialog = await opened(play)
            await press(play, "e")
            await play.until(lambda: dialog.sections.fields[0].has_focus)
            for character in "\na\nb\nc":
                key = {"\n": "ctrl+j"}.get(character, character)
                typed = None if character == "\n" else character
                play.app.post_message(events.Key(key, typed))
            await play.until(lambda: dialog.sections.bodies[0] == "- one\na\nb\nc")

    async def test_a_field_that_was_left_isnt_called_edited_any_more(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            await opened(play)
            await press(play, "e")
            await play.until(lambda: has_row(play.app, "1 Goal   editing"))
            await play.pilot.press("escape")
            await play.until(lambda: not has_row(play.app, "editing"))

    async def test_the_menu_leads_back_into_the_field(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            dialog = await opened(play)
            await press(play, "e")
            await play.pilot.press("tab", "f9", "escape", *" here")
            assert dialog.sections.bodies[1] == "- two here"


class TestPinning:
    async def test_the_row_under_the_cursor(self, tmp_path: Path) -> None:
        async with playing(tmp_path, flags={"model.window": "32000"}) as play:
            await play.fill(9)
            dialog = await opened(play)
            await press(play, "down", "p")
            await play.until(lambda: has_row(play.app, "✓ Pinned: carried over"))
            assert has_row(play.app, "▸◆ 3–4", "Question 1?")
            await press(play, "tab", "end")
            await play.until(lambda: has_row(play.app, "◆ Question 1?"))
            await press(play, "home", "down")
            assert dialog.preview.balance.kept.pins == 2
            assert dialog.preview.phase == "ready"
            assert len(play.script.asked) == 1
            await press(play, "p")
            await play.until(lambda: has_row(play.app, "✓ No longer pinned"))
            assert dialog.preview.balance.kept.pins == 0
            await press(play, "p")
            await play.until(lambda: dialog.preview.balance.kept.pins == 2)
            await press(play, "enter")
            await play.summarised()
            assert "and 2 pins" in text(play.app) or play.marks[0].kept.pins == 2

    async def test_a_row_without_messages_says_so(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            await opened(play)
            await press(play, "tab", "end", "p")
            await play.until(lambda: has_row(play.app, "! Nothing in this row can be pinned"))


class TestMoving:
    async def test_tab_goes_round(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            dialog = await opened(play)
            assert dialog.buttons.has_focus
            await press(play, "tab")
            assert dialog.list.has_focus
            await press(play, "tab")
            assert dialog.place == "text"
            assert has_row(play.app, "↑ ↓ scroll")
            await press(play, "tab", "right", "enter")
            await play.until(lambda: has_row(play.app, "1 Goal   editing"))

    async def test_one_column_where_it_is_narrow(self, tmp_path: Path) -> None:
        async with filled(tmp_path, size=(80, 24)) as play:
            await opened(play)
            assert has_row(play.app, "■", "messages", "stay", "carried over", "Tab list")
            assert has_row(play.app, "1 Goal")
            assert not has_row(play.app, "Will be summarised")
            assert has_row(
                play.app, "1 Enter Accept   2 e Edit   3 p Pin   4 g Write again   5 Esc"
            )
            await press(play, "tab")
            await play.until(lambda: has_row(play.app, "Will be summarised"))
            assert has_row(play.app, "Tab summary")
            assert not has_row(play.app, "1 Goal")
            await press(play, "tab")
            await play.until(lambda: has_row(play.app, "1 Goal"))
            await press(play, "p")
            await play.until(lambda: has_row(play.app, "Will be summarised"))
            assert dialog_of(play).preview.balance.kept.pins == 0, "first it is shown"
            await press(play, "f9", *["down"] * 5, "enter")
            await play.until(lambda: has_row(play.app, "1 Goal"))

    async def test_in_chinese(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            play.app.action_language()
            await opened(play, written=False)
            await play.until(lambda: dialog_of(play).preview.phase != "writing")
            for said in ("压缩当前会话", "压缩前", "释放", "将被摘要", "原样保留", "一并带上"):
                assert has_row(play.app, said)

    async def test_nothing_is_cut_off(self, tmp_path: Path) -> None:
        async with filled(tmp_path) as play:
            for columns, lines in ((80, 24), (100, 24), (120, 36), (160, 48)):
                await play.pilot.resize_terminal(columns, lines)
                dialog = await opened(play)
                assert dialog.size == (columns, lines)
                region = dialog.window.region
                assert region.bottom <= lines
                assert region.right <= columns
                assert has_row(play.app, "1 Enter Accept", "5 Esc Cancel")
                assert [row for row in rows(play.app) if "╰─" in row and "─╯" in row]
                await play.pilot.press("escape")
                await closed(play)
