"""What a session does with long-term memory: save, decide, verify, delete; recall is `recalling`.

Whatever happens is told by an event. A conflict is put to the user pair by pair, while no lock is
held; where nobody can answer it waits in the inbox. Nothing is ever overwritten unasked.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import cached_property
from typing import Protocol

from app.archive.recorder import Recorder
from app.conversation.history import History
from app.conversation.messages import CorrectionPart, MemoryPart, Part
from app.conversation.window import Thresholds
from app.errors import HaimaError
from app.memory.fact_outcomes import Clash, Conflict, Failed, Outcome, Replaced
from app.memory.facts import (
    Draft,
    Fact,
    FactScope,
    Provenance,
    Tokens,
)
from app.memory.inbox import Pending
from app.memory.memories import Memories
from app.memory.recall import Found
from app.memory.recall_block import Injection
from app.ports import Publish
from app.session.fact_events import told_by
from app.session.parts import Parts
from app.session.recall_query import Texts
from app.session.recalling import Recalling
from app.session.settling import Settling
from app.storage import StorageError


class OpenChain(Protocol):
    """The chain that is open (`chain.Chain`)."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def node(self) -> str:
        """The session's id."""

    async def take_out_facts(self) -> None:
        """Takes facts that were deleted everywhere out of the live history."""


class Remembering:
    """The memory of a session's project, as everyone in the session uses it."""

    def __init__(
        self,
        parts: Callable[[], Parts],
        *,
        chain: Callable[[], OpenChain | None],
        busy: Callable[[], bool],
        tell: Publish,
        tokens: Tokens,
        marks: Callable[[], Thresholds],
        title: Callable[[str], Awaitable[str]],
    ) -> None:
        """Reads nothing yet.

        Args:
            parts: what the session is made of now.
            chain: the one that is open; None: none is.
            busy: whether the agent works.
            tell: gets the events.
            tokens: estimates the tokens of a text.
            marks: of the window as it is now.
            title: of a session, by its id; "" where it has none or isn't known.
        """
        self._parts = parts
        self._chain = chain
        self._busy = busy
        self._tell = tell
        self._tokens = tokens
        self._settling = Settling(
            parts, memories=lambda: self.memories, tell=tell, tokens=tokens, title=title
        )
        self._recalling = Recalling(
            parts,
            memories=lambda: self.memories,
            chain=lambda: "" if (one := chain()) is None else one.id,
            tell=tell,
            tokens=tokens,
            marks=marks,
        )

    @cached_property
    def memories(self) -> Memories:
        """The facts; nothing is read before `refresh`."""
        parts = self._parts()
        return Memories(
            parts.paths,
            parts.project,
            parts.clock,
            words=lambda: self._parts().words,
            tokens=self._tokens,
            settings=parts.settings.memory,
            mask=lambda text: self._parts().settings.mask(text),  # noqa: PLW0108 - they change
        )

    @property
    def enabled(self) -> bool:
        """Whether facts go into prompts (`memory.enabled`)."""
        return self._parts().settings.memory.enabled

    @property
    def injected(self) -> Injection[Fact] | None:
        """What was recalled for the newest message of the user; None: nothing was asked for."""
        return self._recalling.injected

    # Saving

    async def save(
        self,
        content: str,
        *,
        scope: FactScope | None = None,
        provenance: Provenance,
        force: bool = False,
        pending: bool = False,
    ) -> Outcome:
        """Saves a fact.

        Args:
            content: not blank.
            scope: where it shall hold; None: this project.
            provenance: who says so, and where.
            force: the user wants it beside whatever it contradicts.
            pending: the user didn't ask for it: unverified, unless they decide a conflict for it.

        Returns:
            `Stored`, `Duplicate` (confirmed by it where the user saved it), `Replaced`, `Kept`;
            `Conflict`: nobody could answer, it waits in the inbox; `Failed`.
        """
        draft = self.memories.draft(content, scope, provenance, pending=pending)
        store = self.memories.store
        if force:
            return self._told(await store.keep_both(draft))
        outcome = await store.save(draft, explicit=provenance.who == "you")
        return self._told(await self._settled(draft, outcome))

    async def save_by_choice(
        self,
        content: str,
        *,
        scope: FactScope | None = None,
        provenance: Provenance,
        replace_id: str = "",
        keep_both: bool = False,
    ) -> Outcome:
        """Saves a fact as the model says the user wants it; counts where the user chose that.

        Args:
            content: not blank.
            scope: as in `save`.
            provenance: who says so, and where.
            replace_id: the fact whose place it shall take.
            keep_both: it shall stand beside those it contradicts.

        Returns:
            As `save`: what the user did not choose yet is asked. `NotFound`: no such fact.
        """
        draft = self.memories.draft(content, scope, provenance)
        store = self.memories.store
        if replace_id:
            outcome = await store.replace(draft, replace_id, by_choice=True)
        elif keep_both:
            outcome = await store.keep_both(draft, by_choice=True)
        else:
            outcome = await store.save(draft, explicit=provenance.who == "you")
        return self._told(await self._settled(draft, outcome))

    async def decide(self, pending: Pending) -> Outcome | None:
        """Puts a conflict of the inbox to the user.

        Returns:
            What came of it; None: it was left undecided and stays in the inbox.
        """
        store = self.memories.store
        known = map(store.get, pending.existing)
        clashes = tuple(Clash(fact, "inbox") for fact in known if fact is not None)
        # Not saved first: it may be a replacement that contradicts nothing.
        outcome: Outcome = Conflict(pending.draft.content, clashes)
        if not clashes:
            by_the_user = pending.draft.provenance.who == "you"
            outcome = await store.save(pending.draft, explicit=by_the_user)
        if isinstance(outcome, Conflict):
            settled = await self._settling.settle(pending.draft, outcome, written=pending.at)
            if settled is None:
                return None
            outcome = settled
        if not isinstance(outcome, Conflict | Failed):
            try:
                await self.memories.inbox.take(pending.id)
            except StorageError as error:  # it is decided; listed once more it settles itself
                self._recalling.trouble(error)
        return self._told(outcome)

    async def replace(self, fact_id: str, text: str) -> Outcome:
        """The user puts another fact in the place of one; other conflicts are asked."""
        store = self.memories.store
        old = store.get(fact_id)
        scope = old.scope if old else None
        draft = self.memories.draft(text, scope, self._by_the_user())
        outcome = await store.replace(draft, fact_id)
        return self._told(await self._settled(draft, outcome, (fact_id,)))

    async def edit(self, fact_id: str, text: str, *, force: bool = False) -> Outcome:
        """Another text for a fact, by the user.

        Args:
            fact_id: which; it keeps its id.
            text: not blank.
            force: also where it then repeats or contradicts another.

        Returns:
            `Replaced`; `Duplicate`, `Conflict`: nothing was written, and nothing waits.
        """
        content = self.memories.draft(text, "global", self._by_the_user()).content
        outcome = await self.memories.store.edit(fact_id, content, force=force)
        return self._told(outcome) if isinstance(outcome, Replaced) else outcome

    # The rest

    async def search(self, query: str, k: int = 10) -> Found[Fact]:
        """The facts nearest to a query.

        Raises:
            StorageError: the memory can't be read.
        """
        await self.memories.refresh()
        return await self.memories.search(query, k)

    async def verify(self, ids: Sequence[str]) -> Outcome:
        """The user confirms these."""
        return self._told(await self.memories.store.verify(ids))

    async def pin(self, ids: Sequence[str], on: bool) -> Outcome:
        """These stand in every prompt from now on, as far as there is room, or no longer do."""
        return self._told(await self.memories.store.pin(ids, on))

    async def delete(self, ids: Sequence[str]) -> Outcome:
        """These go, and can come back."""
        return self._told(await self.memories.store.delete(ids))

    async def clear(self, scope: FactScope | None = None) -> Outcome:
        """All facts go, or those of a scope; they can come back."""
        return self._told(await self.memories.store.clear(scope))

    async def restore(self, fact_id: str) -> Outcome:
        """Brings back a fact that is gone."""
        return self._told(await self.memories.store.restore(fact_id))

    async def undo(self) -> Outcome:
        """Takes back the last change that was made here."""
        return self._told(await self.memories.store.undo())

    async def delete_everywhere(self, ids: Sequence[str]) -> Outcome:
        """These go for good: out of file, journal and index, and out of the live history.

        What they took the place of goes with them. The history's prefix breaks there; while the
        agent works that waits for its next step.
        """
        try:
            family = await self.memories.store.ancestry(ids)
        except StorageError as error:
            return Failed(error)
        outcome = await self.memories.delete_everywhere(ids)
        if isinstance(outcome, Failed):
            return outcome
        self._recalling.purge(family)
        chain = self._chain()
        if chain is not None and not self._busy():
            try:
                await chain.take_out_facts()
            except HaimaError as error:
                self._recalling.trouble(error)
        return self._told(outcome)

    def report(self) -> bool:
        """Tells what was wrong with the memory's files, each thing once; whether there was any."""
        return self._recalling.report()

    def leave_out(self, fact_id: str, out: bool) -> None:
        """A fact doesn't go into this chain's prompts, or may again; nothing is deleted."""
        self._recalling.leave_out(fact_id, out=out)

    def left_out(self, fact_id: str) -> bool:
        """Whether the user left it out of this chain's prompts."""
        return fact_id in self._recalling.switched_off

    # What the chain asks for

    async def recall(self, text: str, history: History, texts: Texts) -> tuple[Part, ...]:
        """What joins the user's message: facts, then corrections; never raises.

        Args:
            text: as the user wrote it.
            history: before that message.
            texts: what messages said that left the history.
        """
        return await self._recalling.recall(text, history, texts)

    async def recall_again(
        self, before: History, history: History, texts: Texts
    ) -> MemoryPart | None:
        """What the newest message still needs of what a summary takes away; never raises."""
        return await self._recalling.again(before, history, texts)

    async def part(self, text: str, history: History) -> MemoryPart | None:
        """The facts for a message that isn't sent; raises what reading the memory raises."""
        return await self._recalling.part(text, history)

    async def corrections(self, history: History) -> tuple[CorrectionPart, ...]:
        """What is to be put right of facts that the history shows; raises the same."""
        return await self._recalling.corrections(history)

    def kept(self, message_id: str) -> None:
        """The message that was recalled for is in the history."""
        self._recalling.kept(message_id)

    def tell_recalled(self) -> None:
        """Publishes what was recalled since the last time; after the turn's beginning is told."""
        self._recalling.tell_waiting()

    async def take_out(self, recorder: Recorder, ready: Callable[[], Awaitable[None]]) -> None:
        """Takes facts that were deleted everywhere out of a history; most times there are none.

        Args:
            recorder: of the history.
            ready: writes the node's first row where it has none.

        Raises:
            StorageError: it can't be written down.
        """
        await self._recalling.take_out(recorder, ready)

    def begin_anew(self) -> None:
        """Another chain is open."""
        self._recalling.begin_anew()

    async def close(self) -> None:
        """Ends what is under way."""
        await self._recalling.close()
        if "memories" in self.__dict__:
            await self.memories.close()

    async def _settled(
        self, draft: Draft, outcome: Outcome, targets: Collection[str] = ()
    ) -> Outcome:
        """The outcome after the user was asked; a conflict nobody decides goes into the inbox.

        Args:
            draft: what was to be saved.
            outcome: of the first try.
            targets: facts whose place it shall take by the user's own word.
        """
        if not isinstance(outcome, Conflict):
            return await self.memories.with_near(outcome)
        try:
            settled = await self._settling.settle(draft, outcome, targets)
        except asyncio.CancelledError:  # the user stops the turn: what was to be saved isn't lost
            self._told(await self._waits(draft, outcome, targets))
            raise
        if settled is None:
            return await self._waits(draft, outcome, targets)
        if isinstance(settled, Conflict):
            return await self._waits(draft, settled, targets)
        return settled

    async def _waits(self, draft: Draft, conflict: Conflict, targets: Collection[str]) -> Conflict:
        """It waits in the inbox."""
        ids = (*targets, *(one.fact.id for one in conflict.existing))
        try:
            await self.memories.inbox.add(draft, ids)
        except StorageError as error:
            self._recalling.trouble(error)
        return conflict

    def _by_the_user(self) -> Provenance:
        chain = self._chain()
        return Provenance("you", node="" if chain is None else chain.node)

    def _told(self, outcome: Outcome) -> Outcome:
        for event in told_by(outcome):
            self._tell(event)
        return outcome
