"""Summaries under real keys on the real app, over HTTP to a model that writes them."""

from collections.abc import Sequence
from pathlib import Path

from app.screens.context import ContextScreen
from app.session.launch import StartRequest
from app.view.items import UserItem
from tests.endpoint import Say
from tests.endpoint.script import Body, Step
from tests.screens.stage import clock_of
from tests.session.summing import Summariser, counted, prose, request, summary
from tests.widgets.desk import has_row, rows, text
from tests.workbench.play import filled, playing
from widgets.dialogs.choice import ChoiceDialog
from widgets.dialogs.compaction import CompactionDialog


class Slow(Summariser):
    """Its summaries wait until they are let out."""

    def __init__(self, *answers: Step) -> None:
        super().__init__(*answers)
        self.good = lambda body: Say(summary(), pause=0.05, chunk=4, usage=counted(body, 80))


def said_by_user(bodies: Sequence[Body]) -> list[str]:
    """The newest message of each request, as far as it is short."""
    return [str(body["messages"][-1]["content"])[:40] for body in bodies]


async def test_f7_compacts_and_enter_on_its_divider_takes_it_back(tmp_path: Path) -> None:
    async with playing(tmp_path) as play:
        app = play.app
        await play.fill()
        assert app.session is not None and app.chat is not None
        before, node = request(app.session), app.session.node
        said = [item.id for item in app.chat.store if isinstance(item, UserItem)]
        await play.compact()
        await play.until(lambda: has_row(app, "──── summarised", "messages →", "tokens  ↩ undo"))
        assert has_row(app, "Σ summarised", "freed")
        assert has_row(app, "word for word: your")
        assert app.session.node != node
        await play.until(lambda: app.session and f"#{app.session.node[:4]}" in rows(app)[0])
        assert [item.id for item in app.chat.store if isinstance(item, UserItem)] == said
        await play.on_the_divider()
        await play.pilot.press("enter")
        await play.until(lambda: has_row(app, "──── ↩ undone:", "messages are back · +"))
        await play.until(lambda: has_row(app, "Automatic summaries stay paused in this"))
        assert (request(app.session), app.session.node) == (before, node)
        assert app.session.summaries_paused
        await play.until(lambda: f"#{node[:4]}" in rows(app)[0])
        await play.pilot.press("enter")
        await play.until(lambda: app.session and not app.session.summaries_paused)
        await play.until(lambda: not has_row(app, "Automatic summaries stay paused"))


async def test_compact_with_a_focus_then_undo_as_commands(tmp_path: Path) -> None:
    async with filled(tmp_path) as play:
        app = play.app
        assert app.session is not None and app.chat is not None
        before = request(app.session)
        app.chat.run_line("/compact the port numbers")
        await play.summarised()
        assert "the port numbers" in str(play.script.asked[0]["messages"])
        app.chat.run_line("/undo")
        await play.until(lambda: has_row(app, "↩ undone:"))
        assert request(app.session) == before
        app.chat.run_line("/undo")
        await play.until(lambda: has_row(app, "Nothing to undo"))


async def test_what_is_typed_meanwhile_waits_and_is_sent_together(tmp_path: Path) -> None:
    async with filled(tmp_path, Slow()) as play:
        app = play.app
        assert app.chat is not None
        work = play.compact_at_once()
        await play.until(lambda: has_row(app, "summarising", "messages  ", "Esc keep the history"))
        assert "Esc Stop" in rows(app)[-1]
        app.chat.run_line("Then the Dockerfile.")
        app.chat.run_line("And the release note.")
        await play.until(lambda: has_row(app, "sent together when the summary is done"))
        await play.pilot.press("up")
        await play.until(lambda: app.chat and app.chat.prompt.input.text == "And the release note.")
        await play.pilot.press("enter")
        talked = len(play.script.said)
        await play.summarised()
        await play.until(lambda: len(play.script.said) > talked)
        sent = str(play.script.said[talked]["messages"][-2:])
        assert "Then the Dockerfile." in sent and "And the release note." in sent
        await play.until(lambda: not has_row(app, "queued"))
        assert await work
        await play.until(lambda: has_row(app, "──── summarised", "expand · branch"))


async def test_esc_keeps_the_history_and_what_waits(tmp_path: Path) -> None:
    async with filled(tmp_path, Slow()) as play:
        app = play.app
        assert app.chat is not None and app.session is not None
        before = request(app.session)
        work = play.compact_at_once()
        await play.until(lambda: has_row(app, "Esc keep the history"))
        app.chat.run_line("Then the Dockerfile.")
        await play.pilot.press("escape")
        await play.until(lambda: app.session and not app.session.busy)
        assert not await work
        await play.until(lambda: has_row(app, "Σ The summary was stopped"))
        assert has_row(app, "Enter sends it")
        assert request(app.session) == before and not play.marks
        await play.pilot.press("enter")
        await play.until(lambda: "Then the Dockerfile." in str(said_by_user(play.script.said)))


async def test_esc_lets_the_turn_go_on_without_the_summary_it_waits_for(tmp_path: Path) -> None:
    """STYLE 14 "Esc keep the history": nothing is lost, and the next call doesn't begin it anew."""
    async with playing(tmp_path, Slow()) as play:
        app = play.app
        await play.fill(6)
        assert app.chat is not None and app.session is not None and not play.script.asked
        kept = [message.id for message in app.session.history]
        node, talked = app.session.node, len(play.script.said)
        app.chat.run_line(prose("topic 7", 12_000))
        await play.until(lambda: has_row(app, "Esc keep the history"))
        await play.pilot.press("escape")
        await play.until(lambda: len(play.script.said) > talked)
        await play.until(lambda: app.session and not app.session.busy)
        assert app.session.outcome.ok, "the turn went on"
        await play.until(lambda: has_row(app, "Σ The summary was stopped"))
        await play.until(lambda: has_row(app, "↩ summaries paused by you"))
        assert has_row(app, "● 16k") and not has_row(app, "Σ due")
        assert [message.id for message in app.session.history][: len(kept)] == kept
        assert app.session.node == node and len(play.script.asked) == 1
        await play.say("And now?")
        assert len(play.script.asked) == 1, "it pauses"


async def test_one_that_fails_says_why(tmp_path: Path) -> None:
    script = Summariser(Say("All went well."), Say("All went well."))
    async with filled(tmp_path, script) as play:
        app = play.app
        assert not await play.compact_at_once()
        await play.until(lambda: has_row(app, "Σ The summary lacked its four headings twice"))
        assert not play.marks


async def test_the_leader_opens_the_preview_too(tmp_path: Path) -> None:
    async with filled(tmp_path) as play:
        await play.pilot.press("ctrl+g", "c")
        await play.until(lambda: isinstance(play.app.screen, CompactionDialog))
        await play.pilot.press("escape")
        await play.until(lambda: play.app.screen is play.app.chat)
        assert not play.marks


async def test_with_nothing_to_summarise_it_says_so(tmp_path: Path) -> None:
    async with playing(tmp_path) as play:
        await play.pilot.press("f7")
        await play.until(lambda: has_row(play.app, "Nothing was summarised"))
        assert play.script.asked == []


async def test_at_the_mark_it_is_made_by_itself(tmp_path: Path) -> None:
    async with playing(tmp_path) as play:
        await play.fill(9)
        assert play.marks and not play.marks[0].undoable
        await play.on_the_divider()
        await play.until(lambda: has_row(play.app, "──── summarised", "expand · branch"))
        asked = len(play.script.asked)
        assert asked == len(play.marks), "each was asked for once"


async def test_an_older_one_is_expanded_here_and_that_is_undone(tmp_path: Path) -> None:
    async with filled(tmp_path) as play:
        app = play.app
        await play.compact()
        await play.say("Go on.")
        assert app.session is not None
        before = request(app.session)
        await play.on_the_divider()
        await play.pilot.press("enter")
        await play.until(lambda: isinstance(app.screen, ChoiceDialog))
        await play.until(lambda: has_row(app, "What this summary stands for"))
        await play.choose("h")
        await play.until(lambda: has_row(app, "──── summarised", "expanded · branch"))
        await play.until(lambda: has_row(app, "Expanded here"))
        assert "Question 0?" in request(app.session)
        await play.on_the_divider()
        await play.until(lambda: has_row(app, "──── expanded:", "messages are back · +", "undo"))
        await play.pilot.press("enter")
        await play.until(lambda: has_row(app, "↩ undone: the summary stands for", "· -"))
        assert request(app.session) == before


async def test_what_left_with_a_summary_isnt_pinned_and_that_is_said(tmp_path: Path) -> None:
    async with filled(tmp_path) as play:
        app = play.app
        await play.compact()
        assert app.chat is not None and app.session is not None
        app.chat.transcript.focus()
        await play.pilot.press("home")
        await play.until(lambda: app.chat and app.chat.transcript.marked)
        await play.pilot.press("p")
        await play.until(lambda: has_row(app, "This can't be pinned"))
        assert has_row(app, "it left the context; only what is in")
        await app.run_entry("/pin")
        await play.pilot.pause(0.2)
        assert not has_row(app, "kept word for word")
        assert not any(app.session.pinned(one.id) for one in app.session.history)


async def test_branch_opens_the_node_before_it(tmp_path: Path) -> None:
    async with filled(tmp_path) as play:
        app = play.app
        assert app.session is not None
        whole = request(app.session)
        await play.compact()
        await play.say("Go on.")
        child = app.session.node
        await play.on_the_divider()
        await play.pilot.press("enter")
        await play.choose("2")
        await play.until(lambda: has_row(app, "──── forked from"))
        assert request(app.session) == whole
        assert app.session.node != child
        assert "Go on." not in text(app)


async def test_resumed_its_divider_has_its_figures_and_can_still_be_undone(tmp_path: Path) -> None:
    async with playing(tmp_path) as play:
        await play.fill()
        assert play.app.session is not None
        before = request(play.app.session)
        await play.compact()
        await play.until(lambda: has_row(play.app, "──── summarised"))
        shown = next(row for row in rows(play.app) if "──── summarised" in row)
        kept = [row for row in rows(play.app) if "word for word" in row]
        assert kept
    start = StartRequest("continue")
    async with playing(tmp_path, start=start, first_id=1_000) as play:
        app = play.app
        await play.until(lambda: has_row(app, "──── summarised"))
        assert next(row for row in rows(app) if "──── summarised" in row)[:70] == shown[:70]
        assert [row for row in rows(app) if "word for word" in row] == kept
        assert not has_row(app, "I have the record"), "nobody said that"
        assert app.chat is not None and app.session is not None
        asked = [item for item in app.chat.store if isinstance(item, UserItem)]
        assert [item.text for item in asked] == [f"Question {number}?" for number in range(4)]
        await play.on_the_divider()
        await play.pilot.press("enter")
        await play.until(lambda: has_row(app, "↩ undone:"))
        assert request(app.session) == before


async def test_the_first_send_after_a_resume_offers_to_compact(tmp_path: Path) -> None:
    async with playing(tmp_path, flags={"compaction.auto": "off"}) as play:
        await play.fill(9)
    start = StartRequest("continue")
    async with playing(tmp_path, start=start, first_id=1_000) as play:
        app = play.app
        await play.until(lambda: app.session and len(app.session.history) > 2)
        await play.pilot.press(*"go", "enter")
        await play.choose("c")
        await play.until(lambda: has_row(app, "written by scripted"))
        clock_of(app).seconds += 5
        await play.pilot.press("enter")
        await play.summarised()
        assert app.chat is not None and app.chat.prompt.input.text == "go"
        assert play.script.said == []


async def test_too_large_the_user_cuts_without_a_summary_and_it_goes_on(tmp_path: Path) -> None:
    script = Summariser(*[Say("")] * 8)
    async with playing(tmp_path, script) as play:
        app = play.app
        for topic in ("first", "second"):
            await play.say(prose(topic, 13_000))
        assert app.session is not None and app.chat is not None
        app.chat.run_line(prose("last", 30_000))
        await play.until(lambda: isinstance(app.screen, ChoiceDialog))
        await play.until(lambda: has_row(app, "Too large to send"))
        assert has_row(app, "1 x Cut", "2 m Model", "3 s Shorten", "4 f Fork")
        talked = len(play.script.said)
        await play.choose("x")
        await play.until(lambda: has_row(app, "messages left out, no summary"))
        await play.until(lambda: len(play.script.said) > talked)
        assert app.session.outcome.ok or app.session.busy


async def test_too_large_by_itself_only_what_can_help_is_offered(tmp_path: Path) -> None:
    """FIELD 70: one message is all there is; nothing could be cut or summarised."""
    async with playing(tmp_path) as play:
        app = play.app
        assert app.session is not None and app.chat is not None
        app.chat.run_line(prose("only", 80_000))
        await play.until(lambda: isinstance(app.screen, ChoiceDialog))
        await play.until(lambda: has_row(app, "1 m Model", "2 s Shorten"))
        assert "Cut" not in text(app)
        assert "f Fork" not in text(app)  # there is no earlier message to keep
        await play.choose("s")
        await play.until(lambda: has_row(app, "What is largest"))
        assert "cut" in app.session.outcome.choices


async def test_in_context_it_stands_in_composition_and_plot(tmp_path: Path) -> None:
    async with filled(tmp_path, size=(120, 48)) as play:
        app = play.app
        await play.compact()
        await play.say("Go on.")
        assert app.chat is not None
        app.chat.run_line("/context")
        await play.until(lambda: isinstance(app.screen, ContextScreen))
        await play.until(lambda: has_row(app, "summary and recovery"))
        assert any("Σ" in row and "due" not in row for row in rows(app))
        assert "F7 Compact" in rows(app)[-1]
