"""What the guard cuts, in whole sessions over HTTP: told, followed by the gauge, taken back."""

import json
from pathlib import Path

from pydantic import TypeAdapter

from app.config import CompactionSettings
from app.conversation.messages import Message
from app.conversation.window import guard_mark
from app.events import AnyEvent, ContextMeasured, Event, Guarded, Restored
from app.headless import event_line
from app.session.plain import PlainPrinter
from app.text import Words
from app.view.items import GuardMarkItem, UndoneItem
from app.view.plain_lines import left_line
from app.view.transcript import TranscriptStore
from tests.endpoint import Say, Status
from tests.endpoint.script import Body
from tests.session.summing import Summariser, at_length, counted, request, talking, texts

BROKEN = Status(400, {"error": {"message": "no", "type": "invalid_request_error"}})
WINDOW = 16_000
CLEARS = CompactionSettings(auto="clear")
"""No summary comes before the guard."""


async def test_it_is_told_the_gauge_follows_and_undo_takes_it_back(tmp_path: Path) -> None:
    """A long answer, then a smaller window: only the guard is left."""
    script = Summariser()
    script.talk = lambda body: at_length(body, 60_000)
    async with talking(tmp_path, script, window=64_000, compaction=CLEARS) as (recorded, endpoint):
        session = recorded.session
        said, shown = list[str](), list[str]()
        order, store = list[Event](), TranscriptStore(clock=lambda: 0.0)
        printer = PlainPrinter(session, say=said.append, show=shown.append)

        def keep(event: Event) -> None:
            order.append(event)

        session.publish.listeners += [keep, store.apply, printer]
        assert (await session.run("Tell me all")).ok
        assert not recorded.of("guarded")
        (long,) = _answers(session.history.messages)
        session.context.set_window(WINDOW)
        figure = recorded.contexts[-1].tokens
        assert figure > guard_mark(WINDOW)

        script.talk = lambda _: BROKEN
        await session.run("And now?")
        (told,) = recorded.of("guarded")
        assert isinstance(told, Guarded)
        assert (told.messages, told.count) == ((long.id,), 1)
        assert told.tokens_before >= figure
        assert told.tokens_after < guard_mark(WINDOW)
        place = order.index(told)
        before = next(one for one in order[place::-1] if isinstance(one, ContextMeasured))
        after = order[place + 1]
        assert isinstance(after, ContextMeasured)
        assert (before.tokens, after.tokens) == (told.tokens_before, told.tokens_after)
        (sent,) = [text for text in texts(endpoint.requests[-1]) if "answer 2 line 0" in text]
        assert "characters left out here, as the window is full" in sent

        assert left_line(told, Words("en")) in said
        assert "1 message cut short to fit the window" in left_line(told, Words("en"))
        read = TypeAdapter[AnyEvent](AnyEvent).validate_json(event_line(told))
        assert read.model_dump() == told.model_dump()
        assert json.loads(event_line(told))["type"] == "guarded"

        (mark,) = (item for item in store if isinstance(item, GuardMarkItem))
        assert (mark.count, mark.undoable) == (1, session.can_undo_clear) == (1, True)
        assert await session.undo_clear()
        assert _answers(session.history.messages) == [long]
        (back,) = recorded.of("restored")
        assert isinstance(back, Restored)
        assert recorded.contexts[-1].tokens == told.tokens_before
        (undone,) = (item for item in store if isinstance(item, UndoneItem))
        assert (undone.what, undone.count, undone.tokens) == ("cuts", 1, back.tokens)
        assert undone.tokens > 0

        session.context.set_window(64_000)
        script.talk = lambda body: Say("Noted.", usage=counted(body, 3))
        assert session.go_on()
        await session.wait_idle()
        assert session.outcome.ok
        assert recorded.of("guarded") == [told]
        assert endpoint.violations == []


async def test_after_an_answer_it_cannot_be_undone_and_the_line_does_not_offer_it(
    tmp_path: Path,
) -> None:
    script = Summariser()
    script.talk = lambda body: at_length(body, 60_000)
    async with talking(tmp_path, script, window=64_000, compaction=CLEARS) as (recorded, _):
        session, store = recorded.session, TranscriptStore(clock=lambda: 0.0)
        session.publish.listeners.append(store.apply)
        await session.run("Tell me all")
        session.context.set_window(WINDOW)
        script.talk = _notes
        assert (await session.run("And now?")).ok
        assert len(recorded.of("guarded")) == 1
        cut = request(session)
        (mark,) = (item for item in store if isinstance(item, GuardMarkItem))
        assert not mark.undoable
        assert not await session.undo_clear()
        assert request(session) == cut


async def test_after_a_refusal_it_is_told_too(tmp_path: Path) -> None:
    """The provider's window is smaller than the one that was set."""
    script = Summariser()
    script.talk = lambda body: at_length(body, 60_000)
    async with talking(tmp_path, script, window=64_000, compaction=CLEARS, limit=WINDOW) as (
        recorded,
        endpoint,
    ):
        session = recorded.session
        assert (await session.run("Tell me all")).ok
        script.talk = _notes
        assert (await session.run("And now?")).ok
        assert len(endpoint.refusals) == 1
        kinds = recorded.types
        assert kinds.index("guarded") < kinds.index("retry")
        assert len(recorded.of("guarded")) == 1
        assert endpoint.violations == []


def _notes(body: Body) -> Say:
    return Say("Noted.", usage=counted(body, 3))


def _answers(messages: tuple[Message, ...]) -> list[Message]:
    return [one for one in messages if one.role == "assistant" and one.text]
