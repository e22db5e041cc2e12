"""A running app at a model that writes summaries; empty, or where a conversation stands already."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from textual.pilot import Pilot

from app.llm.client import OpenAIModel
from app.session.launch import StartRequest
from app.text import Words
from app.view.items import ExpandedItem, SummaryMarkItem, UndoneItem, UserItem
from tests.endpoint import Endpoint
from tests.screens.stage import Stage, clock_of, make_app, opened, settled
from tests.session.summing import Summariser, at_length
from tests.session.support import TestClock
from tests.widgets.desk import has_row, text
from widgets.dialogs.choice import ChoiceDialog
from widgets.dialogs.compaction import CompactionDialog

WINDOW = {"model.window": "16000"}


@dataclass
class Play:
    """A running app.

    Attributes:
        app: it.
        pilot: presses its keys.
        script: what its model says.
        endpoint: where that stands.
    """

    app: Stage
    pilot: Pilot[int]
    script: Summariser
    endpoint: Endpoint

    async def say(self, words: str) -> None:
        """Sends a message and waits for the end of its turn."""
        app = self.app
        assert app.chat is not None and app.session is not None
        turns = len(app.session.context.turns)
        app.chat.run_line(words)
        await self.until(
            lambda: (
                app.session is not None
                and not app.session.busy
                and len(app.session.context.turns) > turns
            )
        )

    async def fill(self, turns: int = 4, characters: int = 5_000) -> None:
        """So many turns with long answers."""
        talk, self.script.talk = self.script.talk, lambda body: at_length(body, characters)
        for number in range(turns):
            await self.say(f"Question {number}?")
        self.script.talk = talk

    async def compact(self) -> None:
        """F7, and its preview is accepted as it stands."""
        app = self.app
        await self.pilot.press("f7")
        await self.until(lambda: isinstance(app.screen, CompactionDialog))
        await self.until(lambda: has_row(app, "written by scripted"))
        clock_of(app).seconds += 5
        await self.pilot.press("enter")
        await self.summarised()

    def compact_at_once(self) -> "asyncio.Task[bool]":
        """Without a preview, as the mark does it."""
        assert self.app.session is not None
        return asyncio.create_task(self.app.session.compact())

    async def until(self, true: Callable[[], object]) -> None:
        """Goes on until something is so; what was on the screen where it never is."""
        for _ in range(3000):
            if true():
                await settled(self.pilot)
                return
            await asyncio.sleep(0.01)
        raise AssertionError(text(self.app))

    @property
    def marks(self) -> list[SummaryMarkItem]:
        assert self.app.chat is not None
        return [item for item in self.app.chat.store if isinstance(item, SummaryMarkItem)]

    @property
    def asked(self) -> int:
        """How many messages of the user the conversation shows."""
        assert self.app.chat is not None
        return sum(isinstance(item, UserItem) for item in self.app.chat.store)

    async def summarised(self, count: int = 1) -> None:
        """Until there are so many summaries, and nothing runs."""
        session = self.app.session
        assert session is not None
        await self.until(lambda: len(self.marks) == count and not session.busy)

    async def on_the_divider(self) -> None:
        """The conversation's cursor goes to the newest divider."""
        chat = self.app.chat
        assert chat is not None
        kinds = SummaryMarkItem | ExpandedItem | UndoneItem
        places = [at for at, row in enumerate(chat.store.rows) if isinstance(row.item, kinds)]
        chat.transcript.focus()
        await self.pilot.pause()
        chat.transcript.go_to(places[-1])
        await self.pilot.pause()

    async def choose(self, key: str) -> None:
        """Presses a button of the question that is open, after its guard."""
        await self.until(lambda: isinstance(self.app.screen, ChoiceDialog))
        clock_of(self.app).seconds += 5
        await self.pilot.press(key)


@asynccontextmanager
async def playing(
    tmp_path: Path,
    script: Summariser | None = None,
    *,
    size: tuple[int, int] = (120, 36),
    start: StartRequest | None = None,
    first_id: int = 1,
    flags: dict[str, str] | None = None,
) -> AsyncIterator[Play]:
    """The app at a strict server."""
    said = script or Summariser()
    async with Endpoint(said) as endpoint:
        model = OpenAIModel("scripted", endpoint.base_url, clock=TestClock(), words=Words("en"))
        app = make_app(
            tmp_path,
            model,
            flags={**WINDOW, **(flags or {})},
            start=start or StartRequest(),
            first_id=first_id,
        )
        try:
            async with app.run_test(size=size) as pilot:
                await opened(pilot, app)
                yield Play(app, pilot, said, endpoint)
                assert app.session is not None
                await app.session.close()
        finally:
            await model.close()


_TURNS = 4


@asynccontextmanager
async def filled(
    tmp_path: Path,
    script: Summariser | None = None,
    *,
    size: tuple[int, int] = (120, 36),
    flags: dict[str, str] | None = None,
) -> AsyncIterator[Play]:
    """The app that goes on with four turns with long answers, as `Play.fill` says them.

    They are said once in a test process, by a run of its own, and resumed in each test. Sessions
    know their project's folder, so each copy of the home lies where the first one lay.
    """
    place, kept = tmp_path.parent / "filled", tmp_path.parent / "filled-kept"
    shutil.rmtree(place, ignore_errors=True)
    if not kept.exists():
        async with playing(place) as play:
            await play.fill(_TURNS)
        place.rename(kept)
    shutil.copytree(kept, place)
    start = StartRequest("continue")
    async with playing(place, script, size=size, start=start, first_id=1_000, flags=flags) as play:
        await play.until(lambda: play.asked == _TURNS)
        yield play
