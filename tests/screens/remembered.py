"""The memory browser on a stage of its own: what it asks for is kept, and answered from a list."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from textual import on

from app.screens.memory import MemoryScreen
from app.text import Language, Words
from app.view.facts_record import FactDetail, FactItem, Happened
from tests.view.some_facts import SOME
from tests.view.some_sessions import NOW
from tests.widgets.desk import Desk
from widgets.dialogs.desk import ModalDesk
from widgets.fact_requests import FactsWanted, VerifyFacts
from widgets.glyphs import ASCII, UNICODE
from widgets.header import HeaderState
from widgets.look import Look
from widgets.requests import Request

STATE = HeaderState(project="order-service", model="deepseek-v3.2", session="7f3a")
NORMAL, COMPACT, WIDE = (120, 36), (80, 24), (160, 48)


class MemoryApp(Desk):
    """Opens the screen over an empty one.

    Attributes:
        facts: what is remembered; `VerifyFacts` makes facts fresh, as the store would.
        asked: everything else the screen asked for.
    """

    def __init__(
        self,
        facts: Sequence[FactItem] = SOME,
        language: Language = "en",
        *,
        ascii: bool = False,
        theme: str = "haima-dark",
    ) -> None:
        super().__init__(theme=theme)
        self.now = 50.0
        self.facts = tuple(facts)
        self.asked: list[Request] = []
        self.wanted = 0
        self.verified: list[str] = []
        desk = ModalDesk(self, lambda _: None)
        self.memory = MemoryScreen(
            Look(Words(language), ASCII if ascii else UNICODE),
            STATE,
            now=lambda: NOW,
            ask=desk.ask,
            detail=self.detail,
            clock=lambda: self.now,
        )
        self.memory.table.undoable = True

    def on_mount(self) -> None:
        self.push_screen(self.memory)

    async def detail(self, item: FactItem) -> FactDetail:
        at = item.written or NOW
        history = (
            Happened(NOW - timedelta(days=14), "used", count=item.uses),
            Happened(item.verified or at, "verified"),
            Happened(at, "written", item.source),
        )
        return FactDetail(item, "Bootstrap CI" if item.node else "", bool(item.node), history)

    def show(self, facts: Sequence[FactItem]) -> None:
        self.facts = tuple(facts)
        waiting = {one.id for item in facts for one in item.waits}
        self.memory.show(self.facts, len(waiting))

    @on(Request)
    def keep(self, request: Request) -> Any:
        match request:
            case FactsWanted():
                self.wanted += 1
                if self.wanted == 1:
                    self.show(self.facts)
            case VerifyFacts(ids=ids):
                self.verified += ids
                self.show(
                    [
                        replace(item, state="fresh", verified=NOW) if item.id in ids else item
                        for item in self.facts
                    ]
                )
            case _:
                self.asked.append(request)
