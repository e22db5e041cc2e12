"""Facts on their way into the user's message (DESIGN 3.2).

Trouble with the memory never stops a turn: it is told once, and the chat goes on without it.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from app.archive.recorder import Recorder
from app.compaction.said import said_in
from app.conversation.history import History
from app.conversation.messages import CorrectionPart, MemoryPart, Part
from app.conversation.window import Thresholds
from app.errors import HaimaError
from app.events import InjectedFact, LeftFact, MemoryInjected, Notice, Severity
from app.memory.facts import Fact, FactState, Tokens
from app.memory.memories import Memories
from app.memory.recall_block import Injection
from app.memory.segment import hit_words
from app.ports import Publish
from app.session.correcting import corrections, named_in, told_in, without
from app.session.parts import Parts
from app.session.recall_query import Texts, goal_for, query_for
from app.session.restore import is_answered
from app.storage import StorageError

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Recalled:
    """What was found for one message.

    Attributes:
        injection: the block, and what was left out of it.
        budget: tokens it could have.
        query: what was looked for by.
        states: of the facts in the block, by id.
        corrected: how many facts of earlier messages are put right.
    """

    injection: Injection[Fact]
    budget: int
    query: str
    states: dict[str, FactState]
    corrected: int = 0


class Recalling:
    """Recalls facts for the messages of a session, whichever chain is open.

    Attributes:
        injected: what was recalled for the newest message; None: the memory is empty or off.
    """

    def __init__(
        self,
        parts: Callable[[], Parts],
        *,
        memories: Callable[[], Memories],
        chain: Callable[[], str],
        tell: Publish,
        tokens: Tokens,
        marks: Callable[[], Thresholds],
    ) -> None:
        """Reads nothing yet.

        Args:
            parts: what the session is made of now.
            memories: the facts.
            chain: the id of the one that is open; "" none.
            tell: gets the events.
            tokens: estimates the tokens of a text.
            marks: of the window as it is now.
        """
        self._parts = parts
        self._memories = memories
        self._chain = chain
        self._tell = tell
        self._tokens = tokens
        self._marks = marks
        self.injected: Injection[Fact] | None = None
        self._found: _Recalled | None = None
        self._waiting: list[MemoryInjected] = []
        self._switched_off: dict[str, set[str]] = {}
        self._purged: frozenset[str] = frozenset()
        self._taking = asyncio.Lock()
        self._troubles: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def switched_off(self) -> frozenset[str]:
        """The facts that the user left out of this chain's prompts."""
        return frozenset(self._switched_off.get(self._chain(), ()))

    def leave_out(self, fact_id: str, *, out: bool) -> None:
        """A fact doesn't go into this chain's prompts, or may again."""
        chosen = self._switched_off.setdefault(self._chain(), set())
        (chosen.add if out else chosen.discard)(fact_id)

    async def recall(self, text: str, history: History, texts: Texts) -> tuple[Part, ...]:
        """What joins the user's message: facts, then corrections; never raises."""
        self._found = None
        if not self._parts().settings.memory.enabled:
            return ()
        try:
            if not await self._ready(history):
                return ()
            found = await self._recalled(text, history, texts)
            block = _part(found.injection)
            put_right = await self.corrections(history)
            self._found = replace(found, corrected=len(put_right))
            self.report()
        except HaimaError as error:
            self._found = None
            self.trouble(error)
            return ()
        except Exception as error:  # whatever it is: the user's message goes out
            _log.exception("the memory broke")
            self._found = None
            self._told_once(f"{type(error).__name__}: {error}")
            return ()
        self._troubles.clear()
        return (*((block,) if block is not None else ()), *put_right)

    async def part(self, text: str, history: History) -> MemoryPart | None:
        """The facts for a message that isn't sent (yet)."""
        if not self._parts().settings.memory.enabled or not await self._ready(history):
            return None
        return _part((await self._recalled(text, history, _no_texts)).injection)

    async def again(self, before: History, history: History, texts: Texts) -> MemoryPart | None:
        """The facts that the work needs which goes on, of those that a summary takes away.

        They stood with older messages, in the middle of a turn too (FIELD 48); looked for by the
        newest message and by what was asked first. No others: each summary would add as many as a
        message may have. Nothing where the newest is answered: the next one recalls for itself.
        Never raises.

        Args:
            before: the history as it is.
            history: as it will be.
            texts: for words that left it.
        """
        gone = named_in(before) - named_in(history)
        if not gone or is_answered(history) or not self._parts().settings.memory.enabled:
            return None
        try:
            if not await self._ready(history):
                return None
            newest = [one.text for one in said_in(history)[-1:]]
            query = "\n\n".join([*newest, await goal_for(history, texts)])
            return _part((await self._recalled(query, history, texts, among=gone)).injection)
        except HaimaError as error:
            self.trouble(error)
        except Exception as error:  # whatever it is: the summary is made
            _log.exception("the memory broke")
            self._told_once(f"{type(error).__name__}: {error}")
        return None

    async def corrections(self, history: History) -> tuple[CorrectionPart, ...]:
        """What is to be put right of facts that the history shows."""
        told = told_in(history)
        if not told:
            return ()
        parts, memories = self._parts(), self._memories()
        return await corrections(
            told,
            memories.store,
            project=memories.key,
            words=parts.words,
            mask=parts.settings.mask,
        )

    def kept(self, message_id: str) -> None:
        """The message that was recalled for is in the history; the facts in it count as used."""
        found, self._found = self._found, None
        self.injected = None if found is None else found.injection
        if found is None:
            return
        all_ = found.injection
        visible = all_.taken or all_.left or all_.more or all_.unmatched
        if visible or found.corrected:
            self._waiting.append(self._event(message_id, found))
        if taken := [one.fact.id for one in all_.taken]:
            self._beside(self._used(taken))

    def tell_waiting(self) -> None:
        """Publishes what was recalled since the last time."""
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            self._tell(event)

    def purge(self, ids: Collection[str]) -> None:
        """Facts were deleted everywhere; see `take_out`."""
        self._purged |= frozenset(ids)

    async def take_out(self, recorder: Recorder, ready: Callable[[], Awaitable[None]]) -> None:
        """Takes such facts out of a history, on purpose, at the cost of the cached prefix.

        Asked before every call: an undone summary brings old messages back.

        Raises:
            StorageError: it can't be written down.
        """
        if not self._purged:
            return
        async with self._taking:
            count = 0
            for message in recorder.history.messages:
                left = without(message.parts, self._purged)
                if left == message.parts:
                    continue
                if not count:
                    await ready()
                await recorder.replace(message.id, left or _nothing(message.parts))
                count += 1
            if count:
                self._notice(self._parts().words("remembering.taken_out", n=count), "info")

    def begin_anew(self) -> None:
        """Another chain is open; the memory is read beside everything else, where there is one."""
        self.injected = self._found = None
        self._waiting.clear()
        if self._parts().settings.memory.enabled:
            self._beside(self._warmed())

    async def _warmed(self) -> None:
        """Thousands of facts take a second; trouble is told when a message asks for them."""
        with contextlib.suppress(OSError, StorageError):
            if self._parts().paths.facts_file.exists():
                await self._memories().refresh()

    async def close(self) -> None:
        """Waits for what is under way."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def trouble(self, error: HaimaError) -> None:
        """Tells what is wrong with the memory, once."""
        self._told_once(error.sentence(self._parts().words))

    async def _ready(self, history: History) -> bool:
        """Whether there is anything to recall or to put right, by the file as it lies there now."""
        memories = self._memories()
        store = memories.store
        if not (store.facts or store.path.exists() or told_in(history)):
            return False
        await memories.refresh()
        self.report()
        return bool(store.facts) or bool(told_in(history))

    def report(self) -> bool:
        """Tells what was wrong with the memory's files, each thing once; whether there was any."""
        reports = self._memories().take_reports()
        for report in reports:
            self._notice(report.sentence(self._parts().words), "warn")
        return bool(reports)

    async def _recalled(
        self,
        text: str,
        history: History,
        texts: Texts,
        *,
        among: AbstractSet[str] | None = None,
    ) -> _Recalled:
        """What is found for a text, of some facts alone perhaps."""
        memories, budget = self._memories(), self._marks().memory
        query = await query_for(text, history, texts)
        off = self.switched_off
        if among is not None:
            off |= {fact.id for fact in memories.visible()} - among
        injection = await memories.inject(
            query,
            budget=budget,
            shown=frozenset(told_in(history)),
            switched_off=off,
        )
        known = await memories.known([one.fact for one in injection.taken])
        states = {one.fact.id: one.state for one in known}
        return _Recalled(injection, budget, query, states)

    def _event(self, message_id: str, found: _Recalled) -> MemoryInjected:
        injection = found.injection
        return MemoryInjected(
            message=message_id,
            facts=tuple(
                InjectedFact(
                    id=one.fact.id,
                    content=one.fact.content,
                    scope=one.fact.scope,
                    state=found.states.get(one.fact.id, "unverified"),
                    why=hit_words(found.query, one.fact.content),
                    pinned=one.pinned,
                    tokens=self._tokens(one.line),
                )
                for one in injection.taken
            ),
            tokens=injection.tokens,
            budget=found.budget,
            left=tuple(
                LeftFact(id=one.fact.id, content=one.fact.content, why=one.why)
                for one in injection.left
            ),
            more=injection.more,
            unmatched=injection.unmatched,
            corrected=found.corrected,
        )

    async def _used(self, ids: Sequence[str]) -> None:
        failed = await self._memories().store.used(ids)
        if failed is not None:
            _log.error("what was used can't be written down", exc_info=failed.error)

    def _beside(self, work: Coroutine[object, object, None]) -> None:
        """Does something beside everything else: the next call needn't wait for the disk."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("the memory broke", exc_info=error)

    def _told_once(self, reason: str) -> None:
        if reason not in self._troubles:
            self._troubles.add(reason)
            self._notice(self._parts().words("remembering.without", reason=reason), "warn")

    def _notice(self, text: str, severity: Severity) -> None:
        self._tell(Notice(code="memory", text=text, severity=severity))


async def _no_texts(_refs: Collection[str]) -> dict[str, str]:
    return {}


def _part(injection: Injection[Fact]) -> MemoryPart | None:
    """The block as a part; its tags come when it is rendered."""
    if not injection.taken:
        return None
    _, *inner, _ = injection.text.split("\n")
    return MemoryPart("\n".join(inner), tuple(one.fact.id for one in injection.taken))


def _nothing(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """What is left of a message that held facts alone: the block's first line."""
    first = next(part for part in parts if isinstance(part, MemoryPart | CorrectionPart))
    return (MemoryPart(first.text.split("\n")[0]),)
