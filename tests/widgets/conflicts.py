"""The conflict of the mocks, and a desk that asks about one."""

import asyncio
from datetime import UTC, datetime

from textual import events
from textual.pilot import Pilot

from app.events import ConflictAnswer, ConflictQuestion, ConflictSide, EvidenceLine
from tests.widgets.desk import Desk
from widgets.dialogs.base import Dialog
from widgets.dialogs.conflict import ConflictDialog
from widgets.look import Look

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)

EXISTING = ConflictSide(
    id="f1",
    content="Service builds on Java 17 (Temurin)",
    written=datetime(2026, 10, 19, 9, tzinfo=UTC),
    verified=datetime(2026, 10, 27, 9, tzinfo=UTC),
    used=14,
    session="Bootstrap CI",
    node="3c1e00000000",
    quote="构建统一用 Temurin 17",
    state="contradicted",
    evidence=(EvidenceLine(kind="contradicts", place="pom.xml:12", says="21"),),
)
INCOMING = ConflictSide(
    id="",
    content="Service builds on Java 21 (Temurin)",
    author="model",
    session="Upgrade to Java 21",
    node="7f3a00000000",
    quote="再把工具链升到 Java 21",
    evidence=(EvidenceLine(kind="supports", place="pom.xml:12", says="21"),),
)
QUESTION = ConflictQuestion(
    id="q1",
    existing=EXISTING,
    incoming=INCOMING,
    subject="the Java version",
    place=1,
    count=5,
    better="incoming",
)
CHINESE = QUESTION.model_copy(
    update={
        "existing": EXISTING.model_copy(
            update={"content": "服务用 Java 17 (Temurin) 构建", "session": "搭建 CI"}
        ),
        "incoming": INCOMING.model_copy(
            update={"content": "服务用 Java 21 (Temurin) 构建", "session": "升级到 Java 21"}
        ),
        "subject": "Java 版本",
    }
)


class ConflictDesk(Desk):
    """Asks one question; the clock only moves when told to."""

    def __init__(
        self,
        question: ConflictQuestion = QUESTION,
        look: Look | None = None,
        *,
        typed_at: float | None = None,
        theme: str = "haima-dark",
    ) -> None:
        super().__init__(theme=theme)
        self.now = 50.0
        self.dialog = ConflictDialog(
            question, look or Look(), now=NOW, clock=lambda: self.now, typed_at=typed_at
        )
        self.answers: list[ConflictAnswer | None] = []
        self.draft = ""

    def on_mount(self) -> None:
        """Opens it."""
        self.push_screen(self.dialog, self.answers.append)

    def on_dialog_typed(self, message: Dialog.Typed) -> None:
        """Keeps what goes to the prompt."""
        self.draft += message.text

    async def ready(self, pilot: Pilot[None]) -> None:
        """Until typing has paused long enough."""
        await pilot.pause()
        self.now += 5

    async def commit(self, pilot: Pilot[None], *typed: str) -> None:
        """What an input method commits: one event per character, all at once."""
        for character in typed:
            self.post_message(events.Key(character, character))
        await pilot.pause(0.12)

    async def settle(self, pilot: Pilot[None]) -> None:
        """Until there is an answer."""
        for _ in range(100):
            await asyncio.sleep(0.01)
            if self.answers:
                return
