"""Haima's own compaction as a policy: the real recorder, tiers and compactor, without a disk.

What is a session's in life is here: where results go (a folder of the replay's own), who writes
summaries (`StubModel`), who gives originals back (memory).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from app.archive.nodes import NodeStart
from app.archive.originals import Original
from app.archive.recorder import Recorder
from app.compaction.asking import main_writer
from app.compaction.compactor import Compactor
from app.compaction.means import Means
from app.compaction.offload import Offloader
from app.compaction.recovery import Recovery
from app.compaction.summarize import Summarizer
from app.compaction.summary_tier import SummaryTier
from app.compaction.too_large import RequestTooLarge
from app.conversation.history import History
from app.conversation.messages import Message, ToolCall, WireMessage
from app.conversation.meter import Meter
from app.conversation.wire import to_wire
from app.events import Cleared, Event, Guarded, Summarised, SummaryFailed
from app.llm.families import coefficients_for
from app.memory.name_index import NameIndex
from app.replay.happened import Happened, HappenedKind
from app.replay.knowledge import Knowledge
from app.replay.pace import Pace
from app.replay.pastes import ReplayedPastes
from app.replay.policy import Conditions
from app.replay.recording import Recorded
from app.replay.results import ReplayedResults
from app.replay.rows_in_memory import AT, RowsInMemory
from app.replay.stub_model import StubModel

CHAIN = "replay"
"""The chain's id."""


class HaimaPolicy:
    """Haima, as set.

    Attributes:
        recorder: keeps the history; to be read only.
    """

    def __init__(self, conditions: Conditions, folder: Path, *, worklog: bool = True) -> None:
        """Begins an empty session.

        Args:
            conditions: under what it is played.
            folder: an empty folder, for results that are moved to files.
            worklog: goal, rules, changed files and entities are told again after a tier's work.
        """
        self._conditions = conditions
        self._originals: dict[str, Original] = {}
        self._happened: list[Happened] = []
        self._ids = 0
        self._pace = Pace()
        self._meter = Meter(coefficients_for(conditions.model), ("", CHAIN))
        self.recorder = Recorder(History(), RowsInMemory(), CHAIN)
        self._index = NameIndex(conditions.root)
        self._knowledge = Knowledge(
            conditions.root, self._index, kept=worklog, count=conditions.nearest
        )
        self._model = StubModel(
            conditions.summaries, conditions.words, conditions.counter, conditions.booked
        )
        self._results = ReplayedResults(
            recorder=self.recorder,
            offloader=Offloader(folder, CHAIN, conditions.words, conditions.rules),
            meter=self._meter,
            marks=lambda: conditions.marks,
            index=self._index,
            told=self._happened.append,
        )
        self._pastes = ReplayedPastes(conditions.words, conditions.rules)
        self._compactor = self._make_compactor(worklog=worklog)
        self._sent: tuple[int, int] | None = None

    @property
    def summary_tokens(self) -> int:
        """See `Policy`."""
        return self._model.asked

    async def add(self, entry: Recorded, call: ToolCall | None = None) -> None:
        """See `Policy`."""
        message, knowledge = entry.message, self._knowledge
        self._pace.said(entry.at)
        self._originals[message.id] = Original(message, None, None, AT)
        if message.role == "user":
            message = self._pastes.sent(message)
            entry = replace(entry, message=message)
        match message.role:
            case "tool" if call is not None:
                work = knowledge.of_result(call, entry)
                await self._results.keep(call, entry, work)
                knowledge.kept(work, result=True)
            case "user":
                work = knowledge.of_user(entry)
                await self.recorder.append(message, work=work)
                knowledge.kept(work)
            case "assistant":
                await self.recorder.append(message)
                self._taken(message)
                self._pace.stepped()
                knowledge.next_step()
                self._results.begin_step()
            case _:
                await self.recorder.append(message)

    async def request(self) -> tuple[WireMessage, ...]:
        """See `Policy`."""
        await self._results.fit()
        try:
            await self._compactor.before_call(self.recorder.history)
        except RequestTooLarge as error:
            tokens = self._meter.measure(self.recorder.history, "").tokens
            self._happened.append(Happened("too_large", len(error.items), tokens, tokens))
        history = self.recorder.history
        return to_wire(history, history.recovery)

    def answered(self, tokens: int) -> None:
        """See `Policy`."""
        self._meter.sent(self.recorder.history, "")
        self._sent = (tokens, 0)

    def happened(self) -> tuple[Happened, ...]:
        """See `Policy`."""
        done = tuple(self._happened)
        self._happened.clear()
        return done

    def _taken(self, answer: Message) -> None:
        """The answer joined the history: the meter is anchored, as by a provider's usage."""
        if self._sent is not None:
            tokens, completion = self._sent
            history = self.recorder.history
            self._meter.answered(history, answer, prompt=tokens, completion=completion)
            self._sent = None

    def _make_compactor(self, *, worklog: bool) -> Compactor:
        """The one place where the compaction is put together, with what it tells again."""
        conditions, settings = self._conditions, self._conditions.settings
        means = Means(
            recorder=self.recorder,
            meter=self._meter,
            marks=lambda: conditions.marks,
            tools=lambda: "",
            schemas=tuple,
            settings=lambda: settings,
            summarizer=self._summarizer,
            start=lambda: NodeStart(CHAIN, project=conditions.root),
            system=self._system,
            find=self._find,
            texts=self._texts,
            known=self._knowledge.known,
            live=_no_node,
            before=_no_node,
            reasoning=lambda: None,
            publish=self._publish,
            words=conditions.words,
            new_id=self._new_id,
            seconds=lambda: self._pace.seconds,
            now=lambda: self._pace.now,
            attended=False,
            rules=conditions.rules,
        )
        recovery = Recovery(
            known=self._knowledge.known,
            meter=self._meter,
            marks=lambda: conditions.marks,
            tools=lambda: "",
            words=conditions.words,
            rules=conditions.rules,
        )
        return Compactor(
            recorder=self.recorder,
            meter=self._meter,
            marks=lambda: conditions.marks,
            tools=lambda: "",
            publish=self._publish,
            words=conditions.words,
            index=self._index,
            settings=lambda: settings,
            tier=SummaryTier(means),
            recovery=recovery if worklog else None,
            rules=conditions.rules,
        )

    def _summarizer(self) -> Summarizer:
        conditions = self._conditions
        writer = main_writer(self._model, conditions.marks, self._meter.text_tokens)
        return Summarizer(writer, conditions.words)

    async def _system(self) -> Message:
        """The system message stays as it was recorded."""
        return self.recorder.history[0]

    async def _find(self, ref: str) -> Original | None:
        return self._originals.get(ref)

    async def _texts(self, ids: Sequence[str]) -> Mapping[str, str]:
        found = self._originals
        return {key: found[key].message.text for key in ids if key in found}

    def _new_id(self) -> str:
        self._ids += 1
        return f"r{self._ids:011x}"

    def _publish(self, event: Event) -> None:
        """What the tiers tell, as it is shown of a replay."""
        match event:
            case Cleared() | Guarded():
                self._note(event.type, event.count, event.tokens_before, event.tokens_after)
            case Summarised():
                count = len(event.messages)
                kind = event.type if event.how == "model" else event.how
                self._note(kind, count, event.tokens_before, event.tokens_after)
            case SummaryFailed():
                self._happened.append(Happened("summary_rejected", 0, code=event.code))
            case _:
                pass

    def _note(self, kind: HappenedKind, count: int, before: int, after: int) -> None:
        self._happened.append(Happened(kind, count, before, after))


async def _no_node(_: str) -> None:
    """Nothing is taken back in a replay."""
