"""The memory of one project, as session, command line and doctor use it: one door to all of it.

The facts' file is the truth; index, evidence and inbox are looked at beside it. Nothing here blocks
the loop. An index that can't be used costs nothing but time, a broken file is told once
(`take_reports`), and only a file that can't be read at all is an error.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.archive.fact_index import FactIndex
from app.config import MemorySettings
from app.conversation.secret_words import without_secrets
from app.errors import HaimaError
from app.memory.evidence import SILENT, Evidence, EvidenceChecker
from app.memory.fact_history import Use
from app.memory.fact_outcomes import Deleted, Failed, Outcome, Stored
from app.memory.fact_store import FactStore
from app.memory.fact_trouble import FactTrouble, inbox_trouble
from app.memory.facts import Draft, Fact, FactScope, FactState, Provenance, Tokens, project_key
from app.memory.finding import FactAmbiguous, FactNotFound, find_among
from app.memory.freshness import Freshness, freshness, state_of
from app.memory.inbox import Inbox, Pending
from app.memory.likeness import Likenesses
from app.memory.recall import AT_MOST, Found, Recall
from app.memory.recall_block import LISTED, Injection, Marks, Wish, fill
from app.memory.segment import VERSION, segment
from app.memory.similarity import COMPARED, find_similar
from app.memory.slots import jieba_words
from app.paths import Paths
from app.ports import Clock
from app.project import Project
from app.storage import StorageError
from app.text import Words

__all__ = ["FactAmbiguous", "FactNotFound", "Known", "Memories", "find_among"]

_AT_ONCE: Final = 250
"""Facts whose evidence is looked for in one go: between two goes a prompt gets its turn."""

_NEAR: Final = 3
"""Facts that are named beside a new one they resemble."""


@dataclass(frozen=True, slots=True)
class Known:
    """A fact and all that is known of it now.

    Attributes:
        fact: the fact.
        state: the one that is shown.
        freshness: how long ago it was confirmed.
        evidence: what the project's files say; silent for another project's fact.
        use: how often it went into a prompt; None: never.
        waiting: conflicts with it that wait for the user.
    """

    fact: Fact
    state: FactState
    freshness: Freshness
    evidence: Evidence
    use: Use | None
    waiting: tuple[Pending, ...]


class Memories:
    """The memory of one project.

    Attributes:
        store: the facts of all projects; changes only this one's and global ones.
        inbox: the conflicts that wait.
        project: whose memory it is.
    """

    def __init__(
        self,
        paths: Paths,
        project: Project,
        clock: Clock,
        *,
        words: Callable[[], Words],
        tokens: Tokens,
        settings: MemorySettings,
        mask: Callable[[str], str] | None = None,
    ) -> None:
        """Reads nothing yet.

        Args:
            paths: the home.
            project: whose memory it is.
            clock: time.
            words: in the user's language, for the block in a prompt.
            tokens: estimates the tokens of a text.
            settings: `[memory]`.
            mask: replaces Haima's own credentials in a text.
        """
        self.project = project
        self._clock = clock
        self._words = words
        self._tokens = tokens
        self._settings = settings
        self._mask = mask
        self._index_file = paths.recall_index
        self._index = FactIndex(self._index_file, segment, VERSION)
        self._recall: Recall[Fact] = Recall(self._index)
        self._evidence = EvidenceChecker(project)
        self.store = FactStore(
            paths.facts_file,
            project=self.key,
            clock=clock,
            compare=Likenesses(self._index),
            tokens=tokens,
        )
        self.inbox = Inbox(paths.inbox_file, self.store, clock)
        self._taken = -1  # the store's version that recall has
        self._taking = asyncio.Lock()
        self._troubles: list[HaimaError] = []
        self._told: set[str] = set()

    @property
    def key(self) -> str:
        """What names the project in facts."""
        return project_key(str(self.project.root))

    @property
    def version(self) -> int:
        """Grows with every change of facts or inbox, whoever made it."""
        return self.store.version + self.inbox.version

    async def refresh(self) -> bool:
        """Takes in what other programs changed; whether anything was.

        Raises:
            StorageError: the facts can't be read; what is known stays.
        """
        version = self.version
        await self.store.refresh()
        await self._taken_in()
        try:
            await self.inbox.refresh()
        except StorageError as error:
            self._troubles.append(error)
        return self.version != version

    def visible(self, *, every: bool = False) -> tuple[Fact, ...]:
        """The facts this project sees, in the file's order.

        Args:
            every: those of other projects too.
        """
        facts, key = self.store.facts, self.key
        return facts if every else tuple(fact for fact in facts if fact.visible_in(key))

    def find(self, prefix: str, *, every: bool = False) -> Fact:
        """The fact whose id is this, or begins so; `fact-` may be missing.

        Args:
            prefix: of the id.
            every: also another project's.

        Raises:
            FactNotFound: there is none.
            FactAmbiguous: there are several.
        """
        return find_among(self.visible(every=every), prefix)

    async def known(self, facts: Sequence[Fact], *, evidence: bool = True) -> tuple[Known, ...]:
        """What is known of these facts now, in their order.

        Of many facts the evidence may be half a minute old.

        Args:
            facts: which.
            evidence: also what files say; else they are silent, at once also about ten thousand.
        """
        if not facts:
            return ()
        uses = await self._uses()
        waiting = await self._waiting()
        found_in = await self._evidence_for(facts) if evidence else [SILENT] * len(facts)
        now, days = self._clock.now(), self._settings.stale_days
        found: list[Known] = []
        for fact, says in zip(facts, found_in, strict=True):
            fresh = freshness(fact.last_verified, now, written=fact.timestamp, days=days)
            asks = waiting.get(fact.id, ())
            state = state_of(
                conflicting=bool(asks),
                contradicted=says.kind == "contradicts",
                stale=fresh.stale,
                unverified=fact.pending,
            )
            found.append(Known(fact, state, fresh, says, uses.get(fact.id), asks))
        return tuple(found)

    async def search(self, query: str, k: int = AT_MOST) -> Found[Fact]:
        """The facts nearest to a query that this project sees.

        Args:
            query: any text; one without words finds nothing.
            k: how many at most.
        """
        await self._taken_in()
        return await self._recall.search(query, self.project.root, k)

    async def with_near(self, outcome: Outcome) -> Outcome:
        """A fact that was just stored, with those it may repeat or replace, the nearest first."""
        if not isinstance(outcome, Stored):
            return outcome
        fact = outcome.fact
        found = await self.search(fact.content, COMPARED)
        others = [one for one in found.facts if one.id != fact.id and one.domain == fact.domain]
        similar = await find_similar(fact.content, [one.content for one in others])
        near = tuple(others[one.place] for one in similar if one.is_question)
        return replace(outcome, near=near[:_NEAR])

    async def inject(
        self,
        query: str,
        *,
        budget: int,
        shown: Collection[str],
        switched_off: Collection[str],
    ) -> Injection[Fact]:
        """The facts for a prompt, as the block that joins it.

        Args:
            query: the user's words; a blank one gives nothing.
            budget: tokens of the block at most.
            shown: ids of facts that the live history shows already.
            switched_off: ids of facts that the user left out.
        """
        seen = self.visible()
        if seen:
            jieba_words.start()  # conflicts of the facts that may be saved next need it
        if not query.strip():
            return Injection(unmatched=len(seen))
        found = await self.search(query, LISTED)
        pinned = [fact for fact in seen if fact.pinned]
        asked = {fact.id: fact for fact in (*pinned, *found.facts)}
        out = frozenset((*shown, *switched_off))
        marks = {
            one.fact.id: Marks(
                stale=one.freshness.stale,
                conflicting=one.state == "conflicting",
                contradicted=one.evidence.place if one.evidence.kind == "contradicts" else "",
            )
            for one in await self.known([f for name, f in asked.items() if name not in out])
        }
        wish: Wish[Fact] = Wish(
            budget=budget,
            now=self._clock.now().astimezone(),
            words=self._words(),
            tokens=self._tokens,
            marks=lambda fact: marks[fact.id],
            pinned=tuple(fact.id for fact in pinned),
            shown=shown,
            switched_off=switched_off,
        )
        return fill(found, pinned, wish)

    def draft(
        self,
        content: str,
        scope: FactScope | None,
        provenance: Provenance,
        *,
        pending: bool = False,
    ) -> Draft:
        """A fact to be saved: without blanks around it, secrets masked.

        Args:
            content: not blank.
            scope: where it shall hold; None: this project.
            provenance: who says so, and where.
            pending: the user hasn't confirmed it.

        Raises:
            ValueError: it is blank.
        """
        where: FactScope = scope or "project"
        quote = self._masked(provenance.quote)
        return Draft(
            self._masked(content.strip()),
            where,
            self.key if where == "project" else "",
            replace(provenance, quote=quote),
            pending,
        )

    def take_reports(self) -> tuple[HaimaError, ...]:
        """What was wrong with the memory's files since the last time this was asked."""
        found: list[HaimaError] = [
            FactTrouble(report, self.store.path) for report in self.store.take_reports()
        ]
        if self.inbox.take_broken():
            found.append(inbox_trouble(self.inbox.path))
        found += self._troubles
        self._troubles.clear()
        if self._index.trouble is not None:
            found.append(self._index.trouble)
        new = {str(one): one for one in found if str(one) not in self._told}
        self._told |= new.keys()
        return tuple(new.values())

    async def delete_everywhere(self, ids: Sequence[str]) -> Outcome:
        """These go for good: out of the file, the journal, the inbox and the index.

        What they took the place of goes with them. Live histories are the session's.
        """
        said = [fact.content for name in ids if (fact := self.store.get(name)) is not None]
        try:
            family = await self.store.ancestry(ids)
        except StorageError as error:
            return Failed(error)
        outcome = await self.store.delete_everywhere(ids)
        if isinstance(outcome, Failed):
            return outcome
        if isinstance(outcome, Deleted):
            said += [fact.content for fact in outcome.facts]
        try:
            await self.inbox.purge(family, said)
            await self._taken_in()
        except StorageError as error:
            return Failed(error)
        await self._index.purge()
        return outcome

    async def close(self) -> None:
        """Ends what is under way; again is harmless."""
        await self._index.close()

    async def _taken_in(self) -> None:
        """Recall knows the facts as the store has them."""
        version = self.store.version
        if version != self._taken:
            # Looking makes nothing: without facts there is no need of an index.
            if self.store.facts or self._taken >= 0 or self._index_file.exists():
                await self._recall.update(self.store.facts)
            self._taken = version

    async def _uses(self) -> Mapping[str, Use]:
        try:
            return await self.store.uses()
        except StorageError as error:
            self._troubles.append(error)
            return {}

    async def _waiting(self) -> dict[str, tuple[Pending, ...]]:
        """The conflicts that wait, by the facts they are with."""
        try:
            waiting = await self.inbox.waiting(self.key)
        except StorageError as error:
            self._troubles.append(error)
            return {}
        found: dict[str, tuple[Pending, ...]] = {}
        for one in waiting:
            for name in one.existing:
                found[name] = (*found.get(name, ()), one)
        return found

    async def _evidence_for(self, facts: Sequence[Fact]) -> list[Evidence]:
        """This project's files say nothing about other projects."""
        ours = [fact.content for fact in facts if fact.visible_in(self.key)]
        reuse = len(ours) > _AT_ONCE
        found: list[Evidence] = []
        for begin in range(0, len(ours), _AT_ONCE):
            some = ours[begin : begin + _AT_ONCE]
            found += await self._evidence.check(some, reuse=reuse)
        rest = iter(found)
        return [next(rest) if fact.visible_in(self.key) else SILENT for fact in facts]

    def _masked(self, text: str) -> str:
        return without_secrets(text if self._mask is None else self._mask(text))
