"""A compactor at work on a real ledger, without a session around it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from app.archive.ledger import Ledger
from app.archive.recorder import Recorder
from app.compaction.compactor import Compactor
from app.compaction.known import NOTHING_KNOWN, Known
from app.compaction.recovery import Recovery
from app.config import CompactionSettings
from app.conversation.history import History
from app.conversation.messages import Message
from app.conversation.meter import Meter
from app.conversation.offloaded import Offloaded
from app.conversation.standing import Standing
from app.conversation.window import Thresholds, thresholds
from app.conversation.wire import to_wire
from app.events import Event
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.text import Words
from tests.archive.recording import NODE
from tests.compaction.histories import GENERIC, Case

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Desk:
    """A history, its recorder and its compactor; use it as a context."""

    def __init__(
        self,
        folder: Path,
        messages: Iterable[Message] = (),
        *,
        history: History | None = None,
        standings: Mapping[str, Standing] | None = None,
        files: Mapping[str, Offloaded] | None = None,
        marks: Thresholds | None = None,
        settings: CompactionSettings | None = None,
        words: Words | None = None,
        known: Known | None = None,
    ) -> None:
        self.path = folder / f"{NODE}.jsonl"
        self.ledger = Ledger.open(self.path, now=lambda: NOW)
        self.recorder = Recorder(
            History(messages) if history is None else history,
            self.ledger,
            NODE,
            standings=standings or {},
            files=files or {},
        )
        self.meter = Meter(GENERIC)
        self.marks = marks or thresholds(128_000)
        self.settings = settings or CompactionSettings()
        self.events: list[Event] = []
        self.index = NameIndex()
        self.known = known
        recovery = Recovery(
            known=self.what_is_known,
            meter=self.meter,
            marks=lambda: self.marks,
            tools=lambda: "",
            words=words or Words("en"),
        )
        self.compactor = Compactor(
            recorder=self.recorder,
            meter=self.meter,
            marks=lambda: self.marks,
            tools=lambda: "",
            publish=self.publish,
            words=words or Words("en"),
            index=self.index,
            settings=lambda: self.settings,
            recovery=None if known is None else recovery,
        )

    @classmethod
    def of(cls, folder: Path, case: Case) -> "Desk":
        """At a random conversation."""
        return cls(
            folder,
            history=case.history,
            standings=case.standings,
            files=case.files,
            marks=case.marks,
        )

    def __enter__(self) -> "Desk":
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.close()

    def publish(self, event: Event) -> None:
        """Keeps it."""
        self.events.append(event)

    async def what_is_known(self) -> Known:
        """By code; the names are those of this moment."""
        return replace(self.known or NOTHING_KNOWN, ranking=Ranking(self.index))

    @property
    def history(self) -> History:
        return self.recorder.history

    @property
    def tokens(self) -> int:
        """Of the next request."""
        return self.meter.measure(self.history, "").tokens

    @property
    def request(self) -> str:
        """What would go out, byte for byte."""
        return json.dumps(to_wire(self.history, self.history.recovery))

    @property
    def states(self) -> dict[str, tuple[str, bool]]:
        """How messages stand, without where their bodies are."""
        return {
            key: (one.state, one.pinned)
            for key, one in self.recorder.standings.items()
            if (one.state, one.pinned) != ("live", False)
        }

    def of_type(self, *kinds: str) -> list[Event]:
        return [event for event in self.events if event.type in kinds]

    def at(self, clear: int, **others: int) -> None:
        """The same window with another clear mark."""
        self.marks = replace(self.marks, clear=clear, **others)

    async def add(self, *messages: Message) -> None:
        """Messages join the history."""
        for message in messages:
            await self.recorder.append(message)

    async def call(self) -> str:
        """What goes out, after everything that comes before it."""
        await self.compactor.before_call(self.history)
        return self.request
