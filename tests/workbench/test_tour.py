"""The tour: a memory from the first "remember it" to its verification, by keys on the real app.

A small agent over HTTP does what the instructions ask of a model: it builds with the Java version
that the memory block or the user's own words name, and saves what it is asked to remember. What
became of the facts is read from the file.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from app.llm.client import OpenAIModel
from app.screens.memory import MemoryScreen
from app.text import Words
from tests.endpoint import Call, Endpoint, Say
from tests.endpoint.script import Body
from tests.screens.stage import Stage, clock_of, make_app, opened, settled
from tests.session.support import TestClock
from tests.widgets.desk import has_row, text
from widgets.dialogs.approval import ApprovalDialog
from widgets.dialogs.conflict import ConflictDialog

CREATE = "帮我创建 myapp 的 pom.xml"
KEEP_17 = "myapp 的 JDK 可以保持 17，你记一下"
TO_21 = "myapp 的 JDK 升到 21 了，记一下"

POM = "<project>\n  <properties>\n    <maven.compiler.release>{}</maven.compiler.release>\n"
POM += "  </properties>\n</project>\n"
NOT_SET = "8"


def agent(body: Body) -> Say:
    """What the scripted model answers."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        return Say("好了。")
    said = str(last["content"])
    own, _, recalled = said.partition("<memory")
    if "记一下" in own:
        version = re.findall(r"\d+", own)[0]
        return Say(calls=[Call("save_memory", {"fact": f"myapp 的 JDK 版本是 {version}"})])
    named = re.search(r"JDK 版本是 (\d+)", recalled)
    version = named[1] if named else NOT_SET
    return Say(calls=[Call("write_file", {"path": "pom.xml", "content": POM.format(version)})])


@dataclass
class Tour:
    """The running app, and its project."""

    app: Stage
    pilot: Pilot[int]
    endpoint: Endpoint
    project: Path

    async def until(self, true: Callable[[], object]) -> None:
        """Goes on until something is so; what was on the screen where it never is."""
        for _ in range(1000):
            if true():
                await settled(self.pilot)
                return
            await asyncio.sleep(0.01)
        raise AssertionError(text(self.app))

    async def send(self, line: str) -> None:
        for character in line:  # as an input method commits it
            self.app.post_message(events.Key(character, character))
        chat = self.app.chat
        assert chat is not None
        await self.until(lambda: chat.prompt.draft == line)
        await self.pilot.press("enter")

    async def rest(self) -> None:
        """Until the agent has nothing more to do."""
        session = self.app.session
        assert session is not None
        await self.until(lambda: not session.busy)
        await session.wait_idle()
        await self.pilot.pause()

    async def decide(self, dialog: type, key: str) -> None:
        """Answers a question, once typing has paused."""
        await self.until(lambda: isinstance(self.app.screen, dialog))
        clock_of(self.app).seconds += 5
        await self.pilot.press(key)
        await self.pilot.pause(0.12)

    async def creates(self) -> str:
        """The Java version of the project that the agent creates, the user allowing it."""
        asked = len(self.endpoint.requests)
        await self.send(CREATE)
        await self.until(lambda: len(self.endpoint.requests) > asked)
        await self.decide(ApprovalDialog, "y")
        await self.rest()
        found = re.search(r"release>(\d+)<", (self.project / "pom.xml").read_text("utf-8"))
        assert found is not None
        return found[1]

    @property
    def facts(self) -> list[dict[str, str]]:
        """The file of facts."""
        session = self.app.session
        assert session is not None
        path = session.remembering.memories.store.path
        facts: list[dict[str, str]] = json.loads(path.read_text("utf-8")) if path.exists() else []
        return facts

    @property
    def contents(self) -> list[str]:
        return [fact["content"] for fact in self.facts]


@asynccontextmanager
async def touring(tmp_path: Path, size: tuple[int, int]) -> AsyncIterator[Tour]:
    async with Endpoint(agent) as endpoint:
        model = OpenAIModel("scripted", endpoint.base_url, clock=TestClock(), words=Words("zh"))
        app = make_app(tmp_path, model, language="zh", root=tmp_path / "myapp")
        try:
            async with app.run_test(size=size) as pilot:
                await opened(pilot, app)
                yield Tour(app, pilot, endpoint, tmp_path / "myapp")
                assert app.session is not None
                await app.session.close()
        finally:
            await model.close()


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_the_tour(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with touring(tmp_path, size) as tour:
        app, pilot = tour.app, tour.pilot
        assert await tour.creates() == NOT_SET, "nothing is remembered yet"

        await tour.send(KEEP_17)
        await tour.rest()
        assert tour.contents == ["myapp 的 JDK 版本是 17"]
        assert tour.facts[0]["metadata"]["quote"] in KEEP_17  # type: ignore[index]

        await tour.send("/clear")
        await pilot.pause()
        assert await tour.creates() == "17", "a new conversation knows it"
        last = str(tour.endpoint.requests[-1]["messages"])
        assert "<memory" in last and KEEP_17 not in last

        # Never overwritten unasked: Esc leaves the file as it is.
        before = tour.facts
        await tour.send(TO_21)
        await tour.decide(ConflictDialog, "escape")
        await tour.rest()
        assert tour.facts == before

        await tour.send(TO_21)
        await tour.decide(ConflictDialog, "r")
        await tour.rest()
        assert tour.contents == ["myapp 的 JDK 版本是 21"]

        await tour.send("/clear")
        await pilot.pause()
        assert await tour.creates() == "21", "pom.xml follows the new fact"

        # The browser: what it took the place of, and what speaks for it.
        await pilot.press("f2")
        await tour.until(lambda: isinstance(app.screen, MemoryScreen))
        await tour.until(lambda: "JDK 版本是 21" in text(app))
        if size[0] < 100:
            await pilot.press("enter")
        await tour.until(lambda: has_row(app, "pom.xml", "21"))
        await tour.until(lambda: "17" in text(app))
        assert "有效" in text(app)

        # A month later.
        later = clock_of(app).now() + timedelta(days=31)

        def now(_: TestClock) -> datetime:
            return later

        monkeypatch.setattr(TestClock, "now", now)
        if size[0] < 100:
            await pilot.press("escape")
        await pilot.press("escape", "f2")
        await tour.until(lambda: isinstance(app.screen, MemoryScreen))
        await tour.until(lambda: has_row(app, "~", "JDK 版本是 21"))
        await pilot.press("v")
        await tour.until(lambda: has_row(app, "✓", "JDK 版本是 21"))
        assert tour.facts[0]["lastVerifiedAt"].startswith(later.date().isoformat())
        assert not tour.endpoint.violations
